// Sends the requests of the reference page, and shows what the server answers.
"use strict";

const MOST_SHOWN = 20000;
const key = document.getElementById("key");

for (const form of document.querySelectorAll("form[data-path]")) {
  form.addEventListener("submit", send);
}

async function send(event) {
  event.preventDefault();
  const form = event.target;
  const shown = form.querySelector("output");
  shown.textContent = "…";
  try {
    const { address, options } = buildRequest(form);
    const answer = await fetch(address, options);
    shown.textContent = `${answer.status} ${answer.statusText}\n${await readBody(answer)}`;
  } catch (error) {
    shown.textContent = String(error);
  }
}

function buildRequest(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  const headers = {};
  for (const field of form.querySelectorAll("input[data-in]")) {
    if (!field.value) continue;
    const name = field.name;
    if (field.dataset.in === "path") path = path.replace(`{${name}}`, encodeURIComponent(field.value));
    else if (field.dataset.in === "query") query.set(name, field.value);
    else headers[name] = field.value;
  }
  const change = document.body.dataset.change;
  if (key.value.trim()) headers.Authorization = `Bearer ${key.value.trim()}`;
  else if (change) headers["X-Change-Token"] = change;
  const body = form.querySelector("textarea");
  if (body) headers["Content-Type"] = "application/json";
  const address = query.size ? `${path}?${query}` : path;
  return { address, options: { method: form.dataset.method, headers, body: body?.value } };
}

async function readBody(answer) {
  const type = answer.headers.get("content-type") || "";
  if (!/json|text/.test(type)) return `${type}, ${(await answer.blob()).size} bytes`;
  const text = await answer.text();
  return shorten(type.includes("json") ? JSON.stringify(JSON.parse(text), null, 2) : text);
}

function shorten(text) {
  const more = text.length - MOST_SHOWN;
  return more > 0 ? `${text.slice(0, MOST_SHOWN)}\n… (+${more} characters)` : text;
}
