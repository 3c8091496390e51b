"""Housekeeping table: data that grows beside memories, and when it is deleted.

`gieok archive status` shows the table. Memories themselves, messages and a person's own texts are
never touched here; nor is data that waits for somebody.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from shutil import rmtree
from typing import NamedTuple

from gieok.ops.context import Context
from gieok.text.messages import Words

_FOREVER = 0


class HousekeptKind(NamedTuple):
    """Kind of growing data, kept for `days` after the write (0: for ever).

    At most `most` items are kept (0: any number). `files` are patterns below the home folder;
    without any, the kind is rows of the journal.
    """

    name: str
    doc: Words
    days: int
    most: int = 0
    files: tuple[str, ...] = ()


KINDS = (
    HousekeptKind(
        "events",
        Words("unreadable hook events"),
        7,
        files=("spool/*.bad",),
    ),
    HousekeptKind(
        name="shown",
        doc=Words("what sessions were shown"),
        days=30,
        most=40,
        files=("hook/sessions/*.json",),
    ),
    HousekeptKind(
        "logs",
        Words("logs of before"),
        30,
        files=("daemon.log.1", "logs/*.1", "hook/*.jsonl.1"),
    ),
    HousekeptKind(
        "damaged",
        Words("damaged files set aside"),
        90,
        files=("set-aside/*",),
    ),
    HousekeptKind("settings", Words("settings as read"), 90, files=("resolved/*.json",)),
    HousekeptKind(
        "unfinished",
        Words("files that a kill left"),
        1,
        files=tuple(f"{'*/' * n}.*.gieok.tmp" for n in range(4)),
    ),
    HousekeptKind("rejects", Words("lines that were rejected"), _FOREVER, 10_000),
    HousekeptKind("runs", Words("runs of observer and reflector"), 730),
    HousekeptKind("history", Words("replaced observations"), 730),
    HousekeptKind("usage", Words("what models used, by day"), 1_095),
    HousekeptKind("vectors", Words("vectors of texts now gone"), _FOREVER, 50_000),
)


class KindRow(NamedTuple):
    """Amount of a kind; `items` is None where only its store knows."""

    kind: HousekeptKind
    items: int | None
    bytes: int


def parse_days_by_kind(text: str) -> dict[str, int]:
    """Parse `kind=days` pairs joined by commas; return kind → days. Raises ValueError."""
    days_by_kind: dict[str, int] = {}
    known = [kind.name for kind in KINDS if kind.days]
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, days = (piece.strip() for piece in part.partition("="))
        if name not in known or not days.isdigit():
            raise ValueError(f"{part!r}; kinds: {', '.join(known)}")
        days_by_kind[name] = int(days)
    return days_by_kind


def list_housekept_kinds(context: Context) -> list[HousekeptKind]:
    """Return the table with the days that the user set."""
    own = parse_days_by_kind(context.admin.setting("housekeeping.keep"))
    return [kind._replace(days=own.get(kind.name, kind.days)) for kind in KINDS]


def count_housekept_kinds(context: Context) -> list[KindRow]:
    """Count each kind; nothing is written."""
    grown = context.memory.journal().grown() if context.memory.has_journal() else {}
    return [_build_kind_row(context.home, kind, grown) for kind in list_housekept_kinds(context)]


def _build_kind_row(home: Path, kind: HousekeptKind, grown: Mapping[str, int]) -> KindRow:
    if not kind.files:
        return KindRow(kind, grown.get(kind.name), 0)
    kind_files = list(_iter_kind_files(home, kind))
    return KindRow(kind, len(kind_files), sum(map(_measure_path_bytes, kind_files)))


def tidy_home(context: Context, is_stopped: Callable[[], bool] = lambda: False) -> str:
    """Delete expired data, then free disk space where that pays; return a report.

    Safe to kill.
    """
    now, journal = context.clock.now(), context.memory.journal()
    table = list_housekept_kinds(context)
    counts = {kind.name: _drop_old_files(context.home, kind, now) for kind in table if kind.files}
    before = {
        kind.name: now - timedelta(days=kind.days) for kind in table if not kind.files and kind.days
    }
    most = next(kind.most for kind in table if kind.name == "rejects")
    counts |= journal.prune(before, most_rejects=most)
    freed = 0
    if not is_stopped():
        freed = journal.compact()
    for store in context.memory.stores():
        if not is_stopped():
            store.compact()
    parts = [f"{name} {count}" for name, count in counts.items() if count]
    return ", ".join(parts + ([f"{freed / 1e6:.1f} MB"] if freed else []))


def _drop_old_files(home: Path, kind: HousekeptKind, now: datetime) -> int:
    """Remove the files of a kind that are too old, or too many; return their number."""
    kind_files = sorted(_iter_kind_files(home, kind), key=_find_written_time, reverse=True)
    oldest = now.timestamp() - kind.days * 86_400 if kind.days else 0.0
    gone = [
        file
        for number, file in enumerate(kind_files)
        if _find_written_time(file) < oldest or (kind.most and number >= kind.most)
    ]
    for file in gone:
        _remove_file_or_folder(file)
    return len(gone)


def _iter_kind_files(home: Path, kind: HousekeptKind) -> Iterator[Path]:
    for pattern in kind.files:
        yield from (file for file in home.glob(pattern) if not file.is_symlink())


def _find_written_time(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:  # another process removed it
        return 0.0


def _measure_path_bytes(file: Path) -> int:
    try:
        return (
            sum(map(_measure_path_bytes, file.iterdir())) if file.is_dir() else file.stat().st_size
        )
    except OSError:
        return 0


def _remove_file_or_folder(file: Path) -> None:
    if file.is_dir():
        rmtree(file, ignore_errors=True)
    else:
        file.unlink(missing_ok=True)
