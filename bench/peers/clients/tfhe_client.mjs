// Two secret bytes in tfhe-rs's JavaScript, which encrypts and decrypts; computing is the server's.
import { createRequire } from "node:module";

const LIMIT = 1n << 40n;
const begun = performance.now();
const tfhe = createRequire(import.meta.url)("node-tfhe");
const imported = performance.now();
const config = tfhe.TfheConfigBuilder.default().build();
const secret = tfhe.TfheClientKey.generate(config);
const own = performance.now();
const server = tfhe.TfheCompressedServerKey.new(secret);
const keyed = performance.now();
const x = tfhe.CompressedFheUint8.encrypt_with_client_key(200, secret);
const y = tfhe.CompressedFheUint8.encrypt_with_client_key(77, secret);
const encrypted = performance.now();
const back = x.decompress().decrypt(secret);
const ended = performance.now();
const many = Array.from({ length: 1000 }, (_, at) =>
    tfhe.CompressedFheUint8.encrypt_with_client_key(at & 255, secret));
const thousand = performance.now() - ended;
console.log(JSON.stringify({
    library: "node-tfhe",
    import: (imported - begun) / 1000,
    secret_key: (own - imported) / 1000,
    keys: (keyed - imported) / 1000,
    encrypt: (encrypted - keyed) / 1000,
    decrypt: (ended - encrypted) / 1000,
    thousand_bytes: thousand / 1000,
    input_bytes: x.safe_serialize(LIMIT).length + y.safe_serialize(LIMIT).length,
    thousand_bytes_length: many.reduce((sum, one) => sum + one.safe_serialize(LIMIT).length, 0),
    key_bytes: server.safe_serialize(LIMIT).length,
    right: Number(back) === 200,
}));
