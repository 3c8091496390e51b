// The calendar by keyboard: arrows move over its days, Page Up and Page Down change the month. Everything works without this file.
"use strict";
(() => {
  const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
  // A day that was opened from the calendar by keyboard leaves the keyboard there.
  if (sessionStorage.getItem("days")) {
    sessionStorage.removeItem("days");
    document.querySelector("[data-grid] a[aria-current], [data-grid] a")?.focus({ preventScroll: true });
  }
  document.addEventListener("keydown", (event) => {
    const grid = event.target.closest("[data-grid]");
    if (!grid || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter") sessionStorage.setItem("days", "1");
    const page = { PageUp: "-1", PageDown: "1" }[event.key];
    if (page) {
      const link = document.querySelector(`a[data-page="${page}"]`);
      if (link) { event.preventDefault(); sessionStorage.setItem("days", "1"); link.click(); }
      return;
    }
    const days = [...grid.querySelectorAll("a")];
    const target = days[days.indexOf(event.target) + (steps[event.key] || NaN)];
    if (target) { event.preventDefault(); target.focus(); }
  });
})();
