"""What the documents say of the code is there."""

import re
import runpy
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import gieok
from gieok.commands import NAMES
from gieok.settings.table import OPTIONS

_ROOT = Path(__file__).parents[1]
#: Measured number: a fraction such as `.789` or `1.6`.
_FIGURE = r"(?<![\w.])\d*\.\d+(?![\w.])"


@pytest.mark.parametrize("name", NAMES)
def test_every_operation_is_in_the_documents(name: str) -> None:
    assert f"gieok {name}" in (_ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    group, _, rest = name.rpartition(" ")
    for document in ("cli.md", "cli.ko.md"):
        rows = (_ROOT / "docs" / document).read_text(encoding="utf-8").splitlines()
        assert any(
            f"| `gieok {name}` |" in row or (f"| `gieok {group}` |" in row and f"`{rest}`" in row)
            for row in rows
        )


def test_the_readme_is_read_in_one_go() -> None:
    for document in ("README.md", "README.ko.md"):
        assert len((_ROOT / document).read_text(encoding="utf-8").splitlines()) <= 150


_PAGES_WITH_FIGURES = [
    *("README.md", "README.ko.md"),
    *sorted(
        str(page.relative_to(_ROOT))
        for page in (_ROOT / "docs").glob(f"release-{gieok.__version__}*.md")
    ),
]


@pytest.mark.parametrize("document", _PAGES_WITH_FIGURES)
def test_every_figure_of_the_first_pages_is_on_the_page_of_figures(document: str) -> None:
    section = re.split(r"^## ", (_ROOT / document).read_text(encoding="utf-8"), flags=re.MULTILINE)
    (measured,) = (part for part in section if "figures.md" in part and "R@1" in part)
    quoted = re.findall(r"\d*\.\d+<!--", measured)  # tests/test_figures.py holds these
    assert len(quoted) >= 16
    table = "".join(line for line in measured.splitlines() if line.startswith("|"))
    assert not re.findall(_FIGURE, re.sub(r"\d*\.\d+<!--[^>]*-->", "", table))
    page = (_ROOT / "docs" / "figures.md").read_text(encoding="utf-8")
    stated = re.findall(_FIGURE, re.sub(r"\d*\.\d+<!--[^>]*-->", "", measured))
    assert not set(stated) - set(re.findall(_FIGURE, page))


def test_every_setting_is_in_the_documents() -> None:
    for page in ("settings.md", "settings.ko.md"):
        text = (_ROOT / "docs" / page).read_text(encoding="utf-8")
        rows = [f"| `{option.name}` | `{option.default}` |" for option in OPTIONS]
        assert [row for row in rows if text.count(row) != 1] == []


def test_the_generated_parts_of_the_documents_are_up_to_date() -> None:
    stale = runpy.run_path(str(_ROOT / "scripts" / "docs.py"))["stale"]()
    assert not stale, f"run `make docs`: {', '.join(stale)}"


def test_every_file_is_in_the_architecture() -> None:
    text = (_ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    stems = {
        file.stem
        for file in (_ROOT / "src" / "gieok").rglob("*.py")
        if "contracts" not in file.parts
    } - {"__init__"}
    missing = {stem for stem in stems if stem not in text and stem.replace("_", "-") not in text}
    assert missing <= {
        "__main__",
        "clock",
        "hash_embedder",
        "memory_store",
        "samples",
        "scripted_chat",
        "scripted_generator",
    }


def test_links_between_documents_lead_somewhere() -> None:
    for document in (*_ROOT.glob("*.md"), *(_ROOT / "docs").glob("*.md")):
        for target in _links(document.read_text(encoding="utf-8")):
            path, _, heading = target.partition("#")
            to = document.parent / path if path else document
            assert to.exists(), f"{document.name} → {target}"
            assert not heading or heading in _headings(to), f"{document.name} → {target}"


def _headings(document: Path) -> set[str]:
    """Return the anchors of a document, as GitHub and the site make them."""
    lines = _prose(document.read_text(encoding="utf-8"))
    heads = (line.lstrip("#").strip().lower() for line in lines if line.startswith("#"))
    return {re.sub(r"[^\w\- ]", "", head).replace(" ", "-") for head in heads}


def _links(text: str) -> list[str]:
    return [
        part.partition(")")[0]
        for part in "\n".join(_prose(text)).split("](")[1:]
        if not part.startswith("http")
    ]


def _prose(text: str) -> list[str]:
    """Return the lines outside of code blocks."""
    kept, is_code = [], False
    for line in text.splitlines():
        is_code ^= line.startswith("```")
        kept += [] if is_code or line.startswith(("```", "    ")) else [line]
    return kept


class _SitePage(HTMLParser):
    """Anchors and links of a page of the site."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in {"id", "name"} and value:
                self.anchors.add(value)
            elif name in {"href", "src"} and value:
                self.links.add(value)


def _list_broken_links(site: Path) -> list[str]:
    """Return the links within the site that lead to no file, or to no anchor of a page."""
    pages = {
        file.resolve(): _SitePage(file.read_text(encoding="utf-8")) for file in site.rglob("*.html")
    }
    broken = []
    for file, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            # The page for what is not found leads by paths from the site's root.
            folder = site if parts.path.startswith("/") else file.parent
            path = unquote(parts.path).lstrip("/")
            to = (folder / path).resolve() if parts.path else file
            to = to / "index.html" if to.is_dir() else to
            anchor = unquote(parts.fragment)
            if not to.exists() or (to in pages and anchor and anchor not in pages[to].anchors):
                broken.append(f"{file.name}: {link}")
    return broken


def test_a_broken_link_of_the_site_is_seen(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html#there">1</a><a href="b.html#gone">2</a><a href="c.html">3</a>'
        '<a href="https://example.com/x">4</a><img src="gone.png"><a href="#own" id="own">5</a>'
    )
    (tmp_path / "b.html").write_text('<h2 id="there">b</h2>')
    assert sorted(_list_broken_links(tmp_path)) == [
        "a.html: b.html#gone",
        "a.html: c.html",
        "a.html: gone.png",
    ]


def test_the_site_is_built_and_loads_nothing_from_another_host(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mkdocs",
            "build",
            "--strict",
            "--quiet",
            "--site-dir",
            str(tmp_path),
        ],
        cwd=_ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) > 40
    assert not _list_broken_links(tmp_path)
    for page in pages:
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(
            r"<(?:script|img|iframe|source|video|link)\b[^>]*?(?:src|href)=[\"']?([^\s\"'>]+)", text
        )
        assert not [one for one in loaded if one.startswith(("http:", "https:", "//"))], page.name
        assert "mermaid" not in re.findall(r'class="([^"]*)"', text), (
            "its script would come from another host"
        )
        assert page.name.endswith(".ko.html") == ('<html lang="ko"' in text), page.name
    for style in tmp_path.rglob("*.css"):
        assert not re.search(
            r"@import|url\([\"']?(https?:)?//", style.read_text(encoding="utf-8")
        ), style.name
