"""Finds which found claims hold no more, or have something later beside them, as
`memory.talk.claims` recorded.

Imported by the hook: see the package. A claim is a sentence, or a fact of one: a passage that
consists of the ended claim alone has ended; of any other passage only a part has ended.

A claim on whose subject something was said later may hold or not. It is shown behind what was said
later, and both say so (`LaterStatement.status`, `SAID_LATER`).
"""

from gieok.hook import choice
from gieok.hook.inject import InjectedMemory
from gieok.places.home import later_file, replaced_file
from gieok.ranking.claim_rows import LaterClaim, RecordedClaims, TextPlace
from gieok.text.claim_share import is_whole_claim
from gieok.text.turns import read_spoken_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Protocol

    from gieok.hook.matches import Match

    class Lines(Protocol):
        """A read-only view of a store; `IndexReader` documents the method."""

        def line(self, scope: str, key: str, number: int) -> str:
            """Return a line of a document."""


_LONGEST_QUOTE = 80


#: Status of a statement that is shown before an earlier one on the same subject, and of that one.
SAID_LATER = "said later, perhaps on the same subject"
SAID_EARLIER = "said earlier; perhaps changed by what was said on {day}: {handle}"

#: Statuses of a claim that holds no more: of a passage that is the claim, and of one with more.
WHOLE_REPLACED = "replaced on {day}, by {handle}"
WHOLE_ENDED = "ended on {day}"
PART_REPLACED = '"{quoted}" was replaced on {day}, by {handle}'
PART_ENDED = '"{quoted}" was ended on {day}'


def say_later(status: str) -> str:
    """Return the status of a statement that is shown before an earlier one on the same subject."""
    if SAID_LATER in status or status == choice.CURRENT:
        return status
    return "; ".join(filter(None, (status, SAID_LATER)))


class LaterStatement(LaterClaim):
    """Line that was said later on the subject of a claim, which may hold or not."""

    __slots__ = ()

    @property
    def day(self) -> str:
        """Return the day on which the line was said."""
        return choice.day(self.at)

    @property
    def status(self) -> str:
        """Return the words for the earlier claim, with the handle of the later line."""
        return SAID_EARLIER.format(day=self.day, handle=self.handle)


class EndedClaim(LaterClaim):
    """Claim that holds no more: since when (Unix seconds), its words, and its replacement.

    The replacement is a line. `key` is '' for a claim that nothing replaced: the claim itself said
    until when it holds. `is_whole`: the passage says nothing else.
    """

    words = ""
    is_whole = True

    def note_words(self, words: str, text: str) -> None:
        """Note the words of the claim, and whether a passage with this text says nothing else.

        The front matter of a whole record, and a heading that repeats its title, say nothing.
        """
        if text.startswith("---\n"):
            from gieok.hook.records import own_text  # no prompt that meets passages needs it

            text = own_text(text)
        self.words = words
        self.is_whole = is_whole_claim(words, text)

    @property
    def status(self) -> str:
        """Return the words for the end of the claim, with the handle of its replacement."""
        return self.template.format(**self.values)

    @property
    def template(self) -> str:
        """Return the template of `status`."""
        if self.is_whole:
            return WHOLE_REPLACED if self.key else WHOLE_ENDED
        return PART_REPLACED if self.key else PART_ENDED

    @property
    def values(self) -> "dict[str, str]":
        """Return what goes into the places of `template`."""
        return {"quoted": self.quoted, "day": self.day, "handle": self.handle}

    @property
    def name(self) -> str:
        """Return `replaced`, or `ended` for a claim that nothing replaced."""
        return "replaced" if self.key else "ended"

    @property
    def quoted(self) -> str:
        """Return the words of the claim, the end of long ones cut off."""
        if len(self.words) <= _LONGEST_QUOTE:
            return self.words
        return self.words[: _LONGEST_QUOTE - 1] + "…"

    @property
    def day(self) -> str:
        """Return the day since when the claim holds no more.

        For a claim that ended by itself, this is the last day on which it held.
        """
        return choice.day(self.at if self.key else self.at - 1)


class Standing(RecordedClaims):
    """Ended claims of every scope that is asked for, and claims with something later beside them.

    Claims that end later than `now_s` still hold.
    """

    def __init__(self, home: str, now_s: float) -> None:
        super().__init__(home, now_s)
        #: Scopes whose replacements are noted.
        self._scopes: set[str] = set()
        #: Lines that replaced a claim: scope, document, number.
        self._winners: set[tuple[str, str, int]] = set()

    def find_later_statement(
        self, scope: str, key: str, first_line: int, text: str
    ) -> "LaterStatement | None":
        """Return what was said later on the subject of a passage, the newest of it.

        None where nothing was, and where the passage says something else by now.
        """
        file = later_file(self._home, scope)
        said = self._iter_said(file, LaterStatement, TextPlace(scope, key, first_line, text))
        return max((later for _, later in said), key=lambda later: later.at, default=None)

    def ended(self, scope: str, key: str, line: int, text: str) -> "EndedClaim | None":
        """Return how a passage ended, if all of it holds no more; None for a passage that holds.

        The passage begins in `line`.
        """
        return next(
            (claim for claim in self.claims(scope, key, line, text) if claim.is_whole), None
        )

    def claims(self, scope: str, key: str, first_line: int, text: str) -> "list[EndedClaim]":
        """Return the claims of a passage that hold no more, if the passage still says them."""
        claims = []
        file = replaced_file(self._home, scope)
        place = TextPlace(scope, key, first_line, text)
        for words, claim in self._iter_said(file, EndedClaim, place):
            claim.note_words(words, text)
            claims.append(claim)
        return claims

    def every(self, scope: str) -> "list[tuple[str, int, EndedClaim]]":
        """Return (key, line, replacement) of every claim of a scope that was replaced."""
        return [(key, line, claim) for key, line, claim in self._iter_ended(scope) if claim.key]

    def won(self, scopes: "Sequence[str]", scope: str, key: str, line: int) -> bool:
        """Say whether a line replaced another one and itself still holds."""
        for name in {*scopes, scope}:
            self._read_winners(name)
        return (scope, key, line) in self._winners

    def _read_winners(self, scope: str) -> None:
        """Note the lines that replaced a claim of a scope."""
        if scope in self._scopes:
            return
        self._scopes.add(scope)
        ended = list(self._iter_ended(scope))
        self._winners |= {claim.place for _, _, claim in ended if claim.key}
        # A replacement that holds no more itself has not won.
        self._winners -= {(scope, key, line) for key, line, _ in ended}

    def _iter_ended(self, scope: str) -> "Iterator[tuple[str, int, EndedClaim]]":
        """Yield (key, line, end) of every claim of a scope that holds no more."""
        for key, rows in self._read_rows(replaced_file(self._home, scope)).items():
            for line, *_, claim in self._iter_claims(rows, EndedClaim):
                yield key, line, claim


def newest_first(
    found: "Sequence[Match]",
    shown: "Sequence[InjectedMemory]",
    standing: Standing,
    reader: "Lines",
) -> "list[InjectedMemory]":
    """Return matches as shown memories; ended ones are marked and follow their replacements.

    So do those on whose subject something was said later. What replaced a match, or was said later,
    is looked up where it was not found. `shown` are the memories of `found`, best first.
    """
    by_handle = {memory.handle: memory for memory in shown}
    memories: list[InjectedMemory] = []
    for match, memory in zip(found, shown, strict=True):
        line = _line_of(memory.handle) or match.first_line
        claims = standing.claims(memory.scope, match.key, line, match.text)
        if claims:
            memory.status = "; ".join(claim.status for claim in claims)
        later = (
            None
            if claims
            else standing.find_later_statement(memory.scope, match.key, line, match.text)
        )
        successor = later or find_successor(claims, is_turn=bool(memory.who))
        if successor is not None:
            new = by_handle.get(successor.handle) or _looked_up(successor, memory, reader)
            if new is not None and new not in memories:
                new.score = max(new.score, memory.score)
                memories.append(new)
            if new is not None and later is not None:
                memory.status = later.status
                new.status = say_later(new.status)
        elif not claims and standing.won([], memory.scope, match.key, line):
            memory.status = choice.CURRENT
        if memory not in memories:
            memories.append(memory)
    return memories


def find_successor(claims: "Sequence[EndedClaim]", *, is_turn: bool) -> EndedClaim | None:
    """Return what is shown before a passage in place of its claims that hold no more.

    None where nothing replaced them. A passage that is no turn may hold many other claims: only
    where all of it was replaced does anything stand before it.
    """
    replaced = [claim for claim in claims if claim.key and (claim.is_whole or is_turn)]
    return max(replaced, key=lambda claim: (claim.is_whole, claim.at), default=None)


def _line_of(handle: str) -> int:
    return int(handle.partition(".")[2] or 0)


def _looked_up(later: LaterClaim, old: InjectedMemory, reader: "Lines") -> InjectedMemory | None:
    """Return what replaced a memory or was said later on its subject, as a turn is shown.

    None where it is no turn, or its line has changed since.
    """
    text = reader.line(later.scope, later.key, later.line)
    turn = read_spoken_line([text], 1)
    if turn is None or not later.still_says(text):
        return None
    return InjectedMemory(
        title="",
        citation="",
        text=turn.text,
        who=turn.who,
        day=choice.day(later.at),
        scope=later.scope,
        handle=later.handle,
        score=old.score,
        status=choice.CURRENT if isinstance(later, EndedClaim) else SAID_LATER,
        is_sure=old.is_sure,
    )
