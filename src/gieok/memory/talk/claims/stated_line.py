"""Lines that state something: which lines do, when each was made, and which say one thing."""

from datetime import datetime, timedelta
from typing import NamedTuple

from gieok.memory import observation
from gieok.memory.talk import turns
from gieok.memory.talk.claims.claim import Claim
from gieok.memory.talk.statements.statement import read_sentences
from gieok.model.conversation import CORRECTED_MARK
from gieok.model.memory import CORRECTED, MADE_THEN, Document
from gieok.text.gist import as_told
from gieok.text.handles import line_check
from gieok.text.turns import USER

#: How long after the moment in a note's head its file is written, where a program makes the note.
_MAKING = timedelta(minutes=1)
#: What stands before a user's words in a line of turns.
LABEL = f"{USER}: "


class StatedLine(NamedTuple):
    """Line that states something: place, words without label, and the vector of its passage."""

    document: Document
    line: int
    #: Number of characters of the line before the words.
    offset: int
    text: str
    vector: bytes
    at: int

    @property
    def place(self) -> tuple[str, int]:
        """Return the line's document key and number."""
        return self.document.key, self.line

    @property
    def order(self) -> tuple[int, str, int]:
        """Return the key that sorts statements in the order in which they were made."""
        return self.at, self.document.key, self.line

    def claim(self, words: str) -> Claim:
        """Return a sentence of the line as a claim; all of the line where it is not there."""
        part = words if words in self.text else self.text
        return Claim(
            key=self.document.key,
            line=self.line,
            start=self.offset + self.text.find(part),
            length=len(part),
            check=line_check(part),
            at=self.at,
        )


def list_statements(document: Document, number: int, text: str, vector: bytes) -> list[StatedLine]:
    """Return the lines of a passage (from line `number`) that may be claims.

    Of a conversation, only the users' lines may be claims.
    """
    if document.kind == turns.KIND:
        if not text.startswith(LABEL) or "[redacted:" in text:
            return []
        return [
            StatedLine(
                document=document,
                line=number,
                offset=len(LABEL),
                text=text[len(LABEL) :],
                vector=vector,
                at=second_of(document),
            )
        ]
    if document.kind in (observation.TASK_KIND, observation.PATTERN_KIND):
        return []
    at = second_of(document)
    return [
        StatedLine(
            document=document,
            line=number + n,
            offset=len(line) - len(line.lstrip()),
            text=line.strip(),
            vector=vector,
            at=at,
        )
        for n, line in enumerate(text.split("\n"))
        if line.strip() and not line.lstrip().startswith(("#", "```", "---"))
    ]


def is_known_later(new: StatedLine, old: StatedLine) -> bool:
    """Say whether it is known that a statement was made after another; else it replaces nothing.

    Of two notes that were made in one second nobody knows which came first.
    """
    if not is_dated(new.document) or new.order <= old.order or _is_made_of(old, new):
        return False
    return new.at > old.at or new.document.key == old.document.key or not _is_as_made(new.document)


def _is_made_of(observed: StatedLine, turn: StatedLine) -> bool:
    """Say whether a statement was observed in the very turn that seems to follow it.

    A turn's block is dated by its first line, and so has the second of what was observed in it.
    """
    return (
        observed.document.kind == observation.KIND
        and turn.document.kind == turns.KIND
        and (turn.at, turn.line) == (observed.at, 1)
    )


def is_dated(document: Document) -> bool:
    """Say whether it is known when a document was said.

    The day on which a program made a note does not count where the note was written on since.
    """
    has_own_day = document.valid_from is not None and MADE_THEN not in document.metadata
    return document.kind == turns.KIND or has_own_day or _is_as_made(document)


def _is_as_made(document: Document) -> bool:
    """Say whether the text of a note was written when the note was made, as `remember` does."""
    if document.valid_from is None or MADE_THEN not in document.metadata:
        return False
    return timedelta() <= document.updated_at - document.valid_from <= _MAKING


def is_protected(statement: StatedLine) -> bool:
    """Say whether a person corrected a statement, which then holds whatever was said later."""
    return CORRECTED_MARK in statement.text or CORRECTED in statement.document.metadata


def second_of(document: Document) -> int:
    """Return when a document was said, in Unix seconds.

    For a document that a person corrected, that is the time of the correction.
    """
    corrected = document.metadata.get(CORRECTED)
    day = document.valid_from if is_dated(document) else None
    moment = datetime.fromisoformat(corrected) if corrected else day or document.updated_at
    return int(moment.timestamp())


def is_same_claim(one: str, other: str) -> bool:
    """Say whether two texts are one statement: a turn, and the observation made of it."""
    return one in other or other in one


def is_retold(old: StatedLine, new: StatedLine) -> bool:
    """Say whether a statement says again what an earlier one says, and nothing more.

    An observation adds the day to the words of its turn, and the question before them.
    """
    answer = as_told(new.text).rpartition(" – ")[2]
    return answer.rstrip(".!…") in old.text


def may_be_changed(statement: StatedLine) -> bool:
    """Say whether a statement is a turn that says something, and asks not only."""
    return statement.document.kind == turns.KIND and not all(
        sentence.has_mood("question") for sentence in read_sentences(statement.text)
    )


def session_of(statement: StatedLine) -> str:
    """Return the key of the session in which a turn was said."""
    return statement.document.key.partition("#")[0]
