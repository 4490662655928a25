// The page's key. It is in memory only: a reload forgets it, unless it was saved to a file.
import { BlindcoreError, Key, blake3, isWrapped } from "./blindcore.js";
import { ask } from "./passphrase.js";
import { download, find, say } from "./view.js";

/** Longer than any file of a secret key. */
const KEY_FILE_LIMIT = 64 * 1024 * 1024;

export class Keyring {
  key = null;
  /** Whether a file has it. */
  saved = false;
  /** The keys for servers, by their kind there. */
  #parts = {};
  #changed;

  constructor(changed) {
    this.#changed = changed;
    find("key-make").onclick = () => this.#attempt(() => this.#make());
    find("key-open").onclick = () => this.#attempt(() => this.#open());
    find("key-save").onclick = () => this.#attempt(() => this.#save());
    find("key-forget").onclick = () => this.#attempt(() => this.#forget());
    // What is not saved is lost with the page.
    window.addEventListener("beforeunload", (event) => {
      if (this.key !== null && !this.saved) event.preventDefault();
    });
    this.#show();
  }

  /**
   * A key for servers, `server_key` or its second part, `selector_key`: its hash, and its bytes until a
   * server has them. It is made of `key`, which is the page's unless somebody changed that meanwhile.
   */
  async part(kind, key, onProgress) {
    const changed = () => {
      if (this.key !== key) throw new BlindcoreError("the key was changed meanwhile: submit again", "key");
    };
    changed();
    const parts = this.#parts;
    const make = kind === "selector_key" ? "selectorKey" : "serverKey";
    parts[kind] ??= key[make](onProgress).then((bytes) => ({ kind, hash: blake3(bytes), bytes }));
    try {
      const part = await parts[kind];
      changed();
      return part;
    } catch (error) {
      delete parts[kind];
      throw error;
    }
  }

  /** Makes a part anew when it is asked for again. */
  forgetPart({ kind }) {
    delete this.#parts[kind];
  }

  async #attempt(work) {
    const message = find("key-message");
    say(message, "");
    try {
      await work();
    } catch (error) {
      say(message, error.message, "error");
    }
    this.#show();
  }

  /** Whether the key that is there may go. */
  #mayReplace() {
    return (
      this.key === null ||
      this.saved ||
      confirm("The key of this page is not saved. Without it nobody can read what was encrypted with it. Go on?")
    );
  }

  #replace(key, saved) {
    this.key?.free();
    this.key = key;
    this.saved = saved;
    this.#parts = {};
    this.#show();
    this.#changed();
  }

  async #make() {
    if (!this.#mayReplace()) return;
    this.#replace(await Key.generate(), false);
  }

  async #open() {
    if (!this.#mayReplace()) return;
    const key = await ask({
      title: "Open a key",
      hint: "Leave it empty for a file that has none.",
      go: "Open",
      withFile: true,
      act: async ({ passphrase, file }) => {
        if (file.size > KEY_FILE_LIMIT) throw new BlindcoreError(`${file.name}: it is too long for a key`, "file");
        const bytes = new Uint8Array(await file.arrayBuffer());
        try {
          if (isWrapped(bytes)) return await Key.unwrap(bytes, passphrase);
          return Key.fromBytes(bytes, passphrase === "" ? undefined : passphrase);
        } finally {
          bytes.fill(0);
        }
      },
    });
    if (key !== null) this.#replace(key, true);
  }

  async #save() {
    const { key } = this;
    const wrapped = await ask({
      title: "Save the key",
      hint: "A long one that you will know again: nobody can recover it.",
      go: "Save",
      twice: true,
      act: ({ passphrase }) => key.wrap(passphrase),
    });
    if (wrapped === null) return;
    download(wrapped, `blindcore-${key.id.slice(0, 8)}.key`);
    if (this.key === key) this.saved = true;
  }

  #forget() {
    if (this.#mayReplace()) this.#replace(null, false);
  }

  #show() {
    const there = this.key !== null;
    find("key-save").disabled = find("key-forget").disabled = !there;
    find("key-make").classList.toggle("primary", !there);
    find("key-state").textContent = there
      ? `Key ${this.key.id}, ${this.saved ? "saved in a file of yours" : "not saved yet"}.`
      : "There is no key. Make one, or open one that you saved.";
  }
}
