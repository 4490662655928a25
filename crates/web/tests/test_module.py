"""The module by itself: the same files as everywhere, and errors that say what is wrong."""

import json

import pytest
from conftest import PAGE, ROOT, Thrown, blindcore, example

# What serves the module: a fixture.
SERVER = "files"

SALARIES = {"salary": [5200, 4100, 3950], "count": 3}


def given(browser, name):
    """A program of the server, in the page."""
    return f'const program = new bc.Program(await (await fetch("/programs/{name}.elf")).arrayBuffer(), {{ name: "{name}.elf" }});'


def test_a_key_of_the_browser_goes_through_the_command_line(browser, files, tmp_path):
    """Key, server key, inputs made here; run there; decrypted here, and there."""
    made = browser.run(
        given(browser, "salaries")
        + """
        window.key = await bc.Key.generate();
        const parts = [];
        const began = performance.now();
        const server = await key.serverKey((part) => parts.push(part));
        const took = performance.now() - began;
        const inputs = key.encrypt(program, args[0]);
        const put = (hash, body) => fetch(`/files/${hash}`, { method: "PUT", body });
        const [keyHash, inputsHash] = [bc.blake3(server), bc.blake3(inputs)];
        await put(keyHash, server);
        await put(inputsHash, inputs);
        const secret = key.toBytes();
        return { id: key.id, keyHash, inputsHash, secret: hex(secret), parts, took, what: bc.inspect(server).kind };
        """,
        SALARIES,
    )
    assert made["what"] == "server key"
    assert made["parts"] == sorted(made["parts"]) and 0 < made["parts"][0] and made["parts"][-1] <= 1
    server, inputs, secret = files.folder / made["keyHash"], files.folder / made["inputsHash"], tmp_path / "mine.secret"
    secret.write_bytes(bytes.fromhex(made["secret"]))
    secret.chmod(0o600)
    assert json.loads(blindcore("inspect", "--json", secret))[0]["key"] == made["id"]
    # What the browser encrypted, read by the command line.
    there = json.loads(blindcore("decrypt", "--json", "--key", secret, inputs))
    assert there["count"] == 3 and there["salary"][:4] == [5200, 4100, 3950, 0]

    outputs = tmp_path / "outputs"
    blindcore("run", "--key", server, "--out", outputs, example("salaries"), inputs)
    values = browser.run(
        """
        const values = key.decrypt(bytes(args[0]));
        const kinds = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, typeof value]));
        return { values, kinds };
        """,
        outputs.read_bytes().hex(),
    )
    assert values["values"] == json.loads(blindcore("decrypt", "--json", "--key", secret, outputs))
    assert values["values"]["total"] == 13250 and values["kinds"]["total"] == "number"


def test_files_of_the_command_line_are_read(browser, tmp_path):
    """A key behind the command line's passphrase, its public key, its inputs."""
    passphrase = tmp_path / "passphrase"
    passphrase.write_text("correct horse")
    blindcore("keygen", "--no-selectors", "--passphrase-file", passphrase, "--out", tmp_path / "mine")
    secret, public = tmp_path / "mine.secret", tmp_path / "mine.public"
    inputs = tmp_path / "inputs"
    blindcore("encrypt", "--key", public, "--out", inputs, example("hamming"), "left=GATTACAT", "right=GACTATAG")
    read = browser.run(
        given(browser, "hamming")
        + """
        const key = bc.Key.fromBytes(bytes(args[0]), "correct horse");
        const friend = bc.PublicKey.fromBytes(bytes(args[1]));
        const own = friend.encrypt(program, { left: "AAAAAAAA", right: new Uint8Array([66, 67]) });
        const what = bc.inspect(bytes(args[2]));
        return {
            same: key.id === friend.id && key.id === what.key,
            values: key.decrypt(bytes(args[2])), own: hex(own), variables: what.variables.map((own) => own.name),
        };
        """,
        secret.read_bytes().hex(),
        public.read_bytes().hex(),
        inputs.read_bytes().hex(),
    )
    assert read["same"] and sorted(read["variables"]) == ["left", "right"]
    assert read["values"]["left"] == "GATTACAT" or read["values"]["left"] == {str(at): byte for at, byte in enumerate(b"GATTACAT")}
    own = tmp_path / "own"
    own.write_bytes(bytes.fromhex(read["own"]))
    there = blindcore("decrypt", "--json", "--key", secret, "--passphrase-file", passphrase, own)
    assert len(json.loads(there)) == 2

    with pytest.raises(Thrown, match="passphrase") as thrown:
        browser.run("bc.Key.fromBytes(bytes(args[0]), 'wrong horse')", secret.read_bytes().hex())
    assert thrown.value.kind == "passphrase"
    with pytest.raises(Thrown, match="behind a passphrase: give it") as thrown:
        browser.run("bc.Key.fromBytes(bytes(args[0]))", secret.read_bytes().hex())
    assert thrown.value.kind == "passphrase"


def test_a_wrapped_key_is_opened_by_its_passphrase_alone(browser):
    made = browser.run(
        """
        const key = await bc.Key.generate();
        const secret = hex(key.toBytes());
        const wrapped = await key.wrap("Zürich 1848");
        const again = await bc.Key.unwrap(wrapped, "Zu\\u0308rich 1848");
        return { id: key.id, again: again.id, same: hex(again.toBytes()) === secret, wrapped: hex(wrapped), secret,
                 other: hex(await key.wrap("Zürich 1848")) };
        """
    )
    assert made["again"] == made["id"] and made["same"]
    assert made["other"] != made["wrapped"]
    wrapped = bytes.fromhex(made["wrapped"])
    assert unwrapped(wrapped, "Zürich 1848").hex() == made["secret"]

    with pytest.raises(Thrown, match="the passphrase is wrong, or the file is damaged") as thrown:
        browser.run("await bc.Key.unwrap(bytes(args[0]), 'Zürich 1849')", made["wrapped"])
    assert thrown.value.kind == "passphrase"
    # A bit anywhere: in the header, which is signed, too.
    for place in (0, 9, 14, 30, 45, len(wrapped) - 1):
        damaged = bytearray(wrapped)
        damaged[place] ^= 1
        with pytest.raises(Thrown) as thrown:
            browser.run("await bc.Key.unwrap(bytes(args[0]), 'Zürich 1848')", damaged.hex())
        assert thrown.value.kind in ("passphrase", "file"), place
    for cut in (0, 8, 39, 55):
        with pytest.raises(Thrown) as thrown:
            browser.run("await bc.Key.unwrap(bytes(args[0]), 'Zürich 1848')", wrapped[:cut].hex())
        assert thrown.value.kind == "file", cut
    with pytest.raises(Thrown, match="empty"):
        browser.run("await (await bc.Key.generate()).wrap('')")


def unwrapped(wrapped, passphrase):
    """What another implementation finds in a wrapped key."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC

    assert wrapped[:8] == b"BCWRAP01"
    rounds = int.from_bytes(wrapped[8:12], "little")
    assert rounds >= 600_000
    key = PBKDF2HMAC(SHA256(), 32, wrapped[12:28], rounds).derive(passphrase.encode())
    return AESGCM(key).decrypt(wrapped[28:40], wrapped[40:], wrapped[:40])


def test_damaged_files_are_refused_with_words(browser, tmp_path):
    key = "const key = await bc.Key.generate(); const secret = key.toBytes();"
    program = given(browser, "hamming")
    for body, words, kind in (
        ("bc.Key.fromBytes(secret.subarray(0, 100))", "the file ends at byte 100 of", "file"),
        ("secret[secret.length - 1] ^= 1; bc.Key.fromBytes(secret)", "damaged|checksum|corrupt", "file"),
        ("bc.Key.fromBytes(new TextEncoder().encode('GATTACA'))", "the secret key: ", "file"),
        ("bc.Key.fromBytes(key.publicKey().toBytes())", "reads nothing", "file"),
        ("bc.inspect(new Uint8Array(0))", "the file: ", "file"),
        ("bc.inspect('a text')", "give its bytes", "usage"),
        ("key.decrypt(secret)", "outputs|inputs", "file"),
        ("new bc.Program(new Uint8Array([127, 69, 76, 70]), { name: 'cut.elf' })", "cut.elf: ", "program"),
        ("new bc.Program(new Uint8Array(9))", "the program: ", "program"),
        ("new bc.Program('a text')", "give its bytes", "usage"),
    ):
        with pytest.raises(Thrown, match=words) as thrown:
            browser.run(key + body)
        assert thrown.value.kind == kind, (body, str(thrown.value))

    outputs = "const own = key.encrypt(program, { left: 'GATTACAT', right: 'GATTACAT' });"
    for body, words, kind in (
        ("key.encrypt(program, { left: 'GATTACAT', right: 'GATTACATS' })", "right", "input"),
        ("key.encrypt(program, { left: [256], right: 'A' })", "left", "input"),
        ("key.encrypt(program, { nowhere: 1 })", "nowhere", "input"),
        ("key.encrypt(program, { left: Symbol() })", "left: a value of type symbol", "input"),
        ("key.encrypt(program, { left: 2 ** 60 })", "left.*e18.*not a whole number", "input"),
        ("key.encrypt(program, { left: NaN })", "left", "input"),
        ("key.encrypt(program, { left: new DataView(new ArrayBuffer(8)) })", "left: a value of type object", "input"),
        ("key.encrypt(program, { left: 2n ** 200n })", "left: the number has more than 64 bits", "input"),
        ("const ring = []; ring.push(ring); key.encrypt(program, { left: ring })", "too deeply", "input"),
        ("key.encrypt(program, [1])", "an object, by name", "input"),
        ("key.encrypt({}, { left: 1 })", "it is a Program", "usage"),
        (outputs + "own[own.length >> 1] ^= 1; key.decrypt(own)", "copy or make the file again", "file"),
        (outputs + "key.decrypt(own.subarray(0, own.length - 1))", "copy or make the file again", "file"),
        (outputs + "(await bc.Key.generate()).decrypt(own)", "use the key pair that the file was made with", "key"),
        ("key.free(); key.id", "the key was freed", "usage"),
        ("key.free(); key.free(); await key.wrap('a')", "the key was freed", "usage"),
        ("await bc.Key.generate({ parameters: 'p17' })", "there are p16 and p16-uniform", "usage"),
        ("new bc.Key({})", "keys come from", "usage"),
        ("new bc.Program(program.bytes, { call: 'main(' })", "main", "usage"),
    ):
        with pytest.raises(Thrown, match=words) as thrown:
            browser.run(key + program + body)
        assert thrown.value.kind == kind, (body, str(thrown.value))


def test_values_come_back_in_their_types(browser):
    read = browser.run(
        given(browser, "credit")
        + """
        const key = await bc.Key.generate();
        const names = program.variables.filter((own) => own.shape.length === 0 && own.element === "integer");
        const values = Object.fromEntries(names.map((own) => [own.name, own.signed ? -5 : 5n]));
        const back = key.decrypt(key.encrypt(program, values));
        return { back, types: Object.fromEntries(names.map((own) => [own.name, own.signed])) };
        """
    )
    assert read["back"] == {name: -5 if signed else 5 for name, signed in read["types"].items()}
    assert len(read["back"]) > 3
    types = ROOT / "crates" / "processor" / "tests" / "programs" / "types.elf"
    told = browser.run(
        """
        const program = new bc.Program(bytes(args[0]), { name: "types.elf" });
        const key = await bc.Key.generate();
        const colours = program.variables.find((own) => own.name === "a_colour").values;
        const values = {
            a_u64: 18446744073709551615n, a_i64: -(2n ** 63n), a_i8: -128, a_u16: "65535" >>> 0, a_bool: true,
            a_text: "GATTACA", a_matrix: [[1, -1], new Int8Array([2, 3])], a_point: { x: 3, y: 4 },
            "a_rows[1].key": 7,
        };
        const back = key.decrypt(key.encrypt(program, values));
        const shown = (value) => ArrayBuffer.isView(value) ? [value.constructor.name, ...value].map(String)
            : Array.isArray(value) ? value.map(shown) : [typeof value, String(value)];
        return { colours, back: Object.fromEntries(Object.entries(back).map(([name, value]) => [name, shown(value)])) };
        """,
        types.read_bytes().hex(),
    )
    back = told["back"]
    assert back["a_u64"] == ["bigint", "18446744073709551615"] and back["a_i64"] == ["bigint", str(-(2**63))]
    assert back["a_i8"] == ["number", "-128"] and back["a_u16"] == ["number", "65535"]
    assert back["a_bool"] == ["boolean", "true"] and back["a_text"] == ["string", "GATTACA"]
    rows = [["Int8Array", "1", "-1", "0", "0"], ["Int8Array", "2", "3", "0", "0"], ["Int8Array", "0", "0", "0", "0"]]
    assert back["a_matrix"] == rows
    assert (back["a_point.x"], back["a_rows[1].key"]) == (["number", "3"], ["number", "7"])
    floats = ROOT / "crates" / "processor" / "tests" / "programs" / "floats.elf"
    assert browser.run(
        """
        const program = new bc.Program(bytes(args[0]), { name: "floats.elf" });
        const key = await bc.Key.generate();
        const given = { table: [0.5, -2, 1e30, NaN], wide: [1e300, 0.1, 3n, -Infinity] };
        const { table, wide } = key.decrypt(key.encrypt(program, given));
        return [table.constructor.name, ...table, wide.constructor.name, ...wide].map(String);
        """,
        floats.read_bytes().hex(),
    ) == ["Float32Array", "0.5", "-2", "1.0000000150474662e+30", "NaN", "Float64Array", "1e+300", "0.1", "3", "-Infinity"]
    assert told["colours"] == {"RED": "0", "GREEN": "1", "BLUE": "200"}


def test_a_program_tells_what_it_takes(browser):
    told = browser.run(
        given(browser, "salaries")
        + """
        const text = new TextEncoder().encode(".data a\\n LOAD R0, a\\n STORE R0, a");
        const other = new bc.Program(text, { name: "a.hea" });
        return { variables: program.variables, functions: program.functions, other: other.variables };
        """
    )
    variables = {own["name"]: own for own in told["variables"]}
    assert {"salary", "count", "total", "highest", "mean"} <= set(variables)
    salary = variables["salary"]
    assert (salary["type"], salary["shape"], salary["bits"], salary["signed"]) == ("u32[8]", [8], 32, False)
    assert salary["global"] and not salary["secret"] and not salary["output"]
    assert "main" in [own["name"] for own in told["functions"]]
    assert [own["name"] for own in told["other"] if own["name"] == "a"] == ["a"]


def test_the_module_asks_for_nothing_and_keeps_nothing(browser, relay):
    """But for its own files: in the network's log, on the wire, and in the browser's stores."""
    made = browser.run(
        given(browser, "salaries")
        + """
        const key = await bc.Key.generate();
        await key.serverKey();
        key.encrypt(program, args[0]);
        const wrapped = await key.wrap("correct horse");
        await bc.Key.unwrap(wrapped, "correct horse");
        return {
            secret: hex(key.toBytes()), stores: localStorage.length + sessionStorage.length,
            databases: (await indexedDB.databases()).length, cookies: document.cookie,
            caches: (await caches.keys()).length,
        };
        """,
        SALARIES,
    )
    assert (made["stores"], made["databases"], made["cookies"], made["caches"]) == (0, 0, "", 0)
    requests, console = browser.logs()
    others = [own["url"] for own in requests if not own["url"].startswith(browser.origin + "/")]
    assert others == []
    paths = {own["url"].removeprefix(browser.origin) for own in requests}
    assert "/worker.js" in paths and "/blindcore_bg.wasm" in paths
    assert all("postData" not in own and not own.get("hasPostData") for own in requests)
    sent = b"".join(relay.bytes_sent())
    assert b"GET /programs/salaries.elf" in sent
    assert b"PUT" not in sent and b"POST" not in sent
    refused = [own for own in console if "Content Security Policy" in own["message"]]
    assert refused == []


def test_a_key_that_is_freed_leaves_nothing_in_memory(browser):
    """In the module's own memory: it is looked through for pieces of the key's file."""
    browser.driver.execute_script(
        """
        const instantiate = WebAssembly.instantiate;
        window.memories = [];
        WebAssembly.instantiate = async (...given) => {
            const made = await instantiate(...given);
            memories.push((made.instance ?? made).exports.memory);
            return made;
        };
        """
    )
    found = browser.run(
        """
        const text = (bytes) => new TextDecoder("latin1").decode(bytes);
        const made = await bc.Key.generate();
        const secret = made.toBytes();
        const pieces = [];
        // Behind the header, which is no secret.
        for (let at = 100; at + 16 <= secret.length; at += 16) pieces.push(text(secret.subarray(at, at + 16)));
        const count = () => {
            const memory = text(new Uint8Array(memories[0].buffer));
            return pieces.filter((piece) => new Set(piece).size > 7 && memory.includes(piece)).length;
        };
        const wrapped = await made.wrap("correct horse");
        const opened = await bc.Key.unwrap(wrapped, "correct horse");
        bc.inspect(secret);
        const again = bc.Key.fromBytes(secret);
        const behind = bc.Key.fromBytes(made.toBytes("correct horse"), "correct horse");
        const keys = [made, opened, again, behind];
        const alive = count();
        for (const key of keys) key.free();
        const freed = count();
        // What is not said to be a secret stays, and would be found.
        bc.blake3(secret);
        return { memories: memories.length, pieces: pieces.length, alive, freed, control: count() };
        """
    )
    assert found["memories"] == 1 and found["pieces"] > 15
    assert found["freed"] == 0, found
    assert found["control"] > 10, found


def test_how_long_it_takes(browser, capsys):
    """Nothing is asserted of times: they are printed."""
    times = browser.run(
        """
        const text = ".data a[250]\\n LOAD R0, a\\n STORE R0, a";
        const program = new bc.Program(new TextEncoder().encode(text), { name: "kilobyte.hea" });
        const took = async (work, times) => {
            let best = Infinity, value;
            for (let time = 0; time < times; time += 1) {
                const began = performance.now();
                value = await work();
                best = Math.min(best, performance.now() - began);
            }
            return [best, value];
        };
        const [secretKey, key] = await took(() => bc.Key.generate(), 3);
        const [serverKey] = await took(() => key.serverKey(), 2);
        const kilobyte = crypto.getRandomValues(new Uint32Array(250));
        const [encrypt, inputs] = await took(() => key.encrypt(program, { a: kilobyte }), 5);
        const friend = key.publicKey();
        const [encryptPublic] = await took(() => friend.encrypt(program, { a: kilobyte }), 3);
        const [decrypt, values] = await took(() => key.decrypt(inputs), 5);
        const [wrap] = await took(() => key.wrap("correct horse"), 1);
        if (values.a.some((word, at) => word !== kilobyte[at])) throw new Error("another answer");
        return { secretKey, serverKey, encrypt, encryptPublic, decrypt, wrap, bytes: inputs.length };
        """
    )
    size = (PAGE / "blindcore_bg.wasm").stat().st_size
    with capsys.disabled():
        print(f"\n{size} bytes of wasm;", ", ".join(f"{name} {value:.1f}" for name, value in times.items()), "(ms)")
