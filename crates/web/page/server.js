// The server's calls over HTTP. It is told a token and sends it with each of them; nothing is kept
// but in memory.

/** What the server says in refusing, or that it cannot be reached (status 0). */
export class ServerError extends Error {
  constructor(message, code, status, retryAfter) {
    super(message);
    this.name = "ServerError";
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
  }

  /** Whether to try the same again may help. */
  get passes() {
    return this.status === 0 || this.status === 503 || (this.status === 429 && this.retryAfter > 0);
  }
}

const unreachable = () =>
  new ServerError("The server cannot be reached. Is it running, and are you online?", "UNAVAILABLE", 0);

async function refusal(status, text, header) {
  const retryAfter = Number(header("Retry-After") ?? 0);
  try {
    const { error } = JSON.parse(text);
    return new ServerError(error.message, error.code, status, retryAfter);
  } catch {
    return new ServerError(`The server refuses with status ${status}.`, "UNKNOWN", status, retryAfter);
  }
}

export class Server {
  #token = "";

  set token(token) {
    this.#token = token.trim();
  }

  get #headers() {
    return this.#token === "" ? {} : { Authorization: `Bearer ${this.#token}` };
  }

  async #call(method, path, { body, signal, accept } = {}) {
    const headers = { ...this.#headers };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (accept !== undefined) headers.Accept = accept;
    let response;
    try {
      response = await fetch(`/v1/${path}`, {
        method,
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
        signal,
        cache: "no-store",
        credentials: "same-origin",
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw unreachable();
    }
    if (!response.ok) {
      const text = await response.text().catch(() => "");
      throw await refusal(response.status, text, (name) => response.headers.get(name));
    }
    return response;
  }

  async #json(method, path, options) {
    const response = await this.#call(method, path, options);
    try {
      return await response.json();
    } catch {
      throw unreachable();
    }
  }

  async #bytes(path) {
    const response = await this.#call("GET", path);
    try {
      return new Uint8Array(await response.arrayBuffer());
    } catch {
      throw unreachable();
    }
  }

  about = () => this.#json("GET", "about");
  programs = async () => (await this.#json("GET", "programs")).programs;
  program = (name) => this.#bytes(`programs/${encodeURIComponent(name)}`);
  missing = async (hashes) => (await this.#json("POST", "missing", { body: { blake3: hashes } })).blake3;
  plan = (task) => this.#json("POST", "plan", { body: task });
  submit = (task) => this.#json("POST", "jobs", { body: task });
  jobs = async () => (await this.#json("GET", "jobs?limit=100")).jobs;
  job = (id) => this.#json("GET", `jobs/${id}`);
  cancel = (id) => this.#json("POST", `jobs/${id}/cancel`);
  outputs = (id) => this.#bytes(`jobs/${id}/outputs`);
  forget = (jobs, blobs = []) => this.#json("POST", "forget", { body: { jobs, blobs } });
  operatorJobs = async () => (await this.#json("GET", "operator/jobs")).jobs;

  /** Sends bytes; `onProgress` gets a number up to 1. (`fetch` does not say how far it is.) */
  upload(hash, kind, bytes, onProgress) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("PUT", `/v1/blobs/${hash}?kind=${kind}`);
      request.setRequestHeader("Content-Type", "application/octet-stream");
      for (const [name, value] of Object.entries(this.#headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded, total }) => onProgress?.(loaded / Math.max(total, 1));
      request.onerror = () => reject(unreachable());
      request.onload = async () => {
        if (request.status >= 200 && request.status < 300) resolve();
        else reject(await refusal(request.status, request.responseText, (name) => request.getResponseHeader(name)));
      };
      request.send(bytes);
    });
  }

  /**
   * Watches a job until it ends: `onStatus` gets each status. Returns when the stream is over, be it
   * because the job has ended or because the connection has.
   */
  async watch(id, onStatus, signal) {
    const response = await this.#call("GET", `jobs/${id}/events`, { signal, accept: "text/event-stream" });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      let part;
      try {
        part = await reader.read();
      } catch (error) {
        if (signal?.aborted) throw error;
        return;
      }
      if (part.done) return;
      text += part.value.replaceAll("\r\n", "\n");
      let end;
      while ((end = text.indexOf("\n\n")) >= 0) {
        const lines = text.slice(0, end).split("\n");
        text = text.slice(end + 2);
        const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trimStart());
        if (data.length > 0) onStatus(JSON.parse(data.join("\n")));
      }
    }
  }
}

/** Does work again, later and later, while the failure is one that passes; `onWait` gets the seconds. */
export async function patiently(work, onWait, tries = 8) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ServerError) || !error.passes || attempt + 1 >= tries) throw error;
      const seconds = error.retryAfter > 0 ? Math.min(error.retryAfter, 60) : Math.min(2 ** attempt, 10);
      onWait?.(seconds, error);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    }
  }
}
