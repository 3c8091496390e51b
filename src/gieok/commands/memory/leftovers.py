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
from gieok.commands.memory import shown_words
from gieok.commands.memory.shown_words import CorrectedWords
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


def clean_corrected(home: Path, corrections: Sequence[CorrectedWords]) -> None:
    """Remove the texts of memories before their corrections from logs.

    What sessions were shown is marked.
    """
    _clean_logs(home, select_needles(correction.before for correction in corrections))
    shown_words.mark_corrected(home, corrections)


def rewrite_kept_texts(home: Path, change: Callable[[str], str], *, is_dry: bool) -> int:
    """Rewrite the lines of logs, labels and session files; return how many files differ."""
    count = sum(_rewrite_log_lines(log, change, is_dry=is_dry) for log in _iter_log_files(home))
    with fs.lock_resource(home, home / window.FOLDER):
        for file in shown_words.list_session_files(home):
            row = shown_words.read_session_row(file, is_dry=is_dry)
            if (fresh := _map_json_strings(row, change)) != row:
                count += 1
                if not is_dry:
                    shown_words.write_session_row(file, fresh)
    return count


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
