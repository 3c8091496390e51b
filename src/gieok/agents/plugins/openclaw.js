// Gieok as OpenClaw's memory: memory_search and memory_get, answered by the gieok command. Written by `gieok install openclaw`.
import { execFile } from "node:child_process";

const GIEOK = ["gieok"];
const ENVIRONMENT = {};
const TIMEOUT_MS = 30_000;

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

export default {
  id: "gieok-memory",
  name: "Gieok memory",
  description: "Memory files searched by Gieok, on this machine",
  kind: "memory",
  register(api) {
    api.registerTool((context) => tools(context), { names: ["memory_search", "memory_get"] });
  },
};
