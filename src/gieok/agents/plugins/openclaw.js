// Gieok as OpenClaw's memory: memory_search and memory_get, answered by the gieok command, and what `gieok hook` puts before a
// prompt. Written by `gieok install openclaw`.
import { execFile, spawn } from "node:child_process";
import { homedir } from "node:os";

const GIEOK = ["gieok"];
const ENVIRONMENT = {};
const TIMEOUT_MS = 30_000;
const HOOK_TIMEOUT_MS = { "session-start": 8_000, prompt: 4_000 };
const MOST_MS = 13_000; // OpenClaw's own limit is 15 s
const UNATTENDED = /(^|:)(cron|hook|heartbeat|dreaming|subagent|internal)(:|$)/; // sessions and triggers without a person

/** Run gieok and return what it prints; "nothing found" is exit status 1 with an answer. */
function gieok(...words) {
  const [program, ...first] = GIEOK;
  const options = { env: { ...process.env, ...ENVIRONMENT }, timeout: TIMEOUT_MS, maxBuffer: 32_000_000 };
  return new Promise((resolve, reject) => {
    execFile(program, [...first, ...words], options, (failure, stdout) => {
      try {
        const answer = JSON.parse(stdout);
        answer.error ? reject(new Error(`${answer.error.message} (${answer.error.hint})`)) : resolve(answer);
      } catch {
        reject(failure ?? new Error("gieok printed no JSON"));
      }
    });
  });
}

async function search(scope, { query, maxResults, minScore, corpus }) {
  const words = ["search", "--json", "--scope", scope, "--limit", String(maxResults ?? 0)];
  if (minScore !== undefined) words.push("--min-score", String(minScore));
  if (corpus === "memory" || corpus === "sessions") words.push("--source", corpus);
  try {
    await gieok("index", "--json", "--scope", scope); // a flush may just have written a file
    const found = await gieok(...words, "--", query);
    const results = found.results.map((hit) => ({
      path: hit.path, startLine: hit.start_line, endLine: hit.end_line, score: hit.score,
      snippet: hit.snippet, source: hit.source, citation: hit.citation,
    }));
    return { results, provider: "gieok", citations: "auto", ...(found.degraded ? { warning: found.degraded } : {}) };
  } catch (failure) {
    const action = "run `gieok doctor`, and `gieok import openclaw` if nothing was indexed yet";
    return { results: [], disabled: true, unavailable: true, error: String(failure.message), warning: "memory is unavailable", action };
  }
}

async function get(scope, { path, from, lines }) {
  const range = from ? `:${from}${lines ? `-${from + lines - 1}` : ""}` : "";
  try {
    const read = await gieok("get", "--json", "--scope", scope, "--", `${path}${range}`);
    return read.status === "ok" ? { ...read, path } : { status: "not_found", text: "", path };
  } catch (failure) {
    return { status: "error", code: "gieok", error: String(failure.message) };
  }
}

function tool(name, description, properties, required, answer) {
  return {
    name, label: name, description,
    parameters: { type: "object", properties, required, additionalProperties: false },
    async execute(_id, args) {
      const details = await answer(args);
      return { content: [{ type: "text", text: JSON.stringify(details) }], details };
    },
  };
}

function tools(context) {
  const scope = `agent:${context?.agentId ?? "main"}`;
  return [
    tool("memory_search", "Find the lines of memory files (and transcripts) that answer a question, in Korean or English.", {
      query: { type: "string" }, maxResults: { type: "integer", minimum: 1 }, minScore: { type: "number" },
      corpus: { type: "string", enum: ["memory", "sessions", "all"] },
    }, ["query"], (args) => search(scope, args)),
    tool("memory_get", "Read a memory file, or lines of it, as it is on disk.", {
      path: { type: "string" }, from: { type: "integer", minimum: 1 }, lines: { type: "integer", minimum: 1 },
    }, ["path"], (args) => get(scope, args)),
  ];
}

/** Run a hook and return the text for the model; "" where it fails: memory never stands between a user and their agent. */
function hook(event, payload) {
  const [program, ...first] = GIEOK;
  const options = { env: { ...process.env, ...ENVIRONMENT }, stdio: ["pipe", "pipe", "ignore"], timeout: HOOK_TIMEOUT_MS[event] };
  return new Promise((resolve) => {
    const child = spawn(program, [...first, "hook", event, "--agent", "openclaw"], options);
    let answer = "";
    child.stdout.setEncoding("utf8").on("data", (text) => { answer += text; });
    child.stdin.on("error", () => {});
    child.on("error", () => resolve(""));
    child.on("close", () => {
      try { resolve(JSON.parse(answer).additional_context ?? ""); } catch { resolve(""); }
    });
    child.stdin.end(JSON.stringify(payload));
  });
}

const MOST_SESSIONS = 50;
const starts = new Map(); // what a session began with: OpenClaw stores no context, so every turn gets it, in the same bytes

/** Put what a session begins with behind the system prompt, and what is remembered about a prompt before it. */
async function recall({ prompt, messages }, context) {
  if (UNATTENDED.test(context?.sessionKey ?? "") || UNATTENDED.test(context?.trigger ?? "")) return undefined;
  const session = context?.sessionId ?? "";
  const payload = {
    session_id: session, agent_id: context?.agentId ?? "main", cwd: context?.workspaceDir ?? homedir(),
    hook_event_name: "before_prompt_build",
  };
  const isFirst = !(messages ?? []).some((message) => message?.role === "assistant"); // also behind /new and /reset
  if (isFirst || !starts.has(session)) {
    starts.delete(session);
    starts.set(session, await hook("session-start", payload));
    if (starts.size > MOST_SESSIONS) starts.delete(starts.keys().next().value);
  }
  const found = await hook("prompt", { ...payload, prompt: String(prompt ?? "") });
  const start = starts.get(session);
  return { ...(start && { appendSystemContext: start }), ...(found && { prependContext: found }) };
}

export default {
  id: "gieok-memory",
  name: "Gieok memory",
  description: "Memory files searched by Gieok, on this machine",
  kind: "memory",
  register(api) {
    api.registerTool((context) => tools(context), { names: ["memory_search", "memory_get"] });
    api.on?.("before_prompt_build", recall, { timeoutMs: MOST_MS });
  },
};
