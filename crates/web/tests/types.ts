// What people write who use the types: it is compiled, and not run.
import init, { BlindcoreError, Key, Program, PublicKey, blake3, inspect, isWrapped } from "@blindcore/client";
import type { Decrypted, Variable } from "@blindcore/client";

export async function story(elf: ArrayBuffer, outputs: Uint8Array): Promise<bigint> {
  await init(fetch("/blindcore_bg.wasm"));
  const key: Key = await Key.generate({ parameters: "p16" });
  const program = new Program(elf, { name: "score.elf", call: "score(income, debt)" });
  const first: Variable | undefined = program.variables[0];
  if (first?.shape.length === 1) throw new BlindcoreError("another program", "usage");
  const inputs = key.encrypt(program, { income: 61_000n, debt: [12, 5], name: "Ada", at: { x: 1, y: new Int8Array(2) } });
  await fetch("/jobs", { method: "POST", body: inputs });
  const server = await key.serverKey((part: number) => console.log(part), { signal: AbortSignal.timeout(9_000) });
  await fetch("/keys/" + blake3(server), { method: "PUT", body: server });
  const selectors: Uint8Array = await key.selectorKey();
  await fetch("/keys/" + blake3(selectors), { method: "PUT", body: key.selectorKeyHere() });
  const wrapped = await key.wrap("correct horse");
  const again = isWrapped(wrapped) ? await Key.unwrap(wrapped, "correct horse") : Key.fromBytes(wrapped, "horse");
  const friend = PublicKey.fromBytes(key.publicKey().toBytes());
  console.log(friend.id, inspect(inputs).variables.map(({ name, bits }) => `${name}: ${bits}`));
  const { score }: { [name: string]: Decrypted } = again.decrypt(outputs);
  key.free();
  if (typeof score !== "bigint") throw new Error("another type");
  return score;
}

// @ts-expect-error: a key is made by its functions
new Key();
// @ts-expect-error: there is no such option
export const wrong = (elf: ArrayBuffer) => new Program(elf, { names: ["a"] });
