// This client's jobs: how far they are, and their answers.
import { inspect } from "./blindcore.js";
import { element, find, plural, say, secondsInWords, shown, timeOfDay } from "./view.js";

const ENDED = new Set(["done", "failed", "cancelled"]);
/** How often the list is looked at, in milliseconds: while something runs, and otherwise. */
const PERIODS = { busy: 2_000, idle: 15_000 };
/** Longest pause before a lost connection is tried again, in seconds. */
const PAUSE_LIMIT = 10;

/** The server's words are those of the command line; what they mean here. */
const ADVICE = { SECRET: "\n\nIn this page: open the choices of the program, and execute both paths." };

export const ended = (job) => ENDED.has(job.state);

/** What is done of a job, up to 1; `null` where nobody knows. */
export function part(job) {
  if (job.state === "done") return 1;
  if (job.state === "queued" || !job.nodes_planned) return null;
  return Math.min(job.nodes / job.nodes_planned, 1);
}

export class Jobs {
  #server;
  #keyring;
  #trouble;
  #entries = new Map();
  #timer = null;
  /** The job whose events this tab gets: one, since browsers have few connections to a server. */
  #watched = null;

  constructor(server, keyring, trouble) {
    this.#server = server;
    this.#keyring = keyring;
    this.#trouble = trouble;
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.refresh();
    });
  }

  /** Looks at the list, now and from now on. */
  async refresh() {
    clearTimeout(this.#timer);
    let busy = true;
    try {
      const jobs = await this.#server.jobs();
      this.#trouble("");
      this.#show(jobs);
      busy = jobs.some((job) => !ended(job));
      const next = jobs.find((job) => !ended(job));
      if (next && this.#watched === null) this.#watch(next.id);
    } catch (error) {
      this.#trouble(error.message);
    }
    clearTimeout(this.#timer);
    const period = document.hidden || !busy ? PERIODS.idle : PERIODS.busy;
    this.#timer = setTimeout(() => this.refresh(), period);
  }

  /** Follows a job's events until it ends, through lost connections. */
  async #watch(id) {
    this.#watched = id;
    let over = false;
    for (let attempt = 0; !over && this.#watched === id; ) {
      try {
        await this.#server.watch(id, (job) => {
          attempt = 0;
          this.#trouble("");
          this.#update(job);
          over = ended(job);
        });
      } catch (error) {
        if (!error.passes) break;
        this.#trouble(`${error.message} Trying again…`);
      }
      if (over) break;
      attempt += 1;
      await new Promise((resolve) => setTimeout(resolve, Math.min(2 ** attempt / 2, PAUSE_LIMIT) * 1000));
    }
    if (this.#watched === id) this.#watched = null;
    this.refresh();
  }

  #show(jobs) {
    const list = find("jobs");
    find("jobs-empty").hidden = jobs.length > 0;
    const there = new Set(jobs.map((job) => job.id));
    for (const [id, { item }] of this.#entries) {
      if (!there.has(id)) {
        item.remove();
        this.#entries.delete(id);
      }
    }
    let before = null;
    for (const job of jobs) {
      const { item } = this.#update(job);
      const place = before === null ? list.firstElementChild : before.nextElementSibling;
      if (place !== item) list.insertBefore(item, place);
      before = item;
    }
  }

  #entry(id) {
    let entry = this.#entries.get(id);
    if (entry !== undefined) return entry;
    const title = element("span");
    const state = element("span", { className: "state" });
    const bar = element("progress", { max: 1 });
    const words = element("p", { className: "hint" });
    const message = element("p", { className: "message", role: "status", hidden: true });
    const answer = element("div", { className: "scroll", hidden: true });
    const buttons = element("div", { className: "buttons" });
    const heading = element("h3", {}, title, state);
    const item = element("li", { className: "job" }, heading, bar, words, message, answer, buttons);
    item.dataset.id = id;
    entry = { item, title, state, bar, words, message, answer, buttons, stateShown: null, job: null };
    this.#entries.set(id, entry);
    return entry;
  }

  #update(job) {
    const entry = this.#entry(job.id);
    // A list that was asked for before the last event came tells less.
    if (entry.job !== null && ended(entry.job) && !ended(job)) return entry;
    entry.job = job;
    entry.title.textContent = job.name || `job ${job.id.slice(0, 8)}`;
    entry.state.textContent = job.state;
    entry.state.dataset.state = job.state;
    const done = part(job);
    entry.bar.hidden = ended(job);
    if (done === null) entry.bar.removeAttribute("value");
    else entry.bar.value = done;
    entry.bar.setAttribute("aria-label", `Progress of ${entry.title.textContent}`);
    entry.words.textContent = this.#inWords(job, done);
    if (job.error) say(entry.message, `${job.error.message}${ADVICE[job.error.code] ?? ""}`, "error");
    if (entry.stateShown !== job.state) {
      entry.stateShown = job.state;
      entry.buttons.replaceChildren(...this.#buttons(job, entry));
    }
    return entry;
  }

  #inWords(job, done) {
    const words = [];
    if (job.state === "queued") words.push(job.ahead > 0 ? `${plural(job.ahead, "job")} before it` : "next in the queue");
    if (job.state === "running") {
      if (done !== null) words.push(`${Math.floor(done * 100)} %`);
      if (typeof job.seconds_left === "number") words.push(`${secondsInWords(job.seconds_left)} left`);
      if (job.nodes_per_second > 0) words.push(`${plural(Math.round(job.nodes_per_second), "operation")} a second`);
    }
    if (job.state === "waiting") words.push("it asks its key's owner a question; answer it with `blindcore attend`");
    if (ended(job)) {
      words.push(`ended at ${timeOfDay(job.ended_at)}`);
      if (job.run_seconds > 0) words.push(`ran for ${secondsInWords(job.run_seconds)}`);
    } else {
      words.push(`accepted at ${timeOfDay(job.accepted_at)}`);
    }
    return words.join(" · ");
  }

  #buttons(job, entry) {
    const button = (text, act, primary = false) =>
      element("button", {
        type: "button",
        className: primary ? "primary" : "",
        "aria-label": `${text}: ${entry.title.textContent}`,
        onclick: async ({ currentTarget }) => {
          currentTarget.disabled = true;
          try {
            await act();
          } catch (error) {
            say(entry.message, error.message, "error");
          } finally {
            currentTarget.disabled = false;
          }
        },
      }, text);
    if (!ended(job)) {
      return [button("Cancel", async () => this.#update(await this.#server.cancel(job.id)))];
    }
    const forget = button("Forget", async () => {
      await this.#server.forget([job.id]);
      await this.refresh();
    });
    return job.state === "done" ? [button("Decrypt the answer", () => this.#decrypt(job, entry), true), forget] : [forget];
  }

  async #decrypt(job, entry) {
    const { key } = this.#keyring;
    if (key === null) throw new Error("There is no key in this page. Open the one that the data was encrypted with.");
    const outputs = await this.#server.outputs(job.id);
    const owner = inspect(outputs).key;
    if (owner !== key.id) {
      throw new Error(`The answer belongs to key ${owner}, and this page has key ${key.id}. Open that one.`);
    }
    const values = Object.entries(key.decrypt(outputs));
    const rows = values.map(([name, value]) =>
      element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, shown(value))),
    );
    const caption = element("caption", {}, "The answer, which only you can read");
    entry.answer.replaceChildren(element("table", { className: "answer" }, caption, element("tbody", {}, ...rows)));
    entry.answer.hidden = false;
    say(entry.message, "");
  }
}
