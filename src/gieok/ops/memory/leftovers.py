"""Removes a text from what Gieok keeps beside its databases: logs, hook events, quarantined files."""

import json
import shutil
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from gieok import paths
from gieok.text.keywords import folded

#: Shorter lines are too common to search for.
_SHORTEST = 12
_MOST_NEEDLES = 200
_LARGEST_BYTES = 200_000_000
#: Gieok's own files of lines that stand alone. Others below the home folder are the user's, whatever they are called.
_LOGS = ("daemon.log*", "logs/*", "hook/*.jsonl*", "labels.jsonl")


def needles(texts: Iterable[str]) -> list[str]:
    """Return the lines of texts that are long enough to search for."""
    lines = (line.strip() for text in texts for line in text.splitlines())
    return list(dict.fromkeys(line for line in lines if len(line) >= _SHORTEST))[:_MOST_NEEDLES]


def clean(home: Path, wanted: Sequence[str]) -> list[tuple[str, str]]:
    """Remove lines that contain one of `wanted` (case-insensitive) from logs and hook events; return where it is left."""
    if not wanted:
        return []
    found = [folded(form) for text in wanted for form in (text, json.dumps(text)[1:-1])]
    for log in _logs(home):
        _rewrite(log, lambda line: "" if any(one in folded(line) for one in found) else line)
    for event in sorted(paths.spool(home).glob("*")):  # holds only the path of a transcript
        if event.is_file() and any(one in folded(_text(event)) for one in found):
            event.unlink(missing_ok=True)
    forms = {form.encode("utf-8", "replace") for text in wanted for form in _forms(text)}
    return [
        (str(file), "another memory, its own structure, or something you wrote there holds the same words")
        for file in _files(home)
        if _holds(file, forms)
    ]


def rewrite(home: Path, change: Callable[[str], str], *, is_dry: bool) -> int:
    """Change the lines of logs and labels; return how many files differ."""
    return sum(_rewrite(log, change, is_dry=is_dry) for log in _logs(home))


def drop_set_aside(home: Path, *, is_dry: bool = False) -> list[Path]:
    """Remove quarantined files, whose content cannot be searched. Return their folders."""
    folders = sorted(paths.aside(home).glob("*"))
    for folder in folders if not is_dry else ():
        shutil.rmtree(folder)
    return folders


def _rewrite(file: Path, change: Callable[[str], str], *, is_dry: bool = False) -> bool:
    """Rewrite the lines of a file in place, because a daemon may be appending; say whether it changed."""
    text = _text(file)
    fresh = "".join(map(change, text.splitlines(keepends=True)))
    if fresh == text:
        return False
    if not is_dry:
        with file.open("r+b") as opened:
            opened.write(fresh.encode("utf-8", "surrogateescape"))
            opened.truncate()
    return True


def _logs(home: Path) -> Iterator[Path]:
    for pattern in _LOGS:
        yield from (file for file in sorted(home.glob(pattern)) if file.is_file() and not file.is_symlink())


def _text(file: Path) -> str:
    return file.read_bytes().decode("utf-8", "surrogateescape")


def _forms(text: str) -> set[str]:
    return {text, *(unicodedata.normalize(form, text) for form in ("NFC", "NFD"))}


def _files(home: Path) -> Iterator[Path]:
    for file in sorted(home.rglob("*")):
        if file.is_file() and not file.is_symlink() and "models" not in file.relative_to(home).parts[:1]:
            yield file


def _holds(file: Path, forms: Iterable[bytes]) -> bool:
    try:
        if file.stat().st_size > _LARGEST_BYTES:
            return False
        data = file.read_bytes().lower()
    except OSError:
        return False
    return any(form.lower() in data for form in forms)
