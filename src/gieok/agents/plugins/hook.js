/** Run a hook and return its answer; {} where it fails: memory never stands between a user and their agent. */
function answerHook(program, words, options, payload) {
  return new Promise((resolve) => {
    const child = spawn(program, words, { ...options, stdio: ["pipe", "pipe", "ignore"] });
    let answer = "";
    child.stdout.setEncoding("utf8").on("data", (text) => { answer += text; });
    child.stdin.on("error", () => {});
    child.on("error", () => resolve({}));
    child.on("close", () => {
      try { resolve(JSON.parse(answer) ?? {}); } catch { resolve({}); }
    });
    child.stdin.end(JSON.stringify(payload));
  });
}

/** Return the text for the model in a hook's answer. */
function context(answer) {
  return answer.additional_context ?? "";
}
