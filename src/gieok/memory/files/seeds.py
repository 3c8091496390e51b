"""Seeds of a new memory: agents' own notes, their instruction files, and a project's Git log.

Notes that agents made themselves, and instructions that a user wrote for all projects, belong to
the user's scope; content that a repository brings along (its log, its instructions) is kept in a
scope of its own (`repository_scope`), because others can write to it.
"""

import hashlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import NamedTuple

from gieok.agents.table import fold_folder_path
from gieok.flow.ingest import Failed, SourceItem
from gieok.memory.files.cut import Cut
from gieok.memory.files.read import KIND, cut_note_passages
from gieok.model.memory import Document, Provenance, Scope
from gieok.places.scope import SEEDS
from gieok.ports.code import Commit
from gieok.text.chunk import VERSION as CHUNK_VERSION
from gieok.text.echo import strip_echo
from gieok.text.encoding import convert_line_ends, decode_note_bytes
from gieok.text.keywords import normalise
from gieok.text.markdown import find_markdown_title
from gieok.zone import day_in

COMMIT = "commit"
#: Realm of the journal that holds the folders in which sessions worked.
SESSION_FOLDERS = "folders"
#: An agent reads instructions whole, so they are short; a larger file is something else.
_LARGEST_BYTES = 200_000
_MOST_FILES = 200
_MESSAGE_CHARS = 2_000
_MOST_NAMES = 12
#: Part of every hash: to be raised when documents would change.
_VERSION = 1
#: Agent → file of its user's instructions for all projects, relative to the user's folder.
_USERS = {
    "claude-code": ".claude/CLAUDE.md",
    "codex": ".codex/AGENTS.md",
    "gemini-cli": ".gemini/GEMINI.md",
    "opencode": ".config/opencode/AGENTS.md",
    "qwen-code": ".qwen/QWEN.md",
}
#: Instruction files that a repository may hold.
_PROJECTS = ("CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md", "GEMINI.md", "QWEN.md")


class SeedFile(NamedTuple):
    """File to import, and the key of its document."""

    key: str
    path: Path


def users_files(user: Path) -> list[SeedFile]:
    """Return the user's own instruction files that exist."""
    seeds = (
        SeedFile(f"{SEEDS}/{agent}/{Path(name).name}", user / name)
        for agent, name in _USERS.items()
    )
    return [seed for seed in seeds if seed.path.is_file()]


def agents_notes(projects: Path, folder: str) -> list[SeedFile]:
    """Return Claude Code's own notes about a folder in which it worked.

    `projects` is the folder in which Claude Code keeps its projects.
    """
    notes = projects / fold_folder_path(folder) / "memory"
    files = sorted(notes.glob("**/*.md"))[:_MOST_FILES] if notes.is_dir() else []
    return [
        SeedFile(f"{SEEDS}/claude-code/memory/{path.relative_to(notes).as_posix()}", path)
        for path in files
    ]


def projects_files(root: Path) -> list[SeedFile]:
    """Return the files of instructions that a repository brings along; links are not followed."""
    seeds = (SeedFile(f"{SEEDS}/{name}", root / name) for name in _PROJECTS)
    return [
        seed
        for seed in seeds
        if seed.path.is_file()
        and seed.path.resolve() == root.resolve() / seed.path.relative_to(root)
    ]


def file_items(scope: Scope, files: Iterable[SeedFile], cut: Cut) -> Iterator[SourceItem | Failed]:
    """Yield the items of files."""
    for seed in files:
        try:
            modified = datetime.fromtimestamp(seed.path.stat().st_mtime, UTC)
            with seed.path.open("rb") as opened:
                data = opened.read(_LARGEST_BYTES + 1)
        except OSError as error:
            yield Failed(seed.key, error.strerror or str(error))
            continue
        decoded = decode_note_bytes(data)
        if decoded is None or len(data) > _LARGEST_BYTES:
            yield Failed(seed.key, "no text, or too long for instructions", keeps=False)
            continue
        text = strip_echo(normalise(convert_line_ends(decoded.text)))
        yield _build_seed_item(scope, seed, text, modified, cut)


def _build_seed_item(
    scope: Scope, seed: SeedFile, text: str, modified: datetime, cut: Cut
) -> SourceItem:
    digest = _hash_seed_text(text)
    name = find_markdown_title(text, 0) or seed.path.stem

    def build() -> Document:
        return Document(
            scope=scope,
            key=seed.key,
            kind=KIND,
            title=name,
            text=text,
            content_hash=digest,
            created_at=modified,
            updated_at=modified,
            metadata={"category": "instructions"},
            provenance=(Provenance(str(seed.path), 1, text.count("\n") + 1),),
        )

    return SourceItem(seed.key, digest, build, lambda document: cut_note_passages(document, cut))


def commit_items(
    scope: Scope, root: Path, commits: Iterable[Commit], cut: Cut
) -> Iterator[SourceItem]:
    """Yield the source items of commits, oldest first.

    The newest commit then has the highest ids and is embedded first.
    """
    for commit in reversed(list(commits)):
        yield _commit_item(scope, root, commit, cut)


def _commit_item(scope: Scope, root: Path, commit: Commit, cut: Cut) -> SourceItem:
    key = f"{SEEDS}/commits/{commit.id[:12]}"
    digest = _hash_seed_text(f"{commit.id}{CHUNK_VERSION}")

    def build() -> Document:
        return Document(
            scope=scope,
            key=key,
            kind=COMMIT,
            title=commit.message.partition("\n")[0][:200],
            text=_format_commit_text(commit, cut.zone),
            content_hash=digest,
            created_at=commit.at,
            updated_at=commit.at,
            valid_from=commit.at,
            metadata={"author": commit.author, "commit": commit.id},
            provenance=(Provenance(f"{root}@{commit.id[:12]}"),),
        )

    return SourceItem(key, digest, build, lambda document: cut_note_passages(document, cut))


def _format_commit_text(commit: Commit, zone: tzinfo) -> str:
    """Return the text of a commit's document: its reason, its changes, its author."""
    names = ", ".join(commit.files[:_MOST_NAMES])
    more = f" and {len(commit.files) - _MOST_NAMES} more" if len(commit.files) > _MOST_NAMES else ""
    message = strip_echo(normalise(commit.message[:_MESSAGE_CHARS]))
    return "\n\n".join(
        filter(None, (message, f"{names}{more}", f"{commit.author}, {day_in(commit.at, zone)}"))
    )


def _hash_seed_text(text: str) -> str:
    return hashlib.sha256(f"{_VERSION}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()
