// Gieok's memory in opencode and Kilo: what `gieok hook` answers is put before a prompt. Written by `gieok install`.
import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";

const COMMANDS = {};
const HOST = "opencode";
const TIMEOUT_S = {};
const DATABASE = join(process.env.XDG_DATA_HOME || join(homedir(), ".local", "share"), HOST, `${HOST}.db`);

// gieok: hook.js

function ask(event, payload) {
  return answerHook(COMMANDS[event], [], { shell: true, timeout: 1_000 * TIMEOUT_S[event] }, payload);
}

/** Say why a tool must not run; "" where it may. */
async function judge(payload) {
  const answer = await ask("pre-tool", payload);
  return answer.decision ? answer.reason : "";
}

export const Gieok = async ({ directory }) => {
  const started = new Set(); // sessions that were told what is known
  const compacted = new Set(); // sessions whose context a summary has replaced since
  const children = new Set(); // sessions of sub-agents: no person speaks there

  async function call(event, native, session, more) {
    if (children.has(session)) return "";
    const own = { session_id: session, cwd: directory, hook_event_name: native, transcript_path: DATABASE };
    return ask(event, { ...own, ...more }).then(context);
  }

  return {
    event: async ({ event: { type, properties } }) => {
      if (type === "session.created" && properties.info?.parentID) children.add(properties.info.id);
      if (type === "session.compacted" && started.delete(properties.sessionID)) compacted.add(properties.sessionID);
      if (type === "session.idle") await call("stop", type, properties.sessionID);
    },
    "chat.message": async ({ sessionID }, { message, parts }) => {
      const prompt = parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n");
      const why = compacted.delete(sessionID) ? { source: "compact" } : {};
      const index = started.has(sessionID) ? "" : await call("session-start", "session.created", sessionID, why);
      started.add(sessionID);
      const found = await call("prompt", "chat.message", sessionID, { prompt });
      const text = [index, found].filter(Boolean).join("\n");
      const id = `prt_0gieok${Date.now().toString(36)}`; // parts are shown to the model in the order of their ids
      if (text) parts.push({ id, sessionID, messageID: message.id, type: "text", text, synthetic: true });
    },
    "tool.execute.before": async ({ tool, sessionID }, { args }) => {
      const own = { session_id: sessionID, cwd: directory, hook_event_name: "tool.execute.before" };
      const reason = await judge({ ...own, tool_name: tool, tool_input: args });
      if (reason) throw new Error(reason); // the host shows it to the model, and does not run the tool
    },
    "experimental.session.compacting": async ({ sessionID }, output) => {
      const kept = await call("pre-compact", "experimental.session.compacting", sessionID);
      if (kept) output?.context?.push(kept);
    },
  };
};
