"""Files of Gieok in a project's `.gieok/code/`, and their places."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from gieok import fs
from gieok.places.home import PROJECT_FOLDER
from gieok.places.workplace import project_root

FOLDER = Path(PROJECT_FOLDER, "code")
#: Years of syncs; a longer log is not read.
_LARGEST_LOG_BYTES = 64_000_000
_INDEX = "index.sqlite"
#: Keeps the index out of the repository.
_IGNORE = "# index of `gieok code`: it can be rebuilt\n*\n"
CONFIG = """# Settings of `gieok code` for this project; what is left out has the value shown here.
# ignore: patterns as in .gitignore, of files that are not to be indexed
ignore: []
# When a change asks for a deeper look (0: never; what is tighter counts once `gieok trust` trusts
# this file):
# escalation: {new_modules: 1, new_classes: 1, files: 11, import_depth: 2, quality: 80,
#   failed_validations: 3}
# How files are cut into passages, in characters (a change reads every file again, and counts once
# `gieok trust` trusts this file):
# chunking: {largest: 3000, tiny: 40}
# How `code query` weighs what it finds, in percent, how many matches bring their neighbours, and
# how many answers it gives:
# search: {tests: 30, examples: 30, documents: 25, repeated: 85, neighbours: 3, answers: 8}
# Which symbols a model summarises, where one is asked to (more than this counts once `gieok trust`
# trusts this file): functions from so many lines on; 1: also those of tests, of examples
# summaries: {least_lines: 3, tests: 0, examples: 0}
"""


def index_file(root: Path) -> Path:
    """Return the file that holds a project's index."""
    return root / FOLDER / _INDEX


def find_root(start: Path) -> Path | None:
    """Return the nearest indexed project at or above `start`.

    A repository is never part of a project around it.
    """
    root = project_root(str(start), str(FOLDER.relative_to(PROJECT_FOLDER) / _INDEX))
    return Path(root) if root else None


def prepare_code_folder(root: Path) -> None:
    """Create the code folder with its settings and a `.gitignore`, where they are missing."""
    folder = root / FOLDER
    fs.make_private(folder)
    for name, text in (("config.yaml", CONFIG), (".gitignore", _IGNORE)):
        fs.create_new_file(folder / name, text, 0o644)


def append_log(root: Path, name: str, row: Mapping[str, object]) -> None:
    """Append a line to `logs/NAME.jsonl`, in one write.

    So lines of several processes do not mix.
    """
    file = root / FOLDER / "logs" / f"{name}.jsonl"
    fs.append_private_text(file, json.dumps(row, ensure_ascii=False) + "\n")


def read_last_log_row(root: Path, name: str) -> dict[str, object]:
    """Return the newest row of a log; empty where there is none."""
    return next(reversed(list(read_code_log(root, name))), {})


def read_code_log(root: Path, name: str) -> Iterator[dict[str, object]]:
    """Yield the rows of a log; invalid lines are skipped."""
    try:
        data = fs.read_regular_file(root / FOLDER / "logs" / f"{name}.jsonl", _LARGEST_LOG_BYTES)
    except OSError:
        return
    for line in data.decode("utf-8", "replace").split("\n"):  # a string may hold other line ends
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            yield row


def write_code_file(root: Path, name: str, text: str) -> Path:
    """Replace a file below the code folder, in one step; return its path."""
    file = root / FOLDER / name
    fs.replace_private(file, text.encode("utf-8", "replace"))
    return file
