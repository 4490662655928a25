// Makes a key for servers while the page stays alive. It is told once which, and ended by whoever
// started it (Key.serverKey and Key.selectorKey of blindcore.js).
import init, { Key } from "./blindcore.js";

const MILLISECONDS_BETWEEN = 50;

self.onmessage = async ({ data: { module, secret, which } }) => {
  let key;
  try {
    await init(module);
    key = Key.fromBytes(secret);
    secret.fill(0);
    let last = 0;
    const tell = (progress) => {
      const now = performance.now();
      if (now - last < MILLISECONDS_BETWEEN) return;
      last = now;
      self.postMessage({ progress });
    };
    const made = which === "selectors" ? key.selectorKeyHere(tell) : key.serverKeyHere(tell);
    self.postMessage({ made }, [made.buffer]);
  } catch (error) {
    self.postMessage({ error: { message: error.message, kind: error.kind ?? "internal" } });
  } finally {
    secret.fill(0);
    key?.free();
  }
};
