// The command palette: Ctrl+K or ⌘K opens it, typing narrows it, arrows choose, Enter goes there. What it does, the pages do without it.
"use strict";
(() => {
  const dialog = document.getElementById("palette");
  const box = dialog.querySelector("input");
  const every = [...dialog.querySelectorAll("[role=option]")];
  const search = every.at(-1);
  let chosen = null;

  const choose = (option) => {
    chosen?.setAttribute("aria-selected", "false");
    chosen = option;
    chosen.setAttribute("aria-selected", "true");
    chosen.scrollIntoView({ block: "nearest" });
    box.setAttribute("aria-activedescendant", chosen.id);
  };
  const shown = () => [...dialog.querySelectorAll("[role=option]")].filter((option) => !option.hidden);
  const narrow = () => {
    const typed = box.value.normalize().toLowerCase().trim();
    const words = typed.split(/\s+/);
    for (const option of every) {
      const text = `${option.textContent} ${option.dataset.words}`.toLowerCase();
      option.hidden = option === search ? !typed : !words.every((word) => text.includes(word));
    }
    // what begins so comes first, the search last
    const begins = (option) => option.textContent.toLowerCase().startsWith(typed);
    const pages = every.slice(0, -1);
    search.before(...pages.filter(begins), ...pages.filter((option) => !begins(option)));
    search.querySelector("q").textContent = box.value.trim();
    choose(shown()[0]);
  };
  const open = () => {
    if (dialog.open) return;
    box.value = "";
    dialog.showModal();
    narrow();
  };
  const go = (option) => {
    dialog.close();
    if (option === search) location.assign(`/?q=${encodeURIComponent(box.value.trim())}`);
    else if (option.dataset.to === "#add") document.querySelector("details.add").open = true;
    else location.assign(option.dataset.to);
  };

  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.code !== "KeyK") return;
    event.preventDefault();
    open();
  });
  box.addEventListener("input", narrow);
  box.addEventListener("keydown", (event) => {
    // while a syllable is put together, Enter and the arrows belong to that
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      const options = shown();
      choose(options.at((options.indexOf(chosen) + step) % options.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      go(chosen);
    }
  });
  dialog.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) go(option);
    else if (event.target === dialog) dialog.close();
  });
  const opener = document.getElementById("open-palette");
  if (navigator.platform.startsWith("Mac")) opener.querySelector("kbd").textContent = "⌘ K";
  opener.addEventListener("click", open);
})();
