// The page: from a program to an answer.
import init, { Program, blake3 } from "./blindcore.js";
import { ValueForm } from "./form.js";
import { Jobs } from "./jobs.js";
import { Keyring } from "./keyring.js";
import { Operator, facts } from "./operator.js";
import { Server, ServerError, patiently } from "./server.js";
import { bytesInWords, element, find, plural, say, secondsInWords } from "./view.js";

const PROGRAM_LIMIT = 64 * 1024 * 1024;
/** The second part of the server's key, 61 MB, is made and sent for jobs that take so much less with it. */
const WORTHWHILE = 0.8;
/** A bootstrap that makes selectors takes as long as so many others more (docs/http.md). */
const MAKING_SELECTORS = 1.9;

const server = new Server();
const form = new ValueForm(find("fields"));
const trouble = (text) => say(find("trouble"), text);
let keyring;
let jobs;
/** The program that was chosen: its bytes, and what of it is given and wanted. */
let chosen = null;
let working = false;

function ready() {
  const all = chosen !== null && keyring.key !== null && !working;
  find("submit").disabled = find("plan").disabled = !all;
}

async function connect() {
  const about = await server.about();
  find("login-card").hidden = true;
  find("app").hidden = false;
  find("connection").textContent = `Connected as ${about.client}`;
  const select = find("programs");
  const programs = await server.programs();
  select.replaceChildren(
    element("option", { value: "" }, programs.length > 0 ? "Choose…" : "This server offers none"),
    ...programs.map(({ name, length }) => element("option", { value: name }, `${name} (${bytesInWords(length)})`)),
  );
  jobs.refresh();
  if (about.operator) new Operator(server).begin();
}

async function begin() {
  await init();
  keyring = new Keyring(ready);
  jobs = new Jobs(server, keyring, trouble);
  find("login").onsubmit = async (event) => {
    event.preventDefault();
    server.token = find("token").value;
    try {
      await connect();
      find("token").value = "";
      say(find("login-message"), "");
    } catch (error) {
      say(find("login-message"), error.status === 401 ? "The server does not know this token." : error.message, "error");
      find("token").select();
    }
  };
  find("programs").onchange = () => load(find("programs").value, () => server.program(find("programs").value));
  find("program-file").onchange = () => {
    const [file] = find("program-file").files;
    if (file === undefined) return;
    find("programs").value = "";
    load(file.name, async () => {
      if (file.size > PROGRAM_LIMIT) throw new Error(`${file.name}: it is too long for a program`);
      return new Uint8Array(await file.arrayBuffer());
    });
  };
  find("values").onsubmit = (event) => {
    event.preventDefault();
    run(submit);
  };
  find("plan").onclick = () => run(plan);
  // Whoever has a certificate needs no token.
  try {
    await connect();
  } catch (error) {
    find("login-card").hidden = false;
    if (error.status !== 401) say(find("login-message"), error.message, "error");
    find("token").focus();
  }
}

async function load(name, read) {
  const message = find("program-message");
  chosen?.program.free();
  chosen = null;
  ready();
  find("program-details").hidden = true;
  form.show([]);
  say(message, name === "" ? "" : "A moment…");
  if (name === "") return;
  try {
    const program = new Program(await read(), { name });
    const { variables } = program;
    const marked = variables.filter((own) => own.secret);
    // A source that marks nothing leaves the choice to whoever fills in the form.
    const given = marked.length > 0 ? marked : variables.filter((own) => own.global && !own.output);
    const wanted = variables.filter((own) => own.output);
    chosen = { name, program, variables, given: new Set(given.map((own) => own.name)) };
    find("job-name").value = name.replace(/\.(elf|hea)$/, "");
    find("branches").value = "refuse";
    const names = variables.map((own) => own.name);
    choices("given", names, (own) => chosen.given.has(own), () => {
      chosen.given = new Set(checked("given"));
      fields();
    });
    choices("wanted", names, (own) => wanted.some((output) => output.name === own));
    find("program-details").hidden = false;
    fields();
    say(message, marked.length > 0 ? "" : "Fill in what the program reads, and leave the rest empty.");
  } catch (error) {
    chosen = null;
    say(message, error.message, "error");
  }
  ready();
}

const fields = () => form.show(chosen.variables.filter((own) => chosen.given.has(own.name)));

function choices(id, names, isChecked, onchange) {
  const made = names.map((name) => {
    const box = element("input", { type: "checkbox", value: name, checked: isChecked(name), onchange });
    return element("label", {}, box, name);
  });
  find(id).replaceChildren(...made);
}

const checked = (id) => [...find(id).querySelectorAll("input:checked")].map((box) => box.value);

function step(text, part) {
  find("work").hidden = false;
  find("work-text").textContent = text;
  if (part === undefined) find("work-bar").removeAttribute("value");
  else find("work-bar").value = part;
}

/** Does something long with what is in the form, once at a time. */
async function run(work) {
  if (working) return;
  const message = find("values-message");
  const values = form.values();
  if (values === null) return;
  working = true;
  ready();
  say(message, "");
  find("server-plan").hidden = true;
  try {
    await work(values, message);
  } catch (error) {
    const named = error.kind === "input" && form.blame(error.message);
    say(message, named ? "One of the values does not fit." : error.message, "error");
  } finally {
    working = false;
    find("work").hidden = true;
    ready();
  }
}

/** Encrypts, sends what the server lacks of it, and says what a plan is made of. */
async function prepare(key, values) {
  step("Encrypting");
  const inputs = key.encrypt(chosen.program, values);
  const program = { kind: "program", bytes: chosen.program.bytes, what: "the program" };
  const given = { kind: "inputs", bytes: inputs, what: "the encrypted data" };
  for (const blob of [program, given]) blob.hash = blake3(blob.bytes);
  const task = { program: program.hash, inputs: given.hash, branches: find("branches").value };
  const wanted = checked("wanted");
  if (wanted.length > 0) task.outputs = wanted;
  await send([program, given]);
  return task;
}

const waiting = (seconds, error) => step(`${error.message} Trying again in ${plural(seconds, "second")}…`);

/** Sends what the server lacks. */
async function send(blobs) {
  const missing = new Set(await patiently(() => server.missing(blobs.map((own) => own.hash)), waiting));
  for (const { hash, kind, bytes, what } of blobs.filter((own) => missing.has(own.hash))) {
    const text = `Sending ${what}, ${bytesInWords(bytes.length)}`;
    step(text, 0);
    await patiently(() => server.upload(hash, kind, bytes, (part) => step(text, part)), waiting);
  }
}

/** A key for the server, which is made, and sent, unless the server has it: its hash. */
async function delivered(kind, key, what) {
  for (;;) {
    const part = await keyring.part(kind, key, (done) => step(`Making ${what}`, done));
    if (part.bytes === null) {
      const missing = await patiently(() => server.missing([part.hash]), waiting);
      if (missing.length === 0) return part.hash;
      // A server that forgot it gets another one.
      keyring.forgetPart(part);
      continue;
    }
    await send([{ ...part, what }]);
    // The server has the bytes: the hash will do.
    part.bytes = null;
    return part.hash;
  }
}

/**
 * What the job takes there, and whether with the second part of the server's key: where that saves so much
 * that it is worth its length.
 */
async function plans(task, tries) {
  step("Planning");
  const ask = (with_selectors) => patiently(() => server.plan({ ...task, with_selectors }), waiting, tries);
  const alone = await ask(false);
  // What will not run gains nothing.
  const both = alone.findings?.length > 0 ? null : await ask(true).catch(unlessOurs);
  const work = ({ bootstraps, selectors }) => bootstraps + MAKING_SELECTORS * selectors;
  const withSelectors = both?.selectors > 0 && work(both) < WORTHWHILE * work(alone);
  return { found: withSelectors ? both : alone, withSelectors };
}

/** What the server refuses is no reason to stop; a mistake of this page is. */
function unlessOurs(error) {
  if (!(error instanceof ServerError)) throw error;
  return null;
}

async function submit(values, message) {
  const name = find("job-name").value.trim() || chosen.name;
  const { key } = keyring;
  const task = await prepare(key, values);
  // What cannot be planned now runs without, and is told what stands in its way when it runs.
  const planned = await plans(task, 1).catch(unlessOurs);
  task.key = await delivered("server_key", key, "the key that the server computes with");
  if (planned?.withSelectors) {
    const selectors = await delivered("selector_key", key, "the second part of that key").catch(unlessOurs);
    if (selectors !== null) task.selectors = selectors;
  }
  step("Submitting");
  // With a number of its own the job is the same one, however often it is sent.
  const number = crypto.getRandomValues(new Uint8Array(16));
  const requestId = [...number].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  await patiently(() => server.submit({ ...task, name, request_id: requestId }), waiting);
  await jobs.refresh();
  say(message, "Submitted. The answer will be among the jobs.", "good");
}

async function plan(values) {
  const { found } = await plans(await prepare(keyring.key, values));
  const known = (value, words) => (typeof value === "number" ? words(value) : "unknown");
  const lines = [...(found.lines ?? [])].sort((one, other) => other.bootstraps - one.bootstraps).slice(0, 20);
  const table = element(
    "div",
    { className: "scroll" },
    element(
      "table",
      {},
      element("caption", {}, "Where the time goes"),
      element(
        "thead",
        {},
        element("tr", {}, element("th", { scope: "col" }, "Line"), element("th", { scope: "col" }, "Function"), element("th", { scope: "col", className: "number" }, "Bootstraps")),
      ),
      element("tbody", {}, ...lines.map(lineRow)),
    ),
  );
  find("server-plan").replaceChildren(
    element(
      "dl",
      { className: "facts" },
      ...facts([
        ["Time there", known(found.seconds, secondsInWords)],
        ["Memory", known(found.memory_bytes, bytesInWords)],
        ["Bootstraps", known(found.bootstraps, (value) => value.toLocaleString("en"))],
        ["In a row", known(found.depth, (value) => value.toLocaleString("en"))],
      ]),
    ),
    ...(found.findings ?? []).map(({ text }) => element("p", { className: "field-error" }, text)),
    ...(lines.length > 0 ? [table] : []),
  );
  find("server-plan").hidden = false;
}

function lineRow({ file, line, function: inFunction, bootstraps }) {
  const place = file ? `${file.split("/").at(-1)}:${line}` : "–";
  return element(
    "tr",
    {},
    element("td", {}, place),
    element("td", {}, inFunction ?? "–"),
    element("td", { className: "number" }, bootstraps.toLocaleString("en")),
  );
}

begin().catch((error) => trouble(`The page cannot start: ${error.message}`));
