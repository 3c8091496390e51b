// Gieok's memory in pi: what `gieok hook` answers is put behind a prompt. Written by `gieok install pi`.
import { execFile, spawn } from "node:child_process";

const COMMANDS = {};
const PROGRAM = [];
const ENVIRONMENT = {};
const TIMEOUT_MS = { "session-start": 10_000, prompt: 5_000, "pre-tool": 2_000 };
const TOOL_TIMEOUT_MS = 30_000;

// gieok: hook.js

/** Run a command of Gieok's for a tool, and return what it prints. */
function runTool(words, cwd) {
  const [program, ...first] = PROGRAM;
  const options = { cwd, env: { ...process.env, ...ENVIRONMENT }, timeout: TOOL_TIMEOUT_MS };
  return new Promise((resolve) => {
    try {
      execFile(program, [...first, ...words], options, (error, out, err) => resolve(out || err || String(error ?? "")));
    } catch (error) {
      resolve(String(error)); // words that no program can be given
    }
  });
}

export default function (pi) {
  let begun = ""; // the session that was told what is known

  function call(event, native, ctx, more) {
    const manager = ctx.sessionManager;
    const own = { session_id: manager.getSessionId(), transcript_path: manager.getSessionFile() ?? "", cwd: ctx.cwd };
    const options = { shell: true, timeout: TIMEOUT_MS[event] ?? 3_000 };
    return answerHook(COMMANDS[event], [], options, { ...own, hook_event_name: native, ...more });
  }

  pi.on("before_agent_start", async ({ prompt }, ctx) => {
    const session = ctx.sessionManager.getSessionId();
    const index = begun === session ? {} : await call("session-start", "session_start", ctx, {});
    begun = session;
    const found = await call("prompt", "before_agent_start", ctx, { prompt });
    const text = [index, found].map(context).filter(Boolean).join("\n");
    if (text) return { message: { customType: "gieok", content: text, display: false } };
  });
  pi.on("tool_call", async ({ toolName, toolCallId, input }, ctx) => {
    const more = { tool_name: toolName, tool_use_id: toolCallId, tool_input: input, can_ask: ctx.hasUI };
    const { decision, reason } = await call("pre-tool", "tool_call", ctx, more);
    if (!decision) return;
    const may = decision === "ask" && (await ctx.ui.confirm("Gieok", reason));
    if (!may) return { block: true, reason };
  });
  pi.on("agent_end", async (_event, ctx) => {
    await call("stop", "agent_end", ctx, {});
  });
  pi.on("session_before_compact", async (_event, ctx) => {
    await call("pre-compact", "session_before_compact", ctx, {});
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
      return { content: [{ type: "text", text: await runTool(["remember", "--", text], ctx.cwd) }], details: {} };
    },
  });
}
