// Elements, and numbers in words.

/** An element with properties, attributes (where the name has a dash, or is `role` or `for`) and children. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name.includes("-") || name === "role" || name === "for" || name === "scope") {
      made.setAttribute(name, value);
    } else if (name.startsWith("on")) {
      made.addEventListener(name.slice(2), value);
    } else {
      made[name] = value;
    }
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export const find = (id) => document.getElementById(id);

export const plural = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

export function bytesInWords(bytes) {
  if (bytes < 1000) return plural(bytes, "byte");
  const units = ["kB", "MB", "GB", "TB"];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function secondsInWords(seconds) {
  if (seconds < 0.95) return `${Math.max(1, Math.round(seconds * 1000))} ms`;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}

export function timeOfDay(milliseconds) {
  if (!milliseconds) return "–";
  return new Date(milliseconds).toLocaleTimeString("en-GB");
}

/** A decrypted value for people. */
export function shown(value) {
  if (typeof value === "string") return JSON.stringify(value);
  if (ArrayBuffer.isView(value)) return [...value].join(", ");
  if (Array.isArray(value)) {
    return value.some((part) => typeof part === "object")
      ? value.map((part) => `[${shown(part)}]`).join("\n")
      : value.map(shown).join(", ");
  }
  return String(value);
}

/** Gives bytes to the user as a file. */
export function download(bytes, name) {
  const address = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Says something to whoever looks and to whoever listens. `kind` is "error", "good" or nothing. */
export function say(place, text, kind = "") {
  place.textContent = text;
  place.dataset.kind = kind;
  place.hidden = text === "";
}
