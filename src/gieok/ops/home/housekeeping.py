"""What grows beside memories, and when it is let go of: a table, which `gieok archive status`
shows.

Memories themselves, messages and what a person wrote are never touched here; nor is what waits for
anybody.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from shutil import rmtree
from typing import NamedTuple

from gieok.ops.context import Context
from gieok.ops.operation import Words

_FOREVER = 0


class Kind(NamedTuple):
    """Something that grows. It is kept for `days` since it was written (0: for ever), and at most
    `most` of it (0: any number).

    `files` are patterns below the home folder; without any, it is rows of the journal.
    """

    name: str
    doc: Words
    days: int
    most: int = 0
    files: tuple[str, ...] = ()


KINDS = (
    Kind(
        "events",
        Words("unreadable hook events", "읽을 수 없는 훅 이벤트"),
        7,
        files=("spool/*.bad",),
    ),
    Kind(
        name="shown",
        doc=Words("what sessions were shown", "세션에 보인 것"),
        days=30,
        most=40,
        files=("hook/sessions/*.json",),
    ),
    Kind(
        "logs",
        Words("logs of before", "지난 로그"),
        30,
        files=("daemon.log.1", "logs/*.1", "hook/*.jsonl.1"),
    ),
    Kind(
        "damaged",
        Words("damaged files set aside", "따로 둔 망가진 파일"),
        90,
        files=("set-aside/*",),
    ),
    Kind("settings", Words("settings as read", "읽어 둔 설정"), 90, files=("resolved/*.json",)),
    Kind(
        "unfinished",
        Words("files that a kill left", "쓰다 만 파일"),
        1,
        files=tuple(f"{'*/' * n}.*.gieok.tmp" for n in range(4)),
    ),
    Kind("rejects", Words("lines that were rejected", "거부된 줄"), _FOREVER, 10_000),
    Kind("runs", Words("runs of observer and reflector", "관찰과 성찰의 실행 기록"), 730),
    Kind("history", Words("replaced observations", "바뀐 관찰의 이력"), 730),
    Kind("usage", Words("what models used, by day", "날마다 모델이 쓴 양"), 1_095),
    Kind("vectors", Words("vectors of texts now gone", "없어진 글의 벡터"), _FOREVER, 50_000),
)


class KindRow(NamedTuple):
    """How much there is of a kind; `items` is None where only its store knows."""

    kind: Kind
    items: int | None
    bytes: int


def days_of(text: str) -> dict[str, int]:
    """Return kind → days, of `kind=days` joined by commas. Raises ValueError."""
    found: dict[str, int] = {}
    known = [kind.name for kind in KINDS if kind.days]
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, days = (piece.strip() for piece in part.partition("="))
        if name not in known or not days.isdigit():
            raise ValueError(f"{part!r}; kinds: {', '.join(known)}")
        found[name] = int(days)
    return found


def kinds(context: Context) -> list[Kind]:
    """Return the table with the days that the user set."""
    own = days_of(context.admin.setting("housekeeping.keep"))
    return [kind._replace(days=own.get(kind.name, kind.days)) for kind in KINDS]


def rows(context: Context) -> list[KindRow]:
    """Count what there is; nothing is written."""
    grown = context.memory.journal().grown() if context.memory.has_journal() else {}
    return [_row(context.home, kind, grown) for kind in kinds(context)]


def _row(home: Path, kind: Kind, grown: Mapping[str, int]) -> KindRow:
    if not kind.files:
        return KindRow(kind, grown.get(kind.name), 0)
    found = list(_files(home, kind))
    return KindRow(kind, len(found), sum(map(_size, found)))


def tidy(context: Context, is_stopped: Callable[[], bool] = lambda: False) -> str:
    """Let go of what is too old, then give space back where that pays; return what was done. Safe
    to kill.
    """
    now, journal = context.clock.now(), context.memory.journal()
    table = kinds(context)
    done = {kind.name: _clear(context.home, kind, now) for kind in table if kind.files}
    before = {
        kind.name: now - timedelta(days=kind.days) for kind in table if not kind.files and kind.days
    }
    most = next(kind.most for kind in table if kind.name == "rejects")
    done |= journal.prune(before, most_rejects=most)
    freed = 0
    if not is_stopped():
        freed = journal.compact()
    for store in context.memory.stores():
        if not is_stopped():
            store.compact()
    said = [f"{name} {count}" for name, count in done.items() if count]
    return ", ".join(said + ([f"{freed / 1e6:.1f} MB"] if freed else []))


def _clear(home: Path, kind: Kind, now: datetime) -> int:
    """Remove the files of a kind that are too old, or too many; return how many."""
    found = sorted(_files(home, kind), key=_written, reverse=True)
    oldest = now.timestamp() - kind.days * 86_400 if kind.days else 0.0
    gone = [
        file
        for number, file in enumerate(found)
        if _written(file) < oldest or (kind.most and number >= kind.most)
    ]
    for file in gone:
        _remove(file)
    return len(gone)


def _files(home: Path, kind: Kind) -> Iterator[Path]:
    for pattern in kind.files:
        yield from (file for file in home.glob(pattern) if not file.is_symlink())


def _written(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:  # another process removed it
        return 0.0


def _size(file: Path) -> int:
    try:
        return sum(map(_size, file.iterdir())) if file.is_dir() else file.stat().st_size
    except OSError:
        return 0


def _remove(file: Path) -> None:
    if file.is_dir():
        rmtree(file, ignore_errors=True)
    else:
        file.unlink(missing_ok=True)
