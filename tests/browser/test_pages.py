"""Every page in a real browser: both languages, light and dark, a phone and a wide screen.

A new page is a row of `PAGES`, or of `PARTS` where it is no page of its own; without one the first
test fails.
"""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from prepared_home import Prepared

from gieok.surfaces.web.routes import routes
from gieok.surfaces.web.views import VIEWS

#: Route → addresses. `{…}`: see `places`.
PAGES = {
    "/": ("/", "/?q=staging+database", "/?q=xylophone"),
    "/first": ("/first",),
    "/memories": ("/memories", "/memories?words=staging&kind=record", "/memories?since=nonsense"),
    "/trust": ("/trust",),
    "/m/{handle:path}": ("/m/{handle}", "/m/00000000"),
    "/timeline": ("/timeline", "/timeline?day={today}"),
    "/timeline/session": ("/timeline/session?{session}",),
    "/injection": ("/injection?prompt=which+linter+do+we+use",),
    "/characters": ("/characters",),
    "/characters/{user}/{character}": ("/characters/me/{character}",),
    "/characters/{user}/{character}/talk": ("/characters/me/{character}/talk",),
    "/code": ("/code", "/code?target=shop/price.py"),
    "/code/part": ("/code/part?name=shop",),
    "/status": ("/status?deep=1",),
}
#: Routes that answer with a part of a page, or with a picture.
PARTS = {
    "/hits",
    "/questions",
    "/first/progress",
    "/timeline/news",
    "/characters/{character}/picture",
    "/characters/{user}/{character}/glance",
    "/characters/{user}/{character}/beside",
    "/code/map.svg",
    "/status/growth",
    "/status/hook",
    "/status/checks",
}
_SIZES = {"phone": {"width": 360, "height": 740}, "wide": {"width": 1280, "height": 800}}
#: What axe-core looks at: each language in each theme, and each theme in each width.
_EXAMINED = {
    "en": (("light", "wide"), ("dark", "phone")),
    "ko": (("dark", "wide"), ("light", "phone")),
}

#: Latin words on Korean pages that are names, words of the commands, or examples of what one may
#: write.
_NAMES = """
    Gieok English gieok agent markdown hook prompt model token tokens ruff Dropbox Obsidian
    Claude Code Codex OpenClaw Cursor Gemini Qwen opencode CLI MCP HTTP JSON PNG CHARX
    SQLite Tab Enter Esc notes hot warm cold
""".split()
#: Hangul on English pages: names, and examples of what one may write.
_KOREAN_NAMES = ("한국어", "기억 Gieok", "지난주")


def test_every_route_is_a_page_or_a_part_of_one() -> None:
    assert {*PAGES, *PARTS} == {*VIEWS}
    assert not {*PAGES} & PARTS
    assert callable(routes)


@pytest.fixture(scope="module")
def places(prepared: Prepared) -> dict[str, str]:
    """Return what addresses name: a memory, a session, a character, a day."""
    return {
        "handle": prepared.handle,
        "session": prepared.session,
        "character": prepared.character,
        "today": str(datetime.now(UTC).date()),
    }


_ADDRESSES = [address for addresses in PAGES.values() for address in addresses]


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("address", _ADDRESSES)
def test_a_page_is_whole_and_speaks_one_language(
    visitors: dict[str, Any],
    places: dict[str, str],
    prepared: Prepared,
    screenshots: Path | None,
    address: str,
    lang: str,
) -> None:
    """No overflow, no line of more than 40 em, no complaint of the browser, no serious fault of
    access, and nothing asked of anybody else.
    """
    visitor = visitors[lang]
    visitor.forget()
    page = visitor.open(address.format(**places))
    assert page.locator("html").get_attribute("lang") == lang
    found: dict[str, list[str]] = {
        "another language": _find_foreign_texts(page.evaluate(_SEEN), lang, prepared)
    }
    for theme in ("light", "dark"):
        for size, viewport in _SIZES.items():
            page.emulate_media(color_scheme=theme)
            page.set_viewport_size(viewport)
            found[f"overflow {theme} {size}"] = visitor.overflow()
            found[f"lines {theme} {size}"] = visitor.long_lines()
            found[f"cut hints {theme} {size}"] = visitor.cut_hints()
            if (theme, size) in _EXAMINED[lang]:
                found[f"axe {theme} {size}"] = visitor.faults()
                if screenshots:
                    name = re.sub(r"\W+", "-", address.strip("/")) or "search"
                    page.screenshot(
                        path=screenshots / f"{name}.{lang}.{theme}.{size}.png", full_page=True
                    )
    # A page that says what went wrong is answered with its status, which the browser logs.
    found["complaints"] = [
        said for said in visitor.complaints if "the server responded with a status of 4" not in said
    ]
    found["strangers"] = visitor.strangers()
    assert {what: faults for what, faults in found.items() if faults} == {}


#: The texts of a page that a person sees, but those of commands and paths, and of pictures of code,
#: which `code export` draws.
_SEEN = """() => {
  const texts = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const own = node.parentElement;
    if (own.closest("code, pre, kbd, script, style, textarea, option, [lang]:not(html), [translate=no], svg")) continue;
    const text = node.textContent.replace(/\\s+/g, " ").trim();
    if (text) texts.add(text);
  }
  for (const one of document.querySelectorAll("[aria-label], [placeholder], [title]"))
    for (const name of ["aria-label", "placeholder", "title"]) if (one.getAttribute(name)) texts.add(one.getAttribute(name));
  return [...texts];
}"""


def _find_foreign_texts(texts: list[str], lang: str, prepared: Prepared) -> list[str]:
    """Return the texts of a page that are in another language and are no memory.

    Memories are in whatever language they were said.
    """
    known = " ".join((prepared.data, *_KOREAN_NAMES)).replace("`", "").split()
    data = " ".join(known)
    if lang == "ko":  # Korean has English words in it; a sentence without Korean is the fault
        texts = [text for text in texts if not re.search("[가-힣]", text)]
    foreign = {"en": "[가-힣]", "ko": "[A-Za-z]{3,}"}[lang]
    return [text for text in texts if _is_left(text, foreign, data)]


def _is_left(text: str, foreign: str, data: str) -> bool:
    """Say whether a text has words of the other language that are neither data nor names.

    What is around a piece of data (an ellipsis, quotation marks, a label before a colon) is looked
    at by itself.
    """
    if not re.search(foreign, text) or text in data:
        return False
    pieces = [piece.strip(" .…→") for piece in re.split(r"…|[“”]|: |\(|\)|, | · ", text)]
    left = {
        word
        for piece in pieces
        if piece not in data
        for word in re.findall(r"\w+", piece)
        if re.search(foreign, word)
    }
    # A Korean word in an English sentence is a name that somebody said.
    return bool(
        {
            word
            for word in left - {*_NAMES}
            if not (re.search("[가-힣]", word) and (word in data or word[0].isdigit()))
        }
    )
