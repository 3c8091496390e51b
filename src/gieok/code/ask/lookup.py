"""Resolve a name that a person or an agent types to the matching symbols."""

import difflib
import re
from pathlib import Path

from gieok.code.ask.spelling import (
    LONGEST_NAME,
    PASSIVE,
    SpellingIndex,
    find_symbol_at_line,
)
from gieok.code.index.project import Project, find_left_out_mentions, inside, list_left_out_files
from gieok.code.index.scan import SkippedSearch
from gieok.code.languages.table import find_source_language
from gieok.code.model.facts import SymbolKind
from gieok.errors import BadRequest, Phrase
from gieok.model.code import Symbol

_SUGGESTIONS = 5
#: Where a path may end and the name of a symbol begin.
_BEHIND_PATH = re.compile("::?")
_DOTTED = re.compile(r"::|#")


def find_typed_symbols(project: Project, text: str, folder: Path | None = None) -> list[Symbol]:
    """Return the symbols that `text` names. Raises BadRequest with suggestions where none match.

    `text` is `path`, `path:symbol`, `path::symbol`, `Class.method`, a plain name, or a name with
    its module as the language or a stack trace writes it (`spelling`). A path may be relative to
    `folder` or to the project.
    """
    text = text.strip()
    if matches := matching(project, text, folder):
        return matches
    path = _partition_symbol_colon(text)[0]
    place = _find_place(project, path, folder)
    if place not in project.store.files() and _is_project_file(project, path, place):
        hint = _explain_left_out_file(project, place) or _near_files(project, place)
        raise BadRequest("no file {path!r} is indexed", path=path, hint=hint)
    searched = _search_left_out_files(project, text)
    if searched.found:
        files = Phrase("; ".join(_describe_left_out_mentions(searched)))
        raise BadRequest(
            "no symbol {text!r} is indexed, but the name stands in a file that is left out",
            text=text,
            hint=_add_unsearched(Phrase("left out: {files}", files=files), searched),
        )
    if searched.unsearched:
        raise BadRequest(
            "no symbol {text!r} is indexed, and not all files that are left out were searched",
            text=text,
            hint=_add_unsearched(_suggest_near_symbols(project, text), searched),
        )
    raise BadRequest(
        "no symbol {text!r} is indexed", text=text, hint=_suggest_near_symbols(project, text)
    )


def matching(
    project: Project,
    text: str,
    folder: Path | None = None,
    spellings: SpellingIndex | None = None,
) -> list[Symbol]:
    """Return the symbols that `text` names, as `find_typed_symbols` does; empty where none match.

    Who asks for several names of one question gives its `spellings`.
    """
    spellings = spellings or SpellingIndex(project)
    return (
        _find_in_named_file(project, text, folder, spellings)
        or _find_same_named(project, _DOTTED.sub(".", text))
        or spellings.find_symbols(text)
    )


def _find_in_named_file(
    project: Project, text: str, folder: Path | None, spellings: SpellingIndex
) -> list[Symbol]:
    """Return the symbols that `path`, `path:symbol`, `path::symbol` or `path:line` names.

    Any sign may stand in a path (`app/(shop)/[id]/page.tsx`, `a:b.py`), so that what is indexed
    says where the path ends; the longest path counts.
    """
    if len(text) > LONGEST_NAME:
        return []
    ends = [match.span() for match in _BEHIND_PATH.finditer(text)]
    for end, begin in [(len(text), len(text)), *reversed(ends)]:
        if find_source_language(text[:end]) is None:
            continue
        try:
            place = inside(project, text[:end], folder)
        except BadRequest:  # a path of another machine, in a stack trace
            continue
        if place in spellings.files:
            return _in_file(project, place, _DOTTED.sub(".", text[begin:]))
    return []


def _find_place(project: Project, path: str, folder: Path | None) -> str:
    """Return the path in the project that a text may mean; '' for none. Raises BadRequest."""
    is_whole_path = find_source_language(path) is not None and path.count("(") == path.count(")")
    is_spelling = path.startswith("file:") or (
        not is_whole_path and any(sign in path for sign in '()"<>\\')
    )
    return "" if is_spelling or not path else inside(project, path, folder)


def _partition_symbol_colon(text: str) -> tuple[str, str]:
    """Split `path:symbol` and `path::symbol`; a plain name has no path."""
    if ":" in text:
        path, _, name = text.partition("::" if "::" in text else ":")
        return path, name
    return (text, "") if "/" in text or "." in text else ("", text)


def _in_file(project: Project, path: str, name: str) -> list[Symbol]:
    symbols = [s for s in project.store.symbols(paths=[path]) if s.kind not in PASSIVE]
    if not name:
        return [s for s in symbols if s.kind == SymbolKind.MODULE]
    if name.isdigit():
        return find_symbol_at_line(symbols, int(name))
    return [s for s in symbols if _is_called(s, name)]


def _find_same_named(project: Project, name: str) -> list[Symbol]:
    last = name.rpartition(".")[2]
    namesakes = [s for s in project.store.symbols(names=[last]) if s.kind not in PASSIVE]
    return [s for s in namesakes if _is_called(s, name)]


def _is_called(symbol: Symbol, name: str) -> bool:
    qualified = symbol.qualified
    return qualified == name or qualified.endswith(f".{name}") or symbol.name == name


def _is_project_file(project: Project, path: str, place: str) -> bool:
    """Return whether a text is a path of the project, and not `Class.method`."""
    return "/" in path or bool(place and (project.root / place).is_file())


def _explain_left_out_file(project: Project, place: str) -> Phrase | None:
    """Return a hint that says why a file is left out; None for a file that is not."""
    reasons = dict(list_left_out_files(project))
    above = (path for path in reasons if path.endswith("/") and place.startswith(path))
    reason = reasons.get(place) or next((reasons[path] for path in above), "")
    return Phrase("it is left out: {reason}", reason=Phrase(reason)) if reason else None


def _near_files(project: Project, place: str) -> str:
    """Return a hint that lists files of the same name in other folders."""
    name = place.rpartition("/")[2]
    near = sorted(path for path in project.store.files() if path.rpartition("/")[2] == name)[
        :_SUGGESTIONS
    ]
    return (
        Phrase("near: {near}", near=", ".join(near))
        if near
        else "`gieok code sync` reads new files and names what it skips"
    )


def _search_left_out_files(project: Project, text: str) -> SkippedSearch:
    """Search the left-out files for the last part of a name."""
    words = re.findall(r"[\w$]+", text[:LONGEST_NAME])
    if not words or words[-1].isdigit():
        return SkippedSearch((), ())
    return find_left_out_mentions(project, words[-1])


def _describe_left_out_mentions(searched: SkippedSearch) -> list[str]:
    """Return the first left-out files that hold a name, each with the reason."""
    return [f"{path} ({reason})" for path, reason in searched.found[:_SUGGESTIONS]]


def _add_unsearched(hint: str, searched: SkippedSearch) -> str:
    """Return a hint that also names the left-out files that were not searched, if any."""
    if not searched.unsearched:
        return hint
    return Phrase(
        "{hint}; not searched: {count} ({files})",
        hint=hint,
        count=len(searched.unsearched),
        files=", ".join(searched.unsearched[:_SUGGESTIONS]),
    )


def _suggest_near_symbols(project: Project, text: str) -> str:
    last = re.split(r"::|[:.#/]", text)[-1]
    names = sorted({s.name for s in project.store.all_symbols() if s.kind not in PASSIVE})
    near = difflib.get_close_matches(last, names, _SUGGESTIONS, 0.6)
    return (
        Phrase("near: {near}", near=", ".join(near))
        if near
        else 'find it with `gieok code query "…"`'
    )
