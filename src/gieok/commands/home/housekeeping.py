"""Housekeeping: deletes data that grows beside memories once its days are over.

`gieok archive status` shows the table. Memories themselves, messages and a person's own texts are
never touched here; nor is data that waits for somebody.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from glob import iglob
from pathlib import Path
from shutil import rmtree
from typing import NamedTuple

from gieok.flow.housekeeping import KINDS, HousekeptKind, parse_days_by_kind
from gieok.home.call import Call


class KindRow(NamedTuple):
    """Amount of a kind; `items` is None where only its store knows."""

    kind: HousekeptKind
    items: int | None
    bytes: int


def list_housekept_kinds(call: Call) -> list[HousekeptKind]:
    """Return the table with the days that the user set."""
    own = parse_days_by_kind(call.home.settings.text("housekeeping.keep"))
    return [kind._replace(days=own.get(kind.name, kind.days)) for kind in KINDS]


def count_housekept_kinds(call: Call) -> list[KindRow]:
    """Count each kind; nothing is written."""
    grown = call.home.journal.grown() if call.home.stores.has_journal() else {}
    return [_build_kind_row(call.home.folder, kind, grown) for kind in list_housekept_kinds(call)]


def _build_kind_row(home: Path, kind: HousekeptKind, grown: Mapping[str, int]) -> KindRow:
    if not kind.files:
        return KindRow(kind, grown.get(kind.name), 0)
    kind_files = list(_iter_kind_files(home, kind))
    return KindRow(kind, len(kind_files), sum(map(_measure_path_bytes, kind_files)))


def tidy_home(call: Call, is_stopped: Callable[[], bool] = lambda: False) -> str:
    """Delete expired data, then free disk space where that pays; return a report.

    Safe to kill.
    """
    now, journal = call.clock.now(), call.home.journal
    table = list_housekept_kinds(call)
    counts = {
        kind.name: _drop_old_files(call.home.folder, kind, now) for kind in table if kind.files
    }
    before = {
        kind.name: now - timedelta(days=kind.days) for kind in table if not kind.files and kind.days
    }
    most = next(kind.most for kind in table if kind.name == "rejects")
    counts |= journal.prune(before, most_rejects=most)
    freed = 0
    if not is_stopped():
        freed = journal.compact()
    for store in call.home.stores.all():
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
        # `Path.glob` fails where another process removes a folder meanwhile, as a backup does.
        for name in iglob(pattern, root_dir=home, include_hidden=True):  # noqa: PTH207
            if not (home / name).is_symlink():
                yield home / name


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
