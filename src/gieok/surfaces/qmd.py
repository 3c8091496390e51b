"""`gieok-qmd`: stands in for `qmd`, which OpenClaw calls, and answers from Gieok's index.

OpenClaw up to 2026.7 calls the command for `memory.backend: "qmd"`.

Only the commands that OpenClaw calls and the options that it passes are supported; unknown ones are
ignored, because OpenClaw tries variants. A collection is a folder with a pattern; all collections
of an agent are one scope, and become roots that `gieok index` and `gieok search` know.
"""

import json
import os
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from fnmatch import fnmatch
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from gieok import __version__, fs
from gieok.commands.request import run_checked_command
from gieok.errors import GieokError, NotIndexed
from gieok.home.call import Call
from gieok.memory.files import roots, sync
from gieok.model.retrieval import Hit
from gieok.surfaces import streams
from gieok.surfaces.progress import Progress

#: Words that OpenClaw looks for in the help: whether one call may name several collections.
_HELP = """Usage: gieok-qmd COMMAND (what OpenClaw needs of qmd, answered by Gieok)

  collection list|show|add|remove   folders that are searched
  search|vsearch|query "…" --json   all three search by words and meaning
      -n NUMBER                     how many results
      -c, --collection NAME         filter by one or more collections
  update, embed                     bring the index in line with the folders
  status
"""
_NOTE = "qmd.collections"
_DEFAULT_MASK = "**/*.md"
_DEFAULT_RESULTS = 5
#: Hits fetched per wanted hit when only some collections are searched: the others are filtered out.
_SPARE = 5


class Collection(NamedTuple):
    """Folder with a pattern of file names."""

    name: str
    path: Path
    pattern: str

    @property
    def root(self) -> Path:
        """Return the path to index: a single file if the pattern is a plain name, else the
        folder.
        """
        return self.path if any(c in self.pattern for c in "*?[") else self.path / self.pattern

    def holds(self, file: Path) -> bool:
        """Return whether a file matches the collection."""
        if not file.is_relative_to(self.path):
            return False
        relative = file.relative_to(self.path).as_posix()
        return fnmatch(relative, self.pattern) or fnmatch(
            relative, self.pattern.removeprefix("**/")
        )


class _QmdRefusal(Exception):
    """Refusal that OpenClaw recognises by its text: printed on stderr, exit status 1."""


def run() -> int:
    """Run the command of this process, with its streams guarded."""
    return streams.run_process_command(main)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command as qmd would and return its exit status."""
    argv = list(sys.argv[1:] if arguments is None else arguments)
    if not argv or argv[0] in ("--help", "-h", "help"):
        return _print_qmd_answer(_HELP)
    if argv[0] in ("--version", "-v"):
        return _print_qmd_answer(f"qmd 2.8.3 (gieok {__version__})")
    command = _COMMANDS.get(argv[0])
    if command is None:
        return _print_qmd_error(f"Unknown command: {argv[0]}")
    try:
        with Progress(sys.stderr) as progress:
            call = _open_qmd_context(progress)
            return _print_qmd_answer(command(call, argv[1:]))
    except _QmdRefusal as refused:
        return _print_qmd_error(str(refused))
    except GieokError as error:
        return _print_qmd_error(error.in_full)


def _open_qmd_context(progress: Progress) -> Call:
    from gieok.home.calls import open_call

    agent = _find_calling_agent(os.environ.get("XDG_CACHE_HOME", ""))
    return open_call(
        {"scope": f"agent:{agent}"} if agent else {}, say=progress.say, tell=progress.tell
    )


def _find_calling_agent(cache: str) -> str:
    """Return the agent for which OpenClaw calls: its folder is `…/agents/<id>/qmd/xdg-cache`."""
    parts = Path(cache).parts
    return parts[-3] if len(parts) > 3 and parts[-4] == "agents" and parts[-2] == "qmd" else ""


def _print_qmd_answer(text: str) -> int:
    streams.write_answer_text(text, "utf-8")
    return 0


def _print_qmd_error(text: str) -> int:
    sys.stderr.write(text.encode("utf-8", "replace").decode() + "\n")
    return 1


def _select_option_values(argv: Sequence[str], *names: str) -> list[str]:
    """Return all values of an option, in each of its spellings."""
    pairs = pairwise(argv)
    return [value for name, value in pairs if name in names] + [
        text.partition("=")[2] for text in argv if text.partition("=")[0] in names and "=" in text
    ]


def _load_collections(call: Call) -> list[Collection]:
    raw = json.loads(call.home.store.notes(call.scope).get(_NOTE, "") or "[]")
    return [Collection(c["name"], Path(c["path"]), c["pattern"]) for c in raw]


def _save_collections(call: Call, collections: Sequence[Collection]) -> None:
    raw = [{"name": c.name, "path": str(c.path), "pattern": c.pattern} for c in collections]
    call.home.notes.update_note(call.scope, _NOTE, lambda _: json.dumps(raw))
    _write_index_file(call, collections)


def _run_collection_command(call: Call, argv: Sequence[str]) -> str:
    known = _load_collections(call)
    verb, rest = (argv[0] if argv else "list"), list(argv[1:])
    if verb == "list":
        return _format_collections(known, as_json="--json" in rest)
    if verb == "add":
        return _add_collection(call, known, rest)
    named = [c for c in known if rest and c.name == rest[0]]
    if verb not in ("show", "remove") or not named:
        raise _QmdRefusal(f"Collection not found: {rest[0] if rest else ''}")
    if verb == "show":
        return (
            f"Collection: {named[0].name}\n  Path:     {named[0].path}\n  Pattern:  "
            f"{named[0].pattern}"
        )
    remaining = [c for c in known if c not in named]
    if not any(c.root == named[0].root for c in remaining):
        roots.retire_roots(call.home.notes, call.scope, [named[0].root])
        sync.forget_retired(call.home.store, call.scope)
    _save_collections(call, remaining)
    return f"Removed {named[0].name}"


def _format_collections(known: Sequence[Collection], *, as_json: bool) -> str:
    if as_json:
        return json.dumps(
            [{"name": c.name, "path": str(c.path), "pattern": c.pattern} for c in known]
        )
    return (
        "\n".join(f"{c.name} (qmd://{c.name}/)\n  Pattern:  {c.pattern}" for c in known)
        or "No collections"
    )


def _add_collection(call: Call, known: list[Collection], argv: list[str]) -> str:
    path = Path(os.path.normpath(call.caller.path(argv[0] if argv else ".")))
    pattern = next(
        iter(_select_option_values(argv, "--mask", "--glob", "--pattern")), _DEFAULT_MASK
    )
    collection = Collection(
        next(iter(_select_option_values(argv, "--name")), path.name), path, pattern
    )
    if any(c.name == collection.name for c in known):
        raise _QmdRefusal(f"Collection '{collection.name}' already exists.")
    for same in (c for c in known if c[1:] == collection[1:]):
        raise _QmdRefusal(
            f"A collection already exists for this path and pattern:\n  Name: {same.name} "
            f"(qmd://{same.name}/)"
        )
    roots.add_roots(call.home.notes, call.scope, [collection.root])
    _save_collections(call, [*known, collection])
    return f"Collection '{collection.name}' created"


def _update_collections(call: Call, argv: Sequence[str]) -> str:
    """Index all collections, vectors too: in its default mode OpenClaw never calls `embed`."""
    del argv
    from gieok.commands.memory.index import index_memory

    known = _load_collections(call)
    present = [str(c.root) for c in known if c.root.exists()]
    if present:
        index_memory(call, paths=present)
    _write_index_file(call, known)
    return f"Updated {len(present)} of {len(known)} collections"


def _format_qmd_status(call: Call, argv: Sequence[str]) -> str:
    del argv
    stats = call.home.store.stats(call.scope)
    return (
        f"QMD Status (gieok {__version__})\n  Documents: {stats.documents}\n  Vectors:  "
        f"{stats.vectors} embedded"
    )


def _search_collections(call: Call, argv: Sequence[str]) -> str:
    from gieok.commands.memory.search import search_memory

    known = _load_collections(call)
    names = _select_option_values(argv, "-c", "--collection")
    chosen = [c for c in known if not names or c.name in names]
    limit = int(next(iter(_select_option_values(argv, "-n", "--limit")), _DEFAULT_RESULTS))
    fetch_limit = limit if len(chosen) == len(known) else limit * _SPARE
    score = float(next(iter(_select_option_values(argv, "--min-score")), -1.0))
    try:
        found = run_checked_command(
            search_memory, call, query=list(argv[:1]), limit=fetch_limit, min_score=score
        )
        hits = found.ranked.hits
    except NotIndexed:
        hits = ()
    folders = roots.load_roots(call.home.store, call.scope)
    shown = [item for hit in hits if (item := _build_qmd_hit(hit, folders, chosen))]
    return json.dumps(shown[:limit], ensure_ascii=False)


def _build_qmd_hit(
    hit: Hit, folders: list[roots.Root], chosen: Sequence[Collection]
) -> dict[str, object] | None:
    """Return a hit in qmd's form, without `docid`: OpenClaw then resolves `file`."""
    p = hit.passage
    files = [root.file(p.key.removeprefix(f"{root.name}/")) for root in folders if root.owns(p.key)]
    match = next(((c, file) for file in files for c in chosen if c.holds(file)), None)
    if match is None:
        return None
    collection, file = match
    return {
        "score": round(hit.score, 4),
        "file": f"qmd://{collection.name}/{file.relative_to(collection.path).as_posix()}",
        "line": p.start_line,
        "title": p.title,
        "snippet": f"@@ -{p.start_line},{p.end_line - p.start_line + 1} @@\n\n{hit.snippet}",
        "start_line": p.start_line,
        "end_line": p.end_line,
    }


def _write_index_file(call: Call, collections: Sequence[Collection]) -> None:
    """Write the list of documents as the database that `openclaw memory status` opens."""
    cache = call.caller.environment.get("XDG_CACHE_HOME")
    if not cache:
        return
    file = Path(cache) / "qmd" / "index.sqlite"
    fs.create_private(file)
    folders = roots.load_roots(call.home.store, call.scope)
    rows = []
    for key, content_hash in call.home.store.hashes(call.scope).items():
        is_whole = roots.file_key(key) == key
        files = [
            root.file(key.removeprefix(f"{root.name}/"))
            for root in folders
            if is_whole and root.owns(key)
        ]
        for name, path, document in (
            (c.name, c.path, f) for f in files for c in collections if c.holds(f)
        ):
            rows.append((name, document.relative_to(path).as_posix(), content_hash, 1))
    with closing(sqlite3.connect(file)) as db, db:
        db.execute(
            "CREATE TABLE IF NOT EXISTS documents (collection TEXT, path TEXT, hash TEXT, "
            "active INTEGER)"
        )
        db.execute("DELETE FROM documents")
        db.executemany("INSERT INTO documents VALUES (?, ?, ?, ?)", rows)


_COMMANDS: dict[str, Callable[[Call, Sequence[str]], str]] = {
    "collection": _run_collection_command,
    "update": _update_collections,
    "embed": _update_collections,
    "status": _format_qmd_status,
    "search": _search_collections,
    "vsearch": _search_collections,
    "query": _search_collections,
}
