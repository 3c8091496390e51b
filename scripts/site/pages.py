"""What the site makes of the documents: pages of the root's own, links that lead inside, and the
way to the other language.
"""

import re
from copy import copy
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

_ROOT = Path(__file__).parents[2]
#: Documents of the repository's root that are pages of the site.
_OF_ROOT = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
#: A link to the other language's page stands at the top of a document for who reads it elsewhere.
_TWIN = re.compile(r"^(\(?\*?(\[한국어\]|\[English\]|한국어: |English: ).*)\n", re.MULTILINE)
#: The title of their part in the contents.
_KOREAN = "한국어"
_LINK = re.compile(r"\[([^\]\n]*)\]\((?!https?:|#)([^)#\s]*)(#[^)\s]*)?\)")
_CELL_CODE = re.compile(r"`[^`]*`")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the documents of the root."""
    for name in _OF_ROOT:
        files.append(
            File.generated(config, name, content=(_ROOT / name).read_text(encoding="utf-8"))
        )
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return the text with links as the site needs them, and `|` in code of tables as its parser
    needs them.
    """
    del config
    is_of_root = page.file.src_uri in _OF_ROOT
    text = _TWIN.sub("", markdown)
    text = _LINK.sub(lambda found: _linked(found, files, is_of_root=is_of_root), text)
    return "\n".join(_row(line) if line.startswith("|") else line for line in text.split("\n"))


def on_page_context(
    context: dict[str, Any], page: Page, config: MkDocsConfig, nav: Navigation
) -> dict[str, Any]:
    """Name the same page in the other language, where there is one; beside a Korean page stand the
    Korean ones alone.
    """
    del config
    uri = page.file.src_uri
    is_korean = uri.endswith(".ko.md")
    other = uri.replace(".ko.md", ".md") if is_korean else uri.replace(".md", ".ko.md")
    if (_ROOT / "docs" / other).exists():
        name, lang = ("English", "en") if is_korean else ("한국어", "ko")
        context["twin"] = {"url": other.replace(".md", ".html"), "name": name, "lang": lang}
    if is_korean:
        context["nav"] = copy(nav)
        context["nav"].items = next(item.children for item in nav.items if item.title == _KOREAN)
    return context


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Name the dialog of the search, which the theme leaves without a name."""
    del config
    name = "검색" if page.file.src_uri.endswith(".ko.md") else "Search"
    return output.replace('role="dialog"', f'role="dialog" aria-label="{name}"')


def _linked(found: re.Match[str], files: Files, *, is_of_root: bool) -> str:
    """Return a link within the site; its text alone where it leads to a file that is no page."""
    text, target, anchor = found[1], found[2], found[3] or ""
    if not is_of_root and not target.startswith("../"):
        return found[0]  # the build checks it
    inside = target.removeprefix("../").removeprefix("docs/")
    return f"[{text}]({inside}{anchor})" if files.get_file_from_path(inside) else text


def _row(line: str) -> str:
    return _CELL_CODE.sub(lambda code: code[0].replace("\\|", "|"), line)
