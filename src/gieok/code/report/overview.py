"""Overview of a project for a newcomer: purpose, parts, entry points, hot spots, experts."""

import re
from typing import NamedTuple

from gieok.code.index.project import Project, read_readmes
from gieok.code.report import history, starts
from gieok.code.report.history import History
from gieok.code.report.hot import HotSpot, hot_spots
from gieok.code.report.structure import Structure, structure

_TAG = re.compile(r"</?\w[^>]*>|<!--.*?-->", re.DOTALL)
#: How many characters of a README are read: further down it is about other things.
_HEAD = 1_200
_LEAST_ABOUT, _MOST_ABOUT = 30, 300


class Overview(NamedTuple):
    """Description, structure, entry points, hot spots and history of a project."""

    about: str
    found: Structure
    starts: tuple[tuple[str, str], ...]
    hot: tuple[HotSpot, ...]
    history: History

    def owner(self, part: str) -> str:
        """Return the author of most commits in a part, with the share; '' where there is none."""
        name, share = next(iter(self.history.owners.get(part, ())), ("", 0.0))
        return f"{name} ({share:.0%})" if name else ""


def build_overview(project: Project) -> Overview:
    """Return the overview of a project as indexed."""
    symbols = list(project.store.all_symbols())
    shape = structure(project)
    files = project.store.files()
    code = {path for path, file in files.items() if file.language != "manifest"}
    recent_history = history.history(
        project.versions.log(history.COMMITS), code, shape.part_of, shape.joined
    )
    return Overview(
        about=starts.about(project.root) or _read_readme_paragraph(project),
        found=shape,
        starts=tuple(starts.starts(project.root, symbols, files)),
        hot=tuple(hot_spots(project, symbols, recent_history.changes)),
        history=recent_history,
    )


def _read_readme_paragraph(project: Project) -> str:
    """Return the first paragraph of prose of the README."""
    blocks = (
        block.strip()
        for document in read_readmes(project)
        for block in re.split(r"\n\s*\n", _TAG.sub("", document.text)[:_HEAD])
    )
    paragraph = next((block for block in blocks if _is_prose(block)), "")
    text = re.sub(r"!?\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])?", r"\1", paragraph).replace("\n", " ")
    return re.sub(r"[*_`]{1,3}(\S[^*_`]*)[*_`]{1,3}", r"\1", text)[:_MOST_ABOUT]


def _is_prose(block: str) -> bool:
    """Return whether a block of Markdown is a sentence.

    Headings, badges, lists, tables, code, HTML and horizontal rules are none.
    """
    if not re.search(r"\w[*_`)]*[.!?。](\s|$)", block):
        return False
    return (
        len(block) >= _LEAST_ABOUT
        and block[0] not in "#<!|>`=~-*+:{("
        and block[:2] not in ("[!", "[]")
    )
