// Gieok as OpenClaw's memory: memory_search and memory_get, `openclaw memory status|index|search`, answered by the gieok command,
// and what `gieok hook` puts before a prompt. Written by `gieok install openclaw`.
import { execFile, spawn } from "node:child_process";
import { homedir } from "node:os";

const GIEOK = ["gieok"];
const ENVIRONMENT = {};
const TIMEOUT_MS = 30_000;
// Shorter than other agents' limits: both hooks before a prompt must end within MOST_MS.
const HOOK_TIMEOUT_MS = { "session-start": 8_000, prompt: 4_000, "pre-tool": 2_000 };
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

// gieok: hook.js

function call(event, payload) {
  const [program, ...first] = GIEOK;
  const options = { env: { ...process.env, ...ENVIRONMENT }, timeout: HOOK_TIMEOUT_MS[event] };
  return answerHook(program, [...first, "hook", event, "--agent", "openclaw"], options, payload);
}

function hook(event, payload) {
  return call(event, payload).then(context);
}

/** Stop a tool, or let the person be asked, where the user forbade what it would do. */
async function judge({ toolName, params }, where) {
  const own = { session_id: where?.sessionId ?? "", agent_id: where?.agentId ?? "main", cwd: where?.workspaceDir ?? homedir() };
  const payload = { ...own, hook_event_name: "before_tool_call", tool_name: toolName, tool_input: params };
  const { decision, reason } = await call("pre-tool", payload);
  if (decision === "deny") return { block: true, blockReason: reason };
  if (decision !== "ask") return undefined;
  return { requireApproval: { title: "Gieok", description: reason, severity: "warning", timeoutBehavior: "deny" } };
}

const MOST_SESSIONS = 50;
const compacted = new Set(); // sessions whose context a summary has replaced since their start was told
const starts = new Map(); // what a session began with: OpenClaw stores no context, so every turn gets it, in the same bytes

/** Put what a session begins with behind the system prompt, and what is remembered about a prompt before it. */
async function recall({ prompt, messages }, where) {
  if (UNATTENDED.test(where?.sessionKey ?? "") || UNATTENDED.test(where?.trigger ?? "")) return undefined;
  const session = where?.sessionId ?? "";
  const payload = {
    session_id: session, agent_id: where?.agentId ?? "main", cwd: where?.workspaceDir ?? homedir(),
    hook_event_name: "before_prompt_build",
  };
  const isFirst = !(messages ?? []).some((message) => message?.role === "assistant"); // also behind /new and /reset
  if (isFirst || !starts.has(session)) {
    starts.delete(session);
    const why = compacted.delete(session) ? { source: "compact" } : {};
    starts.set(session, await hook("session-start", { ...payload, ...why }));
    if (starts.size > MOST_SESSIONS) starts.delete(starts.keys().next().value);
  }
  const found = await hook("prompt", { ...payload, prompt: String(prompt ?? "") });
  const start = starts.get(session);
  return { ...(start && { appendSystemContext: start }), ...(found && { prependContext: found }) };
}

/** Let a compacted session begin anew: its next turn is told what the session itself had decided. */
async function forgetStart(_event, where) {
  if (starts.delete(where?.sessionId ?? "")) compacted.add(where.sessionId);
}

/** What OpenClaw asks of whatever holds its memory slot: one manager an agent. */
function manager(agentId) {
  const scope = `agent:${agentId ?? "main"}`;
  let known = { backend: "builtin", provider: "gieok", files: 0, chunks: 0, dirty: true };
  return {
    async load() {
      known = statusOf(await gieok("status", "--json", "--scope", scope));
      return this;
    },
    async search(query, options = {}) {
      const { maxResults, minScore, sources } = options;
      const corpus = sources?.length === 1 ? sources[0] : undefined;
      const found = await search(scope, { query, maxResults, minScore, corpus });
      if (found.error) throw new Error(found.error);
      return found.results;
    },
    async readFile({ relPath, from, lines }) {
      const read = await get(scope, { path: relPath, from, lines });
      return { ...read, path: relPath, text: read.text ?? "" };
    },
    status: () => known,
    async sync({ force } = {}) {
      await gieok("index", "--json", "--scope", scope, ...(force ? ["--force"] : []));
      await this.load();
    },
    probeEmbeddingAvailability: async () => ({ ok: known.vector.available }),
    probeVectorStoreAvailability: async () => known.vector.available,
    probeVectorAvailability: async () => known.vector.available,
    async close() {},
  };
}

/** Say what `gieok status` says in OpenClaw's words. */
function statusOf(told) {
  const hasVectors = told.embedder !== "none" && told.vectors > 0;
  return {
    backend: "builtin", provider: "gieok", model: told.embedder, files: told.documents, chunks: told.passages,
    dirty: told.stale > 0, dbPath: told.location, workspaceDir: told.roots?.[0]?.path, sources: ["memory", "sessions"],
    fts: { enabled: true, available: true },
    vector: { enabled: told.embedder !== "none", available: hasVectors, semanticAvailable: hasVectors },
    custom: { store: told.store, state: told.state, vectors: told.vectors, scope: told.scope },
  };
}

const runtime = {
  async getMemorySearchManager({ agentId }) {
    try {
      return { manager: await manager(agentId).load() };
    } catch (failure) {
      return { manager: null, error: `gieok: ${failure.message}` };
    }
  },
  resolveMemoryBackendConfig: () => ({ backend: "builtin" }),
  authorizeSearchHits: async ({ hits }) => hits.filter((hit) => hit.source !== "sessions"),
  async closeMemorySearchManager() {},
  async closeAllMemorySearchManagers() {},
};

const COMMAND = { name: "memory", description: "Search, inspect, and index memory files (answered by Gieok)", hasSubcommands: true };

/** Print a line: with --json, OpenClaw sends what consoles log to stderr. */
function say(line) {
  process.stdout.write(`${line}\n`);
}

/** The agents of OpenClaw's configuration that a command is about. */
function agents(config, named) {
  if (named) return [named];
  const { entries, list } = config?.agents ?? {};
  const found = entries ? Object.keys(entries) : (list ?? []).map((one) => one.id);
  return found.length ? found : ["main"];
}

/** Run a command; what fails is said, and the exit status says so. */
function command(act) {
  return async (...given) => {
    try {
      await act(...given);
    } catch (failure) {
      console.error(`gieok: ${failure.message}`);
      process.exitCode = 1;
    }
  };
}

/** `openclaw memory status|index|search`, in the form that OpenClaw's own have. */
function commands({ program, config }) {
  const memory = program.command(COMMAND.name).description(COMMAND.description);
  memory.command("status").description("Show what is indexed").option("--agent <id>").option("--deep").option("--index")
    .option("--fix").option("--json").option("--verbose")
    .action(command(async (options) => {
      const all = [];
      for (const agentId of agents(config, options.agent)) {
        const own = manager(agentId);
        if (options.index) await own.sync({}); else await own.load();
        all.push({ agentId, status: own.status() });
      }
      if (options.json) return say(JSON.stringify(all, null, 2));
      for (const { agentId, status } of all) {
        say(`Memory Search (${agentId}): ${status.files} files, ${status.chunks} passages, ${status.custom.vectors} with vectors`);
        say(`  answered by Gieok: ${status.custom.state}, ${status.dbPath}${status.dirty ? "; files changed since" : ""}`);
      }
    }));
  memory.command("index").description("Bring the index in line with the files").option("--agent <id>").option("--force")
    .option("--verbose")
    .action(command(async (options) => {
      for (const agentId of agents(config, options.agent)) {
        const own = manager(agentId);
        await own.sync({ force: options.force });
        say(`Memory index updated (${agentId}): ${own.status().files} files indexed.`);
      }
    }));
  memory.command("search [query]").description("Find the lines that answer").option("--query <text>").option("--agent <id>")
    .option("--max-results <n>").option("--min-score <n>").option("--json")
    .action(command(async (given, options) => {
      const query = options.query ?? given;
      if (!query) throw new Error("what shall be searched? openclaw memory search \"…\"");
      const [agentId] = agents(config, options.agent);
      const number = (text) => (text === undefined ? undefined : Number(text));
      const results = await manager(agentId).search(query, { maxResults: number(options.maxResults), minScore: number(options.minScore) });
      if (options.json) return say(JSON.stringify({ results }, null, 2));
      if (!results.length) say("No matches.");
      for (const hit of results) say(`${hit.score.toFixed(3)} ${hit.path}:${hit.startLine}-${hit.endLine}\n${hit.snippet}\n`);
    }));
}

export default {
  id: "gieok-memory",
  name: "Gieok memory",
  description: "Memory files searched by Gieok, on this machine",
  kind: "memory",
  register(api) {
    api.registerTool((context) => tools(context), { names: ["memory_search", "memory_get"] });
    api.registerMemoryCapability?.({ runtime, deterministicRecallToolName: "memory_search" });
    api.registerCli?.(commands, { descriptors: [COMMAND] });
    api.on?.("before_prompt_build", recall, { timeoutMs: MOST_MS });
    api.on?.("after_compaction", forgetStart);
    api.on?.("before_tool_call", judge, { timeoutMs: HOOK_TIMEOUT_MS["pre-tool"] });
  },
};
