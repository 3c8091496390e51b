"""A home with something of everything, one server of it, and one Chromium. The table of pages is in
`test_pages`.

The server and the home are the session's. Chromium is a module's: Playwright's loop runs in the
thread of the tests, and no test of another folder could have a loop of its own beside it.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import prepared_home
import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from prepared_home import Prepared
from world import GIEOK

from gieok.processes.gate import Gate

_FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
#: How long a page is waited for: other work on the machine makes it slow, and no test is of that.
_WAIT_MS = 60_000
expect.set_options(timeout=_WAIT_MS)
#: How large a page is where nobody says, which is Playwright's own size.
_FIRST_SIZE: Any = {"width": 1280, "height": 720}
#: Screenshots of all pages go to this folder, where it is named.
SCREENSHOTS = "GIEOK_SCREENSHOTS"


@pytest.fixture(scope="session")
def program() -> str:
    """Return the path of Chromium, which everything else is for."""
    found = os.environ.get("GIEOK_CHROMIUM") or shutil.which("chromium")
    if not found:
        pytest.skip("no Chromium: install it, or name one by GIEOK_CHROMIUM")
    return found


@pytest.fixture(scope="session")
def prepared(program: str, tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return prepared_home.make(tmp_path_factory.mktemp("browser") / "user")


@pytest.fixture(scope="session")
def server(prepared: Prepared) -> Iterator[str]:
    """Return the address of a running server."""
    environment = prepared.world.environment(
        GIEOK_EMBEDDER="none", GIEOK_OBSERVE_AGENTS="none", NO_COLOR="1"
    )
    command = [*GIEOK, "serve", "--port", "0"]
    with subprocess.Popen(
        command, env=environment, cwd=prepared.world.project, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stderr
        greeting = running.stderr.readline()
        assert greeting.startswith("Gieok serves http://127.0.0.1:"), greeting
        yield greeting.split()[2]
        running.terminate()
        try:
            running.communicate(timeout=30)  # reads what it says to the end
        except subprocess.TimeoutExpired:
            running.kill()
            raise


@pytest.fixture(scope="module")
def chromium(program: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=program, args=_FLAGS)


class Visitor:
    """A tab that was let in, and everything that it asked for or complained of since `forget`."""

    def __init__(self, context: BrowserContext, server: str) -> None:
        self.context, self.server = context, server
        self.page: Page = context.new_page()
        self.page.set_default_timeout(_WAIT_MS)
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on(
            "console",
            lambda said: self.complaints.append(said.text) if said.type == "error" else None,
        )
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def forget(self) -> None:
        """Forget what was asked for and complained of, and how large and dark the page was."""
        self.asked.clear()
        self.complaints.clear()
        self.page.set_viewport_size(_FIRST_SIZE)
        self.page.emulate_media(color_scheme="light")

    def open(self, address: str) -> Page:
        """Open a page of the site, and wait until nothing is loading."""
        self.page.goto(self.server + address, wait_until="load")
        # a function to wait for would need eval
        self.page.locator(".htmx-request").first.wait_for(state="detached")
        return self.page

    def faults(self) -> list[str]:
        """Return what axe-core finds serious or critical on the page that is open."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE_SCRIPT)
        found = self.page.evaluate("axe.run({resultTypes: ['violations']})")
        return [
            f"{fault['id']}: {node['html'][:160]} {[one['message'] for one in node['any']][:1]}"
            for fault in found["violations"]
            if fault["impact"] in ("serious", "critical")
            for node in fault["nodes"]
        ]

    def overflow(self) -> list[str]:
        """Return the elements that stand out of the page to the right, where it can be scrolled
        sideways.
        """
        return self.page.evaluate(_OVERFLOW)

    def long_lines(self) -> list[str]:
        """Return the texts with a line of more than 40 em; codes, tables and pictures aside."""
        return self.page.evaluate(_LONG_LINES)

    def cut_hints(self) -> list[str]:
        """Return the hints in empty fields that are longer than the field."""
        return self.page.evaluate(_CUT_HINTS)

    def strangers(self) -> list[str]:
        """Return the addresses asked for that are not of this server."""
        return [
            url for url in self.asked if not url.startswith((self.server + "/", "data:", "blob:"))
        ]


_OVERFLOW = """() => {
  const root = document.scrollingElement, width = root.clientWidth;
  if (root.scrollWidth <= width) return [];
  return [...document.querySelectorAll("body *")]
    .filter((one) => one.getBoundingClientRect().right > width + 1)
    .map((one) => `${one.tagName}.${one.className} ${one.outerHTML.slice(0, 120)}`).slice(0, 8)
    .concat([`${root.scrollWidth} > ${width}`]);
}"""


_CUT_HINTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d");
  return [...document.querySelectorAll("input[placeholder]")].filter((one) => {
    const style = getComputedStyle(one), box = one.clientWidth;
    canvas.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const room = box - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    return box && canvas.measureText(one.placeholder).width > room;
  }).map((one) => one.placeholder);
}"""


#: Half an em more than 40, for a blank at the end of a line. What is folded has no lines.
_LONG_LINES = """() => {
  const long = [];
  const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const text = node.textContent.trim(), own = node.parentElement;
    if (!text.includes(" ") || own.closest("pre, table, svg, select, textarea, .away")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const em = parseFloat(getComputedStyle(own).fontSize);
    const widest = Math.max(0, ...[...range.getClientRects()].map((box) => box.width));
    if (widest > 40.5 * em) long.push(`${(widest / em).toFixed(1)} em: ${text.slice(0, 80)}`);
  }
  return long;
}"""


@contextmanager
def _open_door(chromium: Browser, server: str, prepared: Prepared) -> Iterator[Any]:
    """Yield what lets a new visitor in; `lang` and whatever a browser context takes."""
    contexts = []

    def enter(lang: str = "en", **options: Any) -> Visitor:
        context = chromium.new_context(locale="ko-KR" if lang == "ko" else "en-GB", **options)
        contexts.append(context)
        code = Gate(prepared.world.home, time.time).link_code()
        visitor = Visitor(context, server)
        visitor.open(f"/open?code={code}")
        return visitor

    yield enter
    for context in contexts:
        context.close()


@pytest.fixture
def visit(chromium: Browser, server: str, prepared: Prepared) -> Iterator[Any]:
    """Return what lets a new visitor in."""
    with _open_door(chromium, server, prepared) as enter:
        yield enter


@pytest.fixture(scope="module")
def visitors(chromium: Browser, server: str, prepared: Prepared) -> Iterator[dict[str, Visitor]]:
    """Return a visitor of each language, for tests that only look at pages."""
    with _open_door(chromium, server, prepared) as enter:
        yield {lang: enter(lang) for lang in ("en", "ko")}


@pytest.fixture(scope="session")
def screenshots() -> Path | None:
    """Return the folder of screenshots, where one is wanted."""
    folder = os.environ.get(SCREENSHOTS)
    if not folder:
        return None
    Path(folder).mkdir(parents=True, exist_ok=True)
    return Path(folder)
