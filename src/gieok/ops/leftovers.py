"""What a forgotten text left in Gieok's home beside the databases: logs, spool, damaged files that were set aside."""

import json
import re
import shutil
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from gieok import paths

#: A shorter line says too little to be looked for.
_SHORTEST = 12
_MOST_NEEDLES = 200
_LARGEST_BYTES = 200_000_000
#: What a text is replaced by where it cannot be cut out whole.
_PLACEHOLDER = "[forgotten]"
#: Files of lines that stand alone.
_LINES = (".log", ".jsonl", ".1")


def without(text: str) -> Callable[[str], str]:
    """Return what takes a text out of others, in any case."""
    pattern = re.compile("|".join(re.escape(form) for form in _forms(text)), re.IGNORECASE)
    return lambda whole: pattern.sub(_PLACEHOLDER, whole)


def needles(texts: Iterable[str]) -> list[str]:
    """Return the lines of texts that are long enough to be looked for."""
    lines = (line.strip() for text in texts for line in text.splitlines())
    return list(dict.fromkeys(line for line in lines if len(line) >= _SHORTEST))[:_MOST_NEEDLES]


def clean(home: Path, wanted: Sequence[str]) -> list[tuple[str, str]]:
    """Take lines that hold one of `wanted` out of logs, remove set-aside files that do; return where else it still is."""
    if not wanted:
        return []
    pattern = _bytes_pattern(wanted)
    still: list[tuple[str, str]] = []
    for folder in sorted(paths.aside(home).glob("*")):
        if any(_holds(file, pattern) for file in folder.rglob("*")):
            shutil.rmtree(folder)
    for file in _files(home):
        if not _holds(file, pattern):
            continue
        if _is_log(home, file):
            _drop_lines(file, pattern)
        elif file.parent == paths.spool(home):
            file.unlink(missing_ok=True)  # says where a transcript is, no more
        else:
            still.append((str(file), "another memory, or something you wrote there, holds the same words"))
    return still


def rewrite(home: Path, change: Callable[[str], str], *, is_dry: bool) -> int:
    """Change the lines of logs and labels, and remove what was set aside; return how many files that is."""
    done = 0
    for file in _files(home):
        if not _is_log(home, file) or file.stat().st_size > _LARGEST_BYTES:
            continue
        text = file.read_bytes().decode("utf-8", "surrogateescape")
        fresh = "".join(map(change, text.splitlines(keepends=True)))
        done += fresh != text
        if fresh != text and not is_dry:
            paths.replace_private(file, fresh.encode("utf-8", "surrogateescape"))
    for folder in sorted(paths.aside(home).glob("*")):
        done += 1
        if not is_dry:
            shutil.rmtree(folder)
    return done


def _bytes_pattern(wanted: Iterable[str]) -> re.Pattern[bytes]:
    """Return a pattern of every form in which a text may stand in a file."""
    forms = {form for text in wanted for form in _forms(text)}
    forms |= {json.dumps(form)[1:-1] for form in forms}
    return re.compile(b"|".join(re.escape(form.encode("utf-8", "replace")) for form in sorted(forms)), re.IGNORECASE)


def _forms(text: str) -> set[str]:
    return {text, *(unicodedata.normalize(form, text) for form in ("NFC", "NFD"))}


def _files(home: Path) -> Iterator[Path]:
    for file in sorted(home.rglob("*")):
        if file.is_file() and not file.is_symlink() and "models" not in file.relative_to(home).parts[:1]:
            yield file


def _is_log(home: Path, file: Path) -> bool:
    """Say whether a file is of lines that stand alone; what is trusted of projects is not: records go with their grants."""
    return file.suffix in _LINES and file.relative_to(home).parts[0] != "trust"


def _holds(file: Path, pattern: re.Pattern[bytes]) -> bool:
    try:
        if not file.is_file() or file.stat().st_size > _LARGEST_BYTES:
            return False
        return pattern.search(file.read_bytes()) is not None
    except OSError:
        return False


def _drop_lines(file: Path, pattern: re.Pattern[bytes]) -> None:
    kept = [line for line in file.read_bytes().splitlines(keepends=True) if not pattern.search(line)]
    paths.replace_private(file, b"".join(kept))
