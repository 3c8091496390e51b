"""Kinds of data that grow beside memories, and how long each is kept.

Memories themselves, messages and a person's own texts are never among them; nor is data that waits
for somebody.
"""

from typing import NamedTuple

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
        files=("daemon.log.[0-9]*", "logs/*.1", "hook/*.jsonl.1"),
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
