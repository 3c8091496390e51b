// Gieok's memory in pi: what `gieok hook` answers is put behind a prompt. Written by `gieok install pi`.
import { execFile, spawn } from "node:child_process";

const COMMANDS = {};
const PROGRAM = [];
const ENVIRONMENT = {};
const TIMEOUT_S = {};
const TOOL_TIMEOUT_MS = 30_000;

// gieok: hook.js

/** Run a command of Gieok's for a tool, with a text on its stdin, and return what it prints. */
function runTool(words, cwd, text = "") {
  const [program, ...first] = PROGRAM;
  const options = { cwd, env: { ...process.env, ...ENVIRONMENT }, timeout: TOOL_TIMEOUT_MS };
  return new Promise((resolve) => {
    try {
      const done = (error, out, err) => resolve(out || err || String(error ?? ""));
      const child = execFile(program, [...first, ...words], options, done);
      child.stdin.on("error", () => {}); // it ended without reading
      child.stdin.end(text);
    } catch (error) {
      resolve(String(error)); // words that no program can be given
    }
  });
}

export default function (pi) {
  let begun = ""; // the session that was told what is known
  let why = {}; // why it is told again
  const notes = new Map(); // what memory says of a tool's use, for its result

  function call(event, native, ctx, more) {
    const manager = ctx.sessionManager;
    const own = { session_id: manager.getSessionId(), transcript_path: manager.getSessionFile() ?? "", cwd: ctx.cwd };
    const options = { shell: true, timeout: 1_000 * TIMEOUT_S[event] };
    return answerHook(COMMANDS[event], [], options, { ...own, hook_event_name: native, ...more });
  }

  pi.on("before_agent_start", async ({ prompt }, ctx) => {
    const session = ctx.sessionManager.getSessionId();
    const index = begun === session ? {} : await call("session-start", "session_start", ctx, why);
    [begun, why] = [session, {}];
    const found = await call("prompt", "before_agent_start", ctx, { prompt });
    const text = [index, found].map(context).filter(Boolean).join("\n");
    if (text) return { message: { customType: "gieok", content: text, display: false } };
  });
  pi.on("tool_call", async ({ toolName, toolCallId, input }, ctx) => {
    const more = { tool_name: toolName, tool_use_id: toolCallId, tool_input: input, can_ask: ctx.hasUI };
    const answer = await call("pre-tool", "tool_call", ctx, more);
    const { decision, reason } = answer;
    if (context(answer)) notes.set(toolCallId, context(answer));
    if (!decision) return;
    const may = decision === "ask" && (await ctx.ui.confirm("Gieok", reason));
    if (!may) return { block: true, reason };
  });
  pi.on("tool_result", ({ toolCallId, content }) => {
    const note = notes.get(toolCallId);
    if (notes.delete(toolCallId)) return { content: [...(content ?? []), { type: "text", text: note }] };
  });
  pi.on("agent_end", async (_event, ctx) => {
    await call("stop", "agent_end", ctx, {});
  });
  pi.on("session_before_compact", async (_event, ctx) => {
    await call("pre-compact", "session_before_compact", ctx, {});
  });
  pi.on("session_compact", () => {
    [begun, why] = ["", { source: "compact" }];
  });
  pi.on("session_shutdown", async (_event, ctx) => {
    await call("session-end", "session_shutdown", ctx, {});
  });

  pi.registerTool({
    name: "memory_search",
    label: "Memory search",
    description: "Search the user's long-term memory: decisions, preferences, facts, earlier conversations.",
    parameters: {
      type: "object",
      properties: { query: { type: "string", description: "what to look for" } },
      required: ["query"],
    },
    async execute(_id, { query }, _signal, _update, ctx) {
      return { content: [{ type: "text", text: await runTool(["search", "--", query], ctx.cwd) }], details: {} };
    },
  });
  pi.registerTool({
    name: "memory_remember",
    label: "Remember",
    description: "Keep a statement of the user's in their long-term memory, in the user's own words.",
    parameters: {
      type: "object",
      properties: { text: { type: "string", description: "what to keep" } },
      required: ["text"],
    },
    async execute(_id, { text }, _signal, _update, ctx) {
      return { content: [{ type: "text", text: await runTool(["remember", "-"], ctx.cwd, text) }], details: {} };
    },
  });
}
