"""State of the comparison of a scope: what was compared, and what was found of it.

Documents are compared once, and then only where they, or the way to judge, have changed.
"""

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gieok import fs
from gieok.memory.talk.cancelled_changes import TakenBack
from gieok.memory.talk.claims.claim import Claim, ClaimEnd, ClaimLink
from gieok.model.memory import Scope
from gieok.places.home import replaced_file

#: To be raised whenever the same statements would be judged differently.
_VERSION = 10
#: Versions whose results hold until a document is compared anew.
_READABLE = range(3, _VERSION + 1)


class Findings(NamedTuple):
    """What comparisons found.

    `links`: links between claims. `ends`: ends that claims state themselves. `taken_back`: lines
    that take back, without naming it, what the line before them states. `likely`: links to lines
    that likely say something else on a claim's subject.
    """

    links: Sequence[ClaimLink] = ()
    ends: Sequence[ClaimEnd] = ()
    taken_back: Sequence[TakenBack] = ()
    likely: Sequence[ClaimLink] = ()

    def of_documents(self, keys: Container[str]) -> "Findings":
        """Return what was found between these documents."""
        return Findings(
            [link for link in self.links if link.old.key in keys and link.new.key in keys],
            [end for end in self.ends if end.old.key in keys],
            [statement for statement in self.taken_back if statement.key in keys],
            [link for link in self.likely if link.old.key in keys and link.new.key in keys],
        )

    def without(self, key: str) -> "Findings":
        """Return what was found without anything from or to a document."""
        return Findings(
            [link for link in self.links if key not in (link.old.key, link.new.key)],
            [end for end in self.ends if end.old.key != key],
            [statement for statement in self.taken_back if statement.key != key],
            [link for link in self.likely if key not in (link.old.key, link.new.key)],
        )

    def and_those(self, other: "Findings") -> "Findings":
        """Return these findings, and others behind them."""
        return Findings(
            [*self.links, *other.links],
            [*self.ends, *other.ends],
            [*self.taken_back, *other.taken_back],
            [*self.likely, *other.likely],
        )

    def settle(self) -> "Findings":
        """Return each once: of links from a claim to a line, and of ends of a claim, the last."""
        return Findings(
            _drop_repeated_links(self.links),
            list({end.old[:3]: end for end in self.ends}.values()),
            sorted(set(self.taken_back)),
            _drop_repeated_links(self.likely),
        )


class ComparedScope(NamedTuple):
    """Scope as it was compared: document → stamp of the compared version, and what was found.

    The stamp is '' where the document is to be compared anew.
    """

    compared: Mapping[str, str]
    found: Findings


def read_compared_scope(home: Path, scope: Scope) -> ComparedScope:
    """Return what is kept of a scope; nothing where nothing readable is kept."""
    try:
        version, *held = json.loads(_locate(home, scope).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ComparedScope({}, Findings().settle())
    if version not in _READABLE:
        return ComparedScope({}, Findings().settle())
    compared, links, stated, taken, *likely = held
    found = Findings(
        _read_link_rows(links),
        [ClaimEnd(Claim(*row[:6]), None, row[6]) for row in stated],
        [TakenBack(*row) for row in taken],
        _read_link_rows(likely[0]) if likely else [],
    )
    return ComparedScope(compared if version == _VERSION else dict.fromkeys(compared, ""), found)


def write_compared_scope(home: Path, scope: Scope, state: ComparedScope) -> None:
    """Keep the state of a scope, in one piece."""
    file = _locate(home, scope)
    found = state.found
    content = (
        _VERSION,
        state.compared,
        _build_link_rows(found.links),
        [(*end.old, end.at) for end in found.ends],
        found.taken_back,
        _build_link_rows(found.likely),
    )
    fs.make_private(file.parent)
    fs.replace_private(file, json.dumps(content))


def _locate(home: Path, scope: Scope) -> Path:
    return Path(replaced_file(str(home), scope.path) + ".links")


def _drop_repeated_links(links: Iterable[ClaimLink]) -> list[ClaimLink]:
    return list({(link.old[:3], link.new[:2]): link for link in links}.values())


def _build_link_rows(links: Iterable[ClaimLink]) -> list[tuple[object, ...]]:
    return [(*link.old, *link.new, link.takes_back, link.at) for link in links]


def _read_link_rows(rows: Iterable[Sequence[Any]]) -> list[ClaimLink]:
    return [ClaimLink(Claim(*row[:6]), Claim(*row[6:12]), *row[12:]) for row in rows]
