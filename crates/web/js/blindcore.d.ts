/** Loads the module. Without an argument, the .wasm beside this module is fetched. */
export default function init(
  source?:
    | BufferSource
    | WebAssembly.Module
    | Response
    | URL
    | string
    | PromiseLike<BufferSource | WebAssembly.Module | Response>,
): Promise<void>;

export type ErrorKind =
  | "usage"
  | "input"
  | "file"
  | "key"
  | "program"
  | "secret"
  | "io"
  | "passphrase"
  | "internal";

/** What everything here throws: a message for people, and a kind for programs. */
export class BlindcoreError extends Error {
  constructor(message: string, kind: ErrorKind);
  readonly kind: ErrorKind;
}

/** Bytes of a file. */
export type Bytes = ArrayBuffer | ArrayBufferView;

/**
 * What a variable may be given: text for `char[]`, an object for a structure, the name of an enumeration's value.
 * Whole numbers of more than 53 bits are given as `bigint`.
 */
export type Value =
  | number
  | bigint
  | boolean
  | string
  | ArrayBufferView
  | readonly Value[]
  | { readonly [member: string]: Value };

/** What decryption gives: a `bigint` for 64 bits, typed arrays, nested where there are several dimensions. */
export type Decrypted =
  | number
  | bigint
  | boolean
  | string
  | boolean[]
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array
  | Decrypted[];

/** A name with its type. */
export interface Typed {
  name: string;
  /** As Blindcore writes it: `u32[8]`. */
  type: string;
  element: "integer" | "boolean" | "character" | "float" | "raw";
  /** Of one element. */
  bits: number;
  signed: boolean;
  /** Dimensions; empty for a single value. */
  shape: number[];
  /** Of an enumeration: its values by name, as decimal text. */
  values?: { [name: string]: string };
}

export interface Variable extends Typed {
  /** Whether other files could name it; `static` variables are not. */
  global: boolean;
  /** Whether the source marks it as secret. */
  secret: boolean;
  /** Whether the source marks it as wanted. */
  output: boolean;
  /** Of a structure. */
  fields?: Typed[];
}

export interface FunctionSignature {
  name: string;
  parameters: Typed[] | null;
  result: string | null;
}

export interface ProgramOptions {
  /** What messages call it. */
  name?: string;
  /** A function to call instead of `main`, whose arguments are among the names: `score(income, 25)`. */
  call?: string;
}

/** A program: an ELF file, or a text in HE assembly. */
export class Program {
  constructor(bytes: Bytes, options?: ProgramOptions);
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly variables: Variable[];
  readonly functions: FunctionSignature[];
  free(): void;
}

/** The key that encrypts and decrypts. `free` erases it. */
export class Key {
  private constructor();
  static generate(options?: { parameters?: "p16" | "p16-uniform" }): Promise<Key>;
  /** The key of a file, as the command line and Python write it. */
  static fromBytes(bytes: Bytes, passphrase?: string): Key;
  /** The key of what `wrap` gave. */
  static unwrap(bytes: Bytes, passphrase: string): Promise<Key>;
  readonly id: string;
  /** The key's file. Without a passphrase these bytes are the secret itself. */
  toBytes(passphrase?: string): Uint8Array<ArrayBuffer>;
  /** The key behind a passphrase, by WebCrypto. */
  wrap(passphrase: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Makes a server key in a worker; progress is a number up to 1. */
  serverKey(onProgress?: (part: number) => void, options?: { signal?: AbortSignal }): Promise<Uint8Array<ArrayBuffer>>;
  /** Makes the server key's second part in a worker: with it choices, products and tables cost less. */
  selectorKey(onProgress?: (part: number) => void, options?: { signal?: AbortSignal }): Promise<Uint8Array<ArrayBuffer>>;
  /** The same on this thread. */
  serverKeyHere(onProgress?: (part: number) => void): Uint8Array<ArrayBuffer>;
  selectorKeyHere(onProgress?: (part: number) => void): Uint8Array<ArrayBuffer>;
  publicKey(): PublicKey;
  encrypt(program: Program, values: { [name: string]: Value }): Uint8Array<ArrayBuffer>;
  decrypt(outputs: Bytes): { [name: string]: Decrypted };
  free(): void;
}

/** The key that encrypts and reads nothing. */
export class PublicKey {
  private constructor();
  static fromBytes(bytes: Bytes): PublicKey;
  readonly id: string;
  toBytes(): Uint8Array<ArrayBuffer>;
  encrypt(program: Program, values: { [name: string]: Value }): Uint8Array<ArrayBuffer>;
  free(): void;
}

export interface Description {
  kind: string;
  version: number;
  bytes: number;
  parameters: string;
  fingerprint: string;
  key: string;
  variables: { name: string; type: string; bits: number; secret_bits: number }[];
  security_bits?: number;
  /** Of a secret key: whether it is behind a passphrase. */
  passphrase?: boolean;
  [more: string]: unknown;
}

/** What a file is and holds; no key is needed. */
export function inspect(bytes: Bytes): Description;

/** Whether these are the bytes of a wrapped key. */
export function isWrapped(bytes: Bytes): boolean;

/** The BLAKE3 hash of bytes, in hexadecimal: what a server calls them. */
export function blake3(bytes: Bytes): string;
