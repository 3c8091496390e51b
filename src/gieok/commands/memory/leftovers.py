"""Removes a text from files beside the databases.

These are logs, hook events, the record of what sessions were shown, and quarantined files.
"""

import json
import re
import shutil
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from gieok import fs, paths
from gieok.hook import window
from gieok.hook.matches import CATEGORIES
from gieok.text.keywords import fold_for_search
from gieok.text.markdown import front_matter

#: Shorter lines are too common to search for.
_SHORTEST = 12
_MOST_NEEDLES = 200
_LARGEST_BYTES = 200_000_000
#: Gieok's own files in which each line stands alone. Other files below the home folder are the
#: user's, whatever they are called.
_LOGS = ("daemon.log*", "logs/*", "hook/*.jsonl*", "labels.jsonl", "notices.json")
#: What is shown of a memory may be a part of it, cut and escaped: so many letters of it in a row
#: are enough.
_PART_LETTERS = 16
_SHOWN_HANDLE = re.compile(r"\b[0-9a-f]{8}(?:\.\d+)?\b")
_TAG = re.compile(r"</?memory-")
#: Name of a field of a head, and a value that is days or moments. A telephone number is none.
_FIELD_NAME = re.compile(r"^[\w-]+:(?=\s)")
_MOMENT = r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d[\d:.]*(?:Z|[+-]\d\d:?\d\d)?)?"
_TIMES = re.compile(rf"{_MOMENT}(?:, {_MOMENT})*")


def select_needles(texts: Iterable[str]) -> list[str]:
    """Return the lines of texts that are long enough to search for.

    Of the head of a text, times and the categories of records are left out: "category: decision"
    stands in others' heads too, and says nothing of this text.
    """
    lines = (line.strip() for text in texts for line in _iter_needle_lines(text))
    return list(dict.fromkeys(line for line in lines if len(line) >= _SHORTEST))[:_MOST_NEEDLES]


def _iter_needle_lines(text: str) -> Iterator[str]:
    """Yield the lines of a text; of its head the values.

    A short value stands with the name of its field: "pin: tulip-88" can be searched, "tulip-88" is
    too short.
    """
    end = front_matter(text).end
    for line in text[:end].splitlines():
        value = _FIELD_NAME.sub("", line).strip()
        if not _TIMES.fullmatch(value) and value not in CATEGORIES:
            yield value if len(value) >= _SHORTEST else line
    yield from text[end:].splitlines()


def remove_text_leftovers(home: Path, wanted: Sequence[str]) -> list[tuple[str, str]]:
    """Remove lines that contain a text of `wanted` from logs and hook events.

    The search ignores case. Returns (place, reason) of each text that is left.
    """
    if not wanted:
        return []
    folded_forms = _clean_logs(home, wanted)
    for event in sorted(paths.locate_spool(home).glob("*")):  # holds only the path of a transcript
        if event.is_file() and any(
            folded in fold_for_search(_read_surrogate_text(event)) for folded in folded_forms
        ):
            event.unlink(missing_ok=True)
    forms = {
        form.encode("utf-8", "replace") for text in wanted for form in _build_unicode_forms(text)
    }
    return [
        (str(file), _explain_leftover(file))
        for file in _iter_home_files(home)
        if _has_forgotten_form(file, forms)
    ]


def clean_shown(home: Path, texts: Iterable[str]) -> None:
    """Remove texts, and parts of them, from what is kept of every session.

    Kept of a session are the memories that it was shown and may be asked about.
    """
    parts = Parts(texts)
    with fs.lock_resource(home, home / window.FOLDER):
        _clean_shown(home, parts)


def _clean_shown(home: Path, parts: "Parts") -> None:
    for file in _list_session_files(home):
        gone: list[str] = []
        row = _read_session_row(file)
        fresh = {
            name: _strip_json_parts(value, parts, gone) if name in _OF_MEMORIES else value
            for name, value in row.items()
        }
        if not gone:
            continue
        handles = {handle for line in gone for handle in _SHOWN_HANDLE.findall(line)}
        known = row.get("handles")
        fresh["handles"] = (
            {h: v for h, v in known.items() if h not in handles} if isinstance(known, dict) else {}
        )
        _write_session_row(file, fresh)


def clean_corrected(home: Path, before: Sequence[str]) -> None:
    """Remove the text of a memory before its correction from logs and from session files."""
    _clean_logs(home, select_needles(before))
    clean_shown(home, before)


def rewrite_kept_texts(home: Path, change: Callable[[str], str], *, is_dry: bool) -> int:
    """Rewrite the lines of logs, labels and session files; return how many files differ."""
    count = sum(_rewrite_log_lines(log, change, is_dry=is_dry) for log in _iter_log_files(home))
    with fs.lock_resource(home, home / window.FOLDER):
        for file in _list_session_files(home):
            row = _read_session_row(file, is_dry=is_dry)
            if (fresh := _map_json_strings(row, change)) != row:
                count += 1
                if not is_dry:
                    _write_session_row(file, fresh)
    return count


#: Fields of a session's file that are made of memories.
_OF_MEMORIES = ("injected", "last", "earlier")


class Parts:
    """Matcher that finds texts in what sessions were shown, by their letters alone."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._short: set[str] = set()
        self._long: set[str] = set()
        for letters in filter(None, map(window.strip_to_letters, texts)):
            if len(letters) < _PART_LETTERS:
                self._short.add(letters)
            self._long.update(
                letters[n : n + _PART_LETTERS] for n in range(len(letters) - _PART_LETTERS + 1)
            )

    def are_in(self, text: str) -> bool:
        """Return whether a text holds any of the parts."""
        letters = window.strip_to_letters(text)
        return any(short in letters for short in self._short) or any(
            letters[n : n + _PART_LETTERS] in self._long
            for n in range(len(letters) - _PART_LETTERS + 1)
        )


def _strip_json_parts(value: object, parts: Parts, gone: list[str]) -> object:
    """Return a JSON value without the lines and memories that hold a part.

    Adds to `gone` what was removed.
    """
    if isinstance(value, str):
        lines = value.split("\n")
        remaining_lines = [line for line in lines if _TAG.match(line) or not parts.are_in(line)]
        gone += [line for line in lines if line not in remaining_lines]
        return "\n".join(remaining_lines)
    if isinstance(value, list):
        rows: list[object] = []
        for item in value:
            before = len(gone)
            fresh = _strip_json_parts(item, parts, gone)
            if isinstance(item, dict) and len(gone) > before:
                gone.append(json.dumps(item))  # a memory: it goes as a whole, and its handle
            else:
                rows.append(fresh)
        return rows
    if isinstance(value, dict):
        return {name: _strip_json_parts(item, parts, gone) for name, item in value.items()}
    return value


def _map_json_strings(value: object, change: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_map_json_strings(item, change) for item in value]
    if isinstance(value, dict):
        return {change(str(name)): _map_json_strings(item, change) for name, item in value.items()}
    return value


def _clean_logs(home: Path, wanted: Sequence[str]) -> list[str]:
    """Remove lines that contain a text of `wanted` from logs; return the searched forms."""
    folded_forms = [
        fold_for_search(form) for text in wanted for form in (text, json.dumps(text)[1:-1])
    ]
    for log in _iter_log_files(home):
        _rewrite_log_lines(
            log,
            lambda line: (
                "" if any(folded in fold_for_search(line) for folded in folded_forms) else line
            ),
        )
    return folded_forms


def _list_session_files(home: Path) -> list[Path]:
    return sorted(
        file
        for file in (home / window.FOLDER).glob("*.json")
        if file.is_file() and not file.is_symlink()
    )


def _read_session_row(file: Path, *, is_dry: bool = False) -> dict[str, object]:
    try:
        row = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        row = None
    if not isinstance(row, dict):  # torn: nobody reads it any more, and it cannot be searched
        if not is_dry:
            file.unlink(missing_ok=True)
        return {}
    return row


def _write_session_row(file: Path, row: object) -> None:
    fs.replace_private(
        file, json.dumps(row, ensure_ascii=False).encode("utf-8", "backslashreplace")
    )


def _explain_leftover(file: Path) -> str:
    """Return why a text is still in a file.

    Gieok's own files that hold the text in its forgotten form are cleaned.
    """
    if ".sqlite" in file.name:
        return "another memory, or the database's own structure, holds the same words"
    if file.suffix == ".md":
        return "something in it that was not forgotten holds the same words"
    return "it is no file in which memories are kept, and holds the same words"


def drop_set_aside(home: Path, *, is_dry: bool = False) -> list[Path]:
    """Remove quarantined files, whose content cannot be searched. Return their folders."""
    folders = sorted(paths.locate_set_aside(home).glob("*"))
    for folder in folders if not is_dry else ():
        shutil.rmtree(folder)
    return folders


def _rewrite_log_lines(file: Path, change: Callable[[str], str], *, is_dry: bool = False) -> bool:
    """Rewrite the lines of a log; return whether the log changed."""
    if not is_dry:
        return fs.rewrite_lines(file, change)
    text = _read_surrogate_text(file)
    return "".join(map(change, text.splitlines(keepends=True))) != text


def _iter_log_files(home: Path) -> Iterator[Path]:
    for pattern in _LOGS:
        yield from (
            file for file in sorted(home.glob(pattern)) if file.is_file() and not file.is_symlink()
        )


def _read_surrogate_text(file: Path) -> str:
    return file.read_bytes().decode("utf-8", "surrogateescape")


def _build_unicode_forms(text: str) -> set[str]:
    return {text, *(unicodedata.normalize(form, text) for form in ("NFC", "NFD"))}


def forms_of(text: str) -> set[bytes]:
    """Return the byte forms in which files may hold a text.

    The forms are composed and decomposed Unicode, each plain and in both kinds of JSON escaping.
    """
    written = {
        w
        for form in _build_unicode_forms(text)
        for w in (form, json.dumps(form)[1:-1], json.dumps(form, ensure_ascii=False)[1:-1])
    }
    return {spelling.encode("utf-8", "replace") for spelling in written}


def _iter_home_files(home: Path) -> Iterator[Path]:
    for file in sorted(home.rglob("*")):
        if (
            file.is_file()
            and not file.is_symlink()
            and "models" not in file.relative_to(home).parts[:1]
        ):
            yield file


def _has_forgotten_form(file: Path, forms: Iterable[bytes]) -> bool:
    try:
        if file.stat().st_size > _LARGEST_BYTES:
            return False
        data = file.read_bytes().lower()
    except OSError:
        return False
    return any(form.lower() in data for form in forms)
