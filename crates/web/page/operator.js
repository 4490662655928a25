// What `blindcore top` shows, of all clients: for the operator of a server.
import { ended, part } from "./jobs.js";
import { bytesInWords, element, find, secondsInWords, timeOfDay } from "./view.js";

const PERIOD = 2_000;

export function facts(pairs) {
  return pairs.flatMap(([name, value]) => [
    element("div", {}, element("dt", {}, name), element("dd", {}, value)),
  ]);
}

export class Operator {
  #server;

  constructor(server) {
    this.#server = server;
  }

  async begin() {
    find("operator").hidden = false;
    for (;;) {
      if (!document.hidden) {
        try {
          const [about, jobs] = await Promise.all([this.#server.about(), this.#server.operatorJobs()]);
          this.#show(about, jobs);
        } catch {
          // The list of jobs says what is wrong with the connection.
        }
      }
      await new Promise((resolve) => setTimeout(resolve, PERIOD));
    }
  }

  #show(about, jobs) {
    const running = jobs.filter((job) => job.state === "running");
    const rate = running.reduce((sum, job) => sum + (job.nodes_per_second ?? 0), 0);
    find("operator-facts").replaceChildren(
      ...facts([
        ["Version", about.version],
        ["Threads", String(about.threads)],
        ["Running", String(about.running)],
        ["Queued", String(about.queued)],
        ["Operations/s", Math.round(rate).toLocaleString("en")],
        ["Used here", bytesInWords(about.used?.bytes ?? 0)],
        ["Accepts jobs", about.draining ? "no: it ends when these have" : "yes"],
      ]),
    );
    // What moves comes first.
    const sorted = [...jobs].sort((one, other) => Number(ended(one)) - Number(ended(other)));
    find("operator-jobs").replaceChildren(...sorted.map(row));
  }
}

function row(job) {
  const done = part(job);
  const bar = element("progress", { max: 1, "aria-label": `Progress of ${job.name || job.id}` });
  if (done !== null) bar.value = done;
  const number = (text) => element("td", { className: "number" }, text);
  const state = element("span", { className: "state" }, job.state);
  state.dataset.state = job.state;
  return element(
    "tr",
    {},
    element("td", {}, job.client),
    element("td", {}, job.name || job.id.slice(0, 8)),
    element("td", {}, state),
    element("td", {}, ended(job) ? "" : bar),
    number(job.state === "running" ? Math.round(job.nodes_per_second ?? 0).toLocaleString("en") : ""),
    number(typeof job.seconds_left === "number" && !ended(job) ? secondsInWords(job.seconds_left) : ""),
    number(job.threads ? String(job.threads) : ""),
    number(job.run_seconds ? secondsInWords(job.run_seconds) : ""),
    number(timeOfDay(job.accepted_at)),
  );
}
