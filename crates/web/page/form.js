// A form made of a program's variables, and the values that were typed into it.
import { element } from "./view.js";

/** Variables that a form has a field for: those of known types, structures by their fields. */
function leavesOf(variable) {
  return variable.fields?.length > 0 ? variable.fields : [variable];
}

const rangeOf = ({ bits, signed }) =>
  signed ? [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n] : [0n, 2n ** BigInt(bits) - 1n];

function hint(leaf) {
  const count = leaf.shape.reduce((product, length) => product * length, 1);
  if (leaf.element === "character" && leaf.shape.length === 1) return `text, up to ${count} letters`;
  const what = {
    integer: () => {
      const [least, most] = rangeOf(leaf);
      return leaf.bits <= 32 ? `${least.toLocaleString("en")} to ${most.toLocaleString("en")}` : `${leaf.bits} bits`;
    },
    boolean: () => "true or false",
    float: () => "a number",
    character: () => "a letter",
    raw: () => "bytes, 0 to 255",
  }[leaf.element]();
  if (leaf.shape.length === 0) return what;
  const first = leaf.shape.length === 1 ? `up to ${count}` : `${leaf.shape.join(" × ")}, a row on each line`;
  return `${first}; each ${what}; what is not given is 0`;
}

/** One element from what was typed. */
function parsed(leaf, text) {
  const trimmed = text.trim();
  if (leaf.values && Object.hasOwn(leaf.values, trimmed)) return BigInt(leaf.values[trimmed]);
  if (leaf.element === "boolean" && ["true", "false"].includes(trimmed)) return trimmed === "true";
  if (leaf.element === "float") {
    const number = Number(trimmed);
    if (trimmed === "" || Number.isNaN(number)) throw new Error(`“${trimmed}” is no number`);
    return number;
  }
  if (leaf.element === "character") return trimmed;
  try {
    const negative = trimmed.startsWith("-");
    const number = BigInt((negative ? trimmed.slice(1) : trimmed) || "x");
    return negative ? -number : number;
  } catch {
    throw new Error(`“${trimmed}” is no whole number`);
  }
}

const listOf = (text) => text.split(/[\s,;]+/).filter((part) => part !== "");

/** The field of one leaf: its elements, and how to read what is in it; `undefined` if it is empty. */
function field(leaf, id) {
  const described = { id, "aria-describedby": `${id}-hint ${id}-error` };
  const names = leaf.element === "boolean" ? ["true", "false"] : Object.keys(leaf.values ?? {});
  if (leaf.shape.length === 0 && names.length > 0) {
    // Nothing is chosen at first: what is not given may be what the program writes.
    const options = ["", ...names].map((name) => element("option", { value: name }, name));
    const select = element("select", described, ...options);
    return { input: select, read: () => (select.value === "" ? undefined : parsed(leaf, select.value)) };
  }
  const several = leaf.shape.length > 1;
  const text = element(several ? "textarea" : "input", {
    ...described,
    autocomplete: "off",
    spellcheck: false,
    rows: several ? Math.min(leaf.shape[0], 8) : undefined,
    maxLength: leaf.element === "character" && leaf.shape.length <= 1 ? (leaf.shape[0] ?? 1) : undefined,
    inputMode: leaf.shape.length === 0 && leaf.element === "integer" ? "numeric" : undefined,
  });
  const read = () => {
    if (text.value.trim() === "") return undefined;
    if (leaf.shape.length === 0) return parsed(leaf, text.value);
    if (leaf.element === "character" && leaf.shape.length === 1) return text.value;
    if (leaf.shape.length === 1) return listOf(text.value).map((part) => parsed(leaf, part));
    const lines = text.value.split("\n").filter((line) => line.trim() !== "");
    const rows = lines.map((line) =>
      leaf.element === "character" ? line : listOf(line).map((part) => parsed(leaf, part)),
    );
    if (leaf.shape.length === 2) return rows;
    // Several dimensions on one line: they follow each other as in memory.
    const inner = leaf.shape.slice(1);
    return rows.map((row) => nested(row, inner));
  };
  return { input: text, read };
}

function nested(elements, shape) {
  if (shape.length <= 1) return elements;
  const size = shape.slice(1).reduce((product, length) => product * length, 1);
  const rows = [];
  for (let at = 0; at < elements.length; at += size) rows.push(nested(elements.slice(at, at + size), shape.slice(1)));
  return rows;
}

export class ValueForm {
  #place;
  #fields = new Map();

  constructor(place) {
    this.#place = place;
  }

  /** Shows fields for these variables; what was typed before stays where the name does. */
  show(variables) {
    const before = new Map([...this.#fields].map(([name, { input }]) => [name, input]));
    this.#fields.clear();
    const made = variables.map((variable) => {
      const leaves = leavesOf(variable).map((leaf) => this.#leaf(leaf, before));
      if (!(variable.fields?.length > 0)) return leaves[0];
      return element("fieldset", {}, element("legend", {}, variable.name), ...leaves);
    });
    this.#place.replaceChildren(...made);
  }

  #leaf(leaf, before) {
    const id = `value-${leaf.name.replace(/[^A-Za-z0-9_]/g, "-")}-${this.#fields.size}`;
    const { input, read } = field(leaf, id);
    const old = before.get(leaf.name);
    if (old?.tagName === input.tagName && old.type === input.type) {
      input.value = old.value;
    }
    const error = element("p", { id: `${id}-error`, className: "field-error", hidden: true });
    input.addEventListener("input", () => this.#mark(leaf.name, ""));
    this.#fields.set(leaf.name, { input, read, error });
    const label = element("label", { for: id }, leaf.name, " ", element("code", {}, leaf.type));
    return element(
      "div",
      { className: "field" },
      label,
      input,
      element("p", { id: `${id}-hint`, className: "hint" }, hint(leaf)),
      error,
    );
  }

  #mark(name, message) {
    const { input, error } = this.#fields.get(name);
    error.textContent = message;
    error.hidden = message === "";
    if (message === "") input.removeAttribute("aria-invalid");
    else input.setAttribute("aria-invalid", "true");
  }

  /** The values by name; `null` if one of them cannot be read, which then says why. */
  values() {
    const values = {};
    let wrong = null;
    for (const [name, { read }] of this.#fields) {
      this.#mark(name, "");
      try {
        const value = read();
        if (value !== undefined) values[name] = value;
      } catch (error) {
        this.#mark(name, error.message);
        wrong ??= name;
      }
    }
    if (wrong !== null) {
      this.#fields.get(wrong).input.focus();
      return null;
    }
    return values;
  }

  /** Shows what the library says about a value at its field; whether there is such a field. */
  blame(message) {
    const names = [...this.#fields.keys()].sort((one, other) => other.length - one.length);
    const name = names.find((own) => message.startsWith(`${own}:`) || message.startsWith(`${own} `) || message.startsWith(`${own}[`));
    if (name === undefined) return false;
    this.#mark(name, message);
    this.#fields.get(name).input.focus();
    return true;
  }
}
