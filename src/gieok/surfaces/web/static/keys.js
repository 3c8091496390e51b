// Keys: `/` goes to the box of a search, arrows move through its hits, Escape closes what is folded out of the header. Everything works without this file.
"use strict";
(() => {
  const box = () => document.getElementById("q") || document.querySelector('main input[type="search"]');
  const hits = () => [...document.querySelectorAll("[data-hit]")];
  document.addEventListener("keydown", (event) => {
    const inField = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === "/" && !inField && box()) {
      event.preventDefault();
      box().focus();
      box().select();
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const place = hits().indexOf(document.activeElement);
    if (!step || (event.target !== box() && place < 0)) return;
    const next = place + step;
    const target = next < 0 ? (place >= 0 ? box() : null) : hits()[next];
    if (target) {
      event.preventDefault();
      target.focus();
    }
  });
  const folded = () => [...document.querySelectorAll("details.add[open], details.others[open]")];
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const one of folded()) {
      one.open = false;
      one.querySelector("summary").focus();
    }
  });
  document.addEventListener("click", (event) => {
    for (const one of folded()) if (!one.contains(event.target)) one.open = false;
  });
  document.addEventListener("toggle", (event) => {
    if (event.target.matches("details.add[open]")) event.target.querySelector("textarea").focus();
  }, true);
  // Hits that do not come: the server is gone, or lets nobody in any more.
  for (const [name, isLost] of [["htmx:sendError", true], ["htmx:responseError", true], ["htmx:afterOnLoad", false]]) {
    document.addEventListener(name, () => {
      const lost = document.getElementById("lost");
      if (lost) lost.hidden = !isLost;
    });
  }
  // Select all on the page: the box is shown where this file runs.
  document.addEventListener("change", (event) => {
    if (!event.target.matches("[data-all]")) return;
    for (const one of document.querySelectorAll('input[name="handle"]')) one.checked = event.target.checked;
  });
  for (const one of document.querySelectorAll("[data-with-keys]")) one.hidden = false;
})();
