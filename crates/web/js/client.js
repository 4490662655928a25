// What pages import. `build` puts it behind the glue that wasm-bindgen writes, in one module: the
// classes named Native… and `__wbg_init`, `describe` and `blake3OfBytes` are that one's.
//
// Nothing here keeps anything, and the only thing that is ever fetched is the .wasm beside this
// file, and only by `init()` without an argument.

/** What a file of a wrapped key begins with. */
const WRAP_MAGIC = new TextEncoder().encode("BCWRAP01");
/** Rounds of PBKDF2 with SHA-256: what OWASP asks for. */
const WRAP_ROUNDS = 600_000;
/** More than this is a file that wants to keep the browser busy. */
const WRAP_ROUNDS_LIMIT = 10_000_000;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const WRAP_HEADER_BYTES = WRAP_MAGIC.length + 4 + SALT_BYTES + NONCE_BYTES;
const TAG_BYTES = 16;
/** A secret key has some ten kilobytes; one of BGV some hundred. */
const WRAPPED_LIMIT = 64 * 1024 * 1024;

/** What everything here throws: a message for people, and a kind for programs. */
export class BlindcoreError extends Error {
  constructor(message, kind) {
    super(message);
    this.name = "BlindcoreError";
    this.kind = kind;
  }
}

function reason(error) {
  if (error instanceof BlindcoreError) return error;
  if (error instanceof WebAssembly.RuntimeError) {
    return new BlindcoreError(`${error.message} (this is a defect: please report it)`, "internal");
  }
  if (error instanceof Error && typeof error.kind === "string") {
    return new BlindcoreError(error.message, error.kind);
  }
  return error;
}

function tried(work) {
  try {
    return work();
  } catch (error) {
    throw reason(error);
  }
}

/** Bytes, of whatever holds some. */
function bytesOf(given, what) {
  if (given instanceof Uint8Array) return given;
  if (given instanceof ArrayBuffer) return new Uint8Array(given);
  if (ArrayBuffer.isView(given)) {
    return new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
  }
  throw new BlindcoreError(`${what}: give its bytes, as a Uint8Array or an ArrayBuffer`, "usage");
}

let starting = null;
let compiled = null;

/**
 * Loads the module. To call it again costs nothing. It takes the bytes of `blindcore_bg.wasm`, a
 * compiled module, a response or an address; without any, the file beside this one is fetched.
 */
export default function init(source) {
  starting ??= start(source).catch((error) => {
    starting = null;
    throw error;
  });
  return starting;
}

async function start(source) {
  compiled = await compile(await (source ?? new URL("blindcore_bg.wasm", import.meta.url)));
  await __wbg_init({ module_or_path: compiled });
}

async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
    return WebAssembly.compile(source);
  }
  const response = source instanceof Response ? source : await fetch(source);
  if (!response.ok) {
    throw new BlindcoreError(`${response.url}: ${response.status} ${response.statusText}`, "io");
  }
  return WebAssembly.compile(await response.arrayBuffer());
}

function started() {
  if (compiled === null) {
    throw new BlindcoreError("the module is not loaded: await init() first", "usage");
  }
}

/** The glue's objects behind the classes: for this module only. */
let nativeOf;
let publicKeyOf;

/** A program: an ELF file, or a text in HE assembly. */
export class Program {
  static {
    nativeOf = (program) => {
      if (!(program instanceof Program)) {
        throw new BlindcoreError("the program: it is a Program", "usage");
      }
      return program.#native;
    };
  }

  #native;
  #bytes;

  /** `name` is what messages call it; `call` a function to call instead of `main`: `score(income, 25)`. */
  constructor(bytes, { name = "the program", call } = {}) {
    started();
    this.name = name;
    this.#bytes = bytesOf(bytes, name);
    this.#native = tried(() => new NativeProgram(name, this.#bytes, call));
  }

  get bytes() {
    return this.#bytes;
  }

  /** Variables with types, shapes, marks and fields: enough to make a form of them. */
  get variables() {
    return JSON.parse(tried(() => this.#native.variables()));
  }

  get functions() {
    return JSON.parse(tried(() => this.#native.functions()));
  }

  free() {
    this.#native.free();
  }
}

/** The key that encrypts and decrypts. It shows nothing of itself; `free` erases it. */
export class Key {
  #native;

  constructor(native) {
    if (!(native instanceof NativeSecretKey)) {
      throw new BlindcoreError("keys come from Key.generate, Key.fromBytes and Key.unwrap", "usage");
    }
    this.#native = native;
  }

  /** Makes a key. Randomness is the browser's `crypto.getRandomValues`. */
  static async generate({ parameters = "p16" } = {}) {
    await init();
    return new Key(tried(() => NativeSecretKey.generate(parameters)));
  }

  /** The key of a file, as the command line and Python write it. */
  static fromBytes(bytes, passphrase) {
    started();
    const given = bytesOf(bytes, "the secret key");
    return new Key(tried(() => NativeSecretKey.fromBytes(given, passphrase)));
  }

  /**
   * The key's file, behind the passphrase if there is one: what the command line and Python read.
   * Without a passphrase these bytes are the secret itself.
   */
  toBytes(passphrase) {
    return tried(() => this.#own.toBytes(passphrase));
  }

  /** The key behind a passphrase, by WebCrypto: AES-GCM under a key of PBKDF2. */
  async wrap(passphrase) {
    const header = new Uint8Array(WRAP_HEADER_BYTES);
    header.set(WRAP_MAGIC);
    new DataView(header.buffer).setUint32(WRAP_MAGIC.length, WRAP_ROUNDS, true);
    crypto.getRandomValues(header.subarray(WRAP_MAGIC.length + 4));
    const wrapping = await wrappingKey(passphrase, header, ["encrypt"]);
    const secret = this.toBytes();
    try {
      const text = await crypto.subtle.encrypt(cipher(header), wrapping, secret);
      const wrapped = new Uint8Array(header.length + text.byteLength);
      wrapped.set(header);
      wrapped.set(new Uint8Array(text), header.length);
      return wrapped;
    } finally {
      secret.fill(0);
    }
  }

  /** The key of what `wrap` gave. */
  static async unwrap(bytes, passphrase) {
    await init();
    const wrapped = bytesOf(bytes, "the wrapped key");
    if (!isWrapped(wrapped)) {
      throw new BlindcoreError("the wrapped key: it is no wrapped key; Key.fromBytes reads a key's file", "file");
    }
    if (wrapped.length < WRAP_HEADER_BYTES + TAG_BYTES || wrapped.length > WRAPPED_LIMIT) {
      throw new BlindcoreError("the wrapped key: the file is cut off or too long: copy it again", "file");
    }
    const header = wrapped.slice(0, WRAP_HEADER_BYTES);
    const wrapping = await wrappingKey(passphrase, header, ["decrypt"]);
    let secret;
    try {
      const text = await crypto.subtle.decrypt(cipher(header), wrapping, wrapped.subarray(WRAP_HEADER_BYTES));
      secret = new Uint8Array(text);
    } catch {
      throw new BlindcoreError("the wrapped key: the passphrase is wrong, or the file is damaged", "passphrase");
    }
    try {
      return Key.fromBytes(secret);
    } finally {
      secret.fill(0);
    }
  }

  /** Which key pair it is, as the command line shows it. */
  get id() {
    return tried(() => this.#own.id());
  }

  /**
   * Makes a server key in a worker, so that the page stays alive: about 30 MB. `onProgress` is
   * called with a number up to 1, some twenty times a second.
   */
  serverKey(onProgress, options) {
    return this.#inWorker("server", onProgress, options);
  }

  /**
   * Makes the server key's second part in the same way: about 61 MB. A server that has it spends less
   * on choices, products and tables at secret indices.
   */
  selectorKey(onProgress, options) {
    return this.#inWorker("selectors", onProgress, options);
  }

  #inWorker(which, onProgress, { signal } = {}) {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const own = this.#own;
      const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
      const end = (settle, value) => {
        worker.terminate();
        signal?.removeEventListener("abort", stop);
        settle(value);
      };
      const stop = () => end(reject, signal.reason);
      signal?.addEventListener("abort", stop);
      worker.onerror = (event) => {
        const why = event.message || "its file cannot be loaded";
        end(reject, new BlindcoreError(`the worker that makes keys: ${why}`, "internal"));
      };
      worker.onmessage = ({ data }) => {
        if (data.made) end(resolve, data.made);
        else if (data.error) end(reject, new BlindcoreError(data.error.message, data.error.kind));
        else onProgress?.(data.progress);
      };
      try {
        const secret = tried(() => own.toBytes());
        worker.postMessage({ module: compiled, secret, which }, [secret.buffer]);
      } catch (error) {
        end(reject, error);
      }
    });
  }

  /** As `serverKey`, on this thread, which is busy for about a second: for workers of your own. */
  serverKeyHere(onProgress) {
    return tried(() => this.#own.serverKey(onProgress));
  }

  /** As `selectorKey`, on this thread. */
  selectorKeyHere(onProgress) {
    return tried(() => this.#own.selectorKey(onProgress));
  }

  /** Makes a public key, which encrypts and reads nothing. */
  publicKey() {
    return publicKeyOf(tried(() => this.#own.publicKey()));
  }

  /** Encrypts values of the program's variables, by name: the bytes of a file of inputs. */
  encrypt(program, values) {
    const native = nativeOf(program);
    return tried(() => this.#own.encrypt(native, values));
  }

  /** Decrypts a file of outputs, or one of inputs: an object from names to values. */
  decrypt(outputs) {
    const given = bytesOf(outputs, "the outputs");
    return Object.fromEntries(tried(() => this.#own.decrypt(given)));
  }

  /** Erases the key. What is not freed is erased when nothing refers to it any more. */
  free() {
    this.#native?.free();
    this.#native = null;
  }

  get #own() {
    if (this.#native === null) throw new BlindcoreError("the key was freed", "usage");
    return this.#native;
  }
}

/** The key that encrypts and reads nothing, not even what it has encrypted. */
export class PublicKey {
  static {
    publicKeyOf = (native) => {
      const key = new PublicKey();
      key.#native = native;
      return key;
    };
  }

  #native;

  static fromBytes(bytes) {
    started();
    const given = bytesOf(bytes, "the public key");
    return publicKeyOf(tried(() => NativePublicKey.fromBytes(given)));
  }

  toBytes() {
    return tried(() => this.#native.toBytes());
  }

  get id() {
    return tried(() => this.#native.id());
  }

  encrypt(program, values) {
    const native = nativeOf(program);
    return tried(() => this.#native.encrypt(native, values));
  }

  free() {
    this.#native.free();
  }
}

/** What a file is and holds; no key is needed. */
export function inspect(bytes) {
  started();
  const given = bytesOf(bytes, "the file");
  return JSON.parse(tried(() => describe(given)));
}

/** Whether these are the bytes of a wrapped key. */
export function isWrapped(bytes) {
  const given = bytesOf(bytes, "the file");
  return WRAP_MAGIC.every((byte, at) => given[at] === byte);
}

/** The BLAKE3 hash of bytes, in hexadecimal: what a server calls them. */
export function blake3(bytes) {
  started();
  return blake3OfBytes(bytesOf(bytes, "the file"));
}

function cipher(header) {
  const iv = header.subarray(WRAP_HEADER_BYTES - NONCE_BYTES);
  return { name: "AES-GCM", iv, additionalData: header };
}

async function wrappingKey(passphrase, header, uses) {
  if (typeof passphrase !== "string" || passphrase === "") {
    throw new BlindcoreError("the passphrase: it is empty", "passphrase");
  }
  const rounds = new DataView(header.buffer, header.byteOffset).getUint32(WRAP_MAGIC.length, true);
  if (rounds < WRAP_ROUNDS || rounds > WRAP_ROUNDS_LIMIT) {
    throw new BlindcoreError(`the wrapped key: ${rounds} rounds are none of ours: copy the file again`, "file");
  }
  if (globalThis.crypto?.subtle === undefined) {
    throw new BlindcoreError("the browser offers WebCrypto to pages of https and localhost only", "usage");
  }
  // The same letters are the same bytes, whatever keyboard they come from.
  const typed = new TextEncoder().encode(passphrase.normalize("NFC"));
  const salt = header.subarray(WRAP_MAGIC.length + 4, WRAP_HEADER_BYTES - NONCE_BYTES);
  const base = await crypto.subtle.importKey("raw", typed, "PBKDF2", false, ["deriveKey"]);
  typed.fill(0);
  const derivation = { name: "PBKDF2", hash: "SHA-256", salt, iterations: rounds };
  return crypto.subtle.deriveKey(derivation, base, { name: "AES-GCM", length: 256 }, false, uses);
}
