/**
 * Run a hook and return its answer; {} where it fails or takes too long: memory never stands between a user and
 * their agent. What the hook started is ended with it: a child that keeps its output open would be waited for. An answer
 * of more than a million characters is none.
 */
function answerHook(program, words, { timeout, ...options }, payload) {
  return new Promise((resolve) => {
    let child, data;
    try {
      data = JSON.stringify(payload, (_name, value) => (typeof value === "bigint" ? String(value) : value));
      child = spawn(program, words, { ...options, stdio: ["pipe", "pipe", "ignore"], detached: process.platform !== "win32" });
    } catch {
      resolve({});
      return;
    }
    let answer = "";
    const stop = () => {
      try { process.platform === "win32" ? child.kill() : process.kill(-child.pid, "SIGKILL"); } catch { child.kill(); }
      child.stdout.destroy();
      resolve({});
    };
    const late = setTimeout(stop, timeout);
    const end = (found) => { clearTimeout(late); resolve(found); };
    child.stdout.setEncoding("utf8").on("data", (text) => {
      answer += text;
      if (answer.length <= 1_000_000) return;
      clearTimeout(late);
      stop();
    });
    child.stdin.on("error", () => {});
    child.on("error", () => end({}));
    child.on("close", () => {
      try { end(JSON.parse(answer) ?? {}); } catch { end({}); }
    });
    child.stdin.end(data);
  });
}

/** Return the text for the model in a hook's answer. */
function context(answer) {
  return answer.additional_context ?? "";
}
