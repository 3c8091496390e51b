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

export const Gieok = async ({ directory }) => {
  const started = new Set(); // sessions that were told what is known
  const compacted = new Set(); // sessions whose context a summary has replaced since
  const children = new Set(); // sessions of sub-agents: no person speaks there
  const notes = new Map(); // what memory says of a tool's use, for its result

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
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      const own = { session_id: sessionID, cwd: directory, hook_event_name: "tool.execute.before" };
      const answer = await ask("pre-tool", { ...own, tool_name: tool, tool_input: args });
      if (answer.decision && answer.reason) throw new Error(answer.reason); // the model reads it, and the tool does not run
      if (context(answer)) notes.set(callID, context(answer));
    },
    "tool.execute.after": async ({ callID }, result) => {
      const note = notes.get(callID);
      if (notes.delete(callID) && typeof result?.output === "string") result.output += `\n${note}`;
    },
    "experimental.session.compacting": async ({ sessionID }, output) => {
      const kept = await call("pre-compact", "experimental.session.compacting", sessionID);
      if (kept) output?.context?.push(kept);
    },
  };
};
