// A talk as it is written: the reply appears in pieces, and the memory beside it is renewed. Without this file the form works alone.
"use strict";
(() => {
  const form = document.getElementById("talk");
  if (!form || !window.fetch || !window.TextDecoderStream) return;
  const said = document.getElementById("said");
  const words = form.elements.text;
  const button = form.querySelector("button");
  form.querySelector("[data-keys]").hidden = false;
  said.scrollTop = said.scrollHeight;
  const bubble = (role, text) => {
    const made = document.createElement("div");
    made.className = `bubble ${role}`;
    const inner = made.appendChild(document.createElement("div"));
    inner.className = "words";
    inner.textContent = text;
    said.append(made);
    said.scrollTop = said.scrollHeight;
    return inner;
  };
  const failed = (inner, message) => {
    inner.parentNode.className = "note bad";
    inner.parentNode.setAttribute("role", "alert");
    inner.textContent = message;
  };
  const read = async (response, inner) => {
    let held = "", begun = false;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      held += value;
      const events = held.split("\n\n");
      held = events.pop();
      for (const event of events) {
        const name = (/^event: (.*)$/m.exec(event) || [])[1] || "message";
        const data = JSON.parse((/^data: (.*)$/m.exec(event) || [])[1] || "{}");
        if (name === "error") failed(inner, [data.message, data.hint && `→ ${data.hint}`].filter(Boolean).join(" "));
        if (name === "message") {
          inner.textContent = (begun ? inner.textContent : "") + data.text;
          begun = true;
          said.scrollTop = said.scrollHeight;
        }
      }
    }
  };
  const renew = async () => {
    const response = await fetch(form.dataset.beside);
    if (response.ok) document.getElementById("beside").innerHTML = await response.text();
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = words.value.trim();
    if (!text || button.disabled) return;
    const body = new URLSearchParams(new FormData(form));
    bubble("user", text);
    words.value = "";
    button.disabled = true;
    const inner = bubble("assistant", form.dataset.waiting);
    try {
      await read(await fetch(form.action, { method: "POST", body, headers: { Accept: "text/event-stream" } }), inner);
    } catch (error) {
      failed(inner, String(error));
      words.value = text;
    }
    button.disabled = false;
    words.focus();
    await renew();
  });
  words.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
})();
