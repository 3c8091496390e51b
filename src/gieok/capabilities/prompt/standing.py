"""What of the statements found holds no more, as `observe.replaced` found out. Imported by the hook: see the package."""

import json

from gieok import places
from gieok.capabilities.prompt import choice
from gieok.capabilities.prompt.inject import InjectedMemory
from gieok.text.turns import spoken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from gieok.capabilities.prompt.matches import Match

    class Lines(Protocol):
        """A read-only view of a store; `IndexReader` documents the method."""

        def line(self, scope: str, key: str, number: int) -> str:
            """Return a line of a document."""


class EndedLine:
    """A statement that holds no more: since when (Unix seconds), and the line that holds in its place, with its sum."""

    __slots__ = ("at", "check", "key", "line", "scope")

    def __init__(self, scope: str, key: str, line: int, check: int, at: float) -> None:
        self.scope, self.key, self.line, self.check, self.at = scope, key, line, check, at

    @property
    def handle(self) -> str:
        """Return the handle of what holds in its place."""
        return places.handle(self.scope, self.key, self.line if self.key.startswith(f"{places.SESSIONS}/") else 0)

    @property
    def status(self) -> str:
        """Return the words for it."""
        return f"{self.since}, by {self.handle}"

    @property
    def since(self) -> str:
        """Return the words for it, without what replaced it."""
        return f"replaced on {self.day}"

    @property
    def day(self) -> str:
        """Return the day since when it holds no more."""
        return choice.day(self.at)


class Standing:
    """What holds no more, of every scope that is asked for; each file is read once."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._known: dict[str, dict[tuple[str, int], tuple[int, EndedLine, bool]]] = {}

    def ended(self, scope: str, key: str, line: int, text: str) -> "EndedLine | None":
        """Return what became of a line, if it still says what was compared; None where it holds."""
        found = self.after(scope, key, line, text)
        return found[0] if found and found[1] else None

    def every(self, scope: str) -> "list[tuple[str, int, EndedLine]]":
        """Return (key, line, what holds in its place) of every line of a scope that holds no more."""
        self.after(scope, "", 0, "")
        return [(*name, found) for name, (_, found, is_sure) in self._known[scope].items() if is_sure]

    def after(self, scope: str, key: str, line: int, text: str) -> "tuple[EndedLine, bool] | None":
        """Return what stands before a line, and whether the line holds no more; None where nothing does."""
        if scope not in self._known:
            self._known[scope] = _read(places.replaced_file(self._home, scope))
        check, found, is_sure = self._known[scope].get((key, line), (0, None, False))
        return (found, is_sure) if found and check == places.line_check(text) else None


def _read(file: str) -> "dict[tuple[str, int], tuple[int, EndedLine, bool]]":
    try:
        with open(file, encoding="utf-8") as opened:
            rows = json.load(opened)
    except (OSError, ValueError):
        return {}
    return {
        (row[0], row[1]): (row[2], EndedLine(*row[3 : places.REPLACED_FIELDS]), len(row) == places.REPLACED_FIELDS)
        for row in rows
        if len(row) in (places.REPLACED_FIELDS, places.REPLACED_FIELDS + 1)
    }


def newest_first(
    found: "Sequence[Match]", shown: "Sequence[InjectedMemory]", home: str, reader: "Lines"
) -> "list[InjectedMemory]":
    """Return matches as they are shown, marked where they hold no more, and behind what holds in their place.

    That is looked up where it was not found. `shown` are the memories of `found`, best first.
    """
    standing = Standing(home)
    by_handle = {memory.handle: memory for memory in shown}
    made: list[InjectedMemory] = []
    for match, memory in zip(found, shown, strict=True):
        line = _line_of(memory.handle) or match.first_line
        after = standing.after(memory.scope, match.key, line, match.text)
        if after is not None:
            ended, is_sure = after
            memory.status = ended.status if is_sure else memory.status
            new = by_handle.get(ended.handle) or _looked_up(ended, memory, reader)
            if new is not None and new not in made:
                new.score = max(new.score, memory.score)
                made.append(new)
        if memory not in made:
            made.append(memory)
    return made


def _line_of(handle: str) -> int:
    return int(handle.partition(".")[2] or 0)


def _looked_up(ended: EndedLine, old: InjectedMemory, reader: "Lines") -> InjectedMemory | None:
    """Return what holds in the place of a memory, as a turn is shown; None where it is none, or says something else by now."""
    text = reader.line(ended.scope, ended.key, ended.line)
    turn = spoken([text], 1)
    if turn is None or places.line_check(text) != ended.check:
        return None
    return InjectedMemory(
        title="", citation="", text=turn.text, who=turn.who, day=choice.day(ended.at), scope=ended.scope,
        handle=ended.handle, score=old.score, is_sure=old.is_sure,
    )  # fmt: skip
