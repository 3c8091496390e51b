// The calendar by keyboard: arrows move over its days, Page Up and Page Down change the month. Everything works without this file.
"use strict";
(() => {
  const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
  document.addEventListener("keydown", (event) => {
    const grid = event.target.closest("[data-grid]");
    if (!grid || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = { PageUp: "-1", PageDown: "1" }[event.key];
    if (page) {
      const link = document.querySelector(`a[data-page="${page}"]`);
      if (link) { event.preventDefault(); link.click(); }
      return;
    }
    const days = [...grid.querySelectorAll("a")];
    const target = days[days.indexOf(event.target) + (steps[event.key] || NaN)];
    if (target) { event.preventDefault(); target.focus(); }
  });
})();
