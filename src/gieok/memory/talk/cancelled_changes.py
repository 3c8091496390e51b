"""Changes that their speaker cancelled at once without naming them.

Examples: "undo that", "그거 취소, 원래대로".
The cancelled change is known only where one change was stated just before, in the same conversation
and by the same speaker. Thanks alone may stand between the two; where the agent asked something
since, the text must say that things go back to the earlier state. Where more than one change was
stated, or work was asked of the agent, nothing is taken back.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gieok.memory.talk import turns
from gieok.memory.talk.statements.given_up import find_losses
from gieok.memory.talk.statements.statement import Sentence, read_sentences
from gieok.memory.talk.statements.taking_back import RESTORES, read_taking_back
from gieok.model.memory import Document, Scope
from gieok.places.scope import PROMOTED
from gieok.ports.store import Documents
from gieok.text.assent import is_small_talk
from gieok.text.turns import ASSISTANT, USER, asks

_CHANGING = ("change", "now", "correction")


class TakenBack(NamedTuple):
    """Line of a user that takes back the change stated in another line.

    Both lines are given by document key and line number; the time is in Unix seconds.
    """

    key: str
    line: int
    changed_key: str
    changed_line: int
    at: int

    @property
    def change(self) -> tuple[str, int]:
        """Return the line whose change is taken back, as its document's key and its line number."""
        return self.changed_key, self.changed_line


class TurnLine(NamedTuple):
    """Line of a block of turns: the key of its document, its number and its text."""

    key: str
    number: int
    text: str


def list_taken_back(
    store: Documents, scope: Scope, document: Document, at: int
) -> Iterator[TakenBack]:
    """Yield the changes that lines of a block of turns take back, in this block or the one
    before.
    """
    if document.kind != turns.KIND or document.key.endswith(PROMOTED):
        return
    takers = [line for line in list_lines(document) if read_taking_back(read_user_words(line.text))]
    if not takers:
        return
    lines = list_lines_with_before(store, scope, document)
    for taker in takers:
        change = _find_change(lines, lines.index(taker)) if taker in lines else None
        if change is not None:
            yield TakenBack(
                key=document.key,
                line=taker.number,
                changed_key=change.key,
                changed_line=change.number,
                at=at,
            )


def is_taken_back(store: Documents, scope: Scope, document: Document, line: int, at: int) -> bool:
    """Say whether the change that a line states was taken back, in its block or the block after."""
    behind = turns.key_beside(document.key, 1)
    if document.kind != turns.KIND or not behind:
        return False
    held = store.get(scope, [document.key, behind])
    return any(
        statement.change == (document.key, line)
        for block in held
        for statement in list_taken_back(store, scope, block, at)
    )


def list_lines(document: Document) -> list[TurnLine]:
    """Return the lines of a block of turns."""
    texts = document.text.split("\n")
    return [TurnLine(document.key, number, text) for number, text in enumerate(texts, start=1)]


def list_lines_with_before(store: Documents, scope: Scope, document: Document) -> list[TurnLine]:
    """Return the lines of a block of turns, behind those of the block before it."""
    own, before = list_lines(document), _lines_before(store, scope, document)
    if before and own[0].text == before[-1].text:  # a block begins with the line that it answers
        before.pop()
    return [*before, *own]


def _lines_before(store: Documents, scope: Scope, document: Document) -> list[TurnLine]:
    """Return the lines of the previous block, if that block is of the same day."""
    before = turns.key_beside(document.key, -1)
    blocks = store.get(scope, [before]) if before else []
    if not blocks or blocks[0].valid_from is None or document.valid_from is None:
        return []
    if blocks[0].valid_from.date() != document.valid_from.date():
        return []
    return list_lines(blocks[0])


def _find_change(lines: Sequence[TurnLine], place: int) -> TurnLine | None:
    """Return the line whose change the line at `place` takes back; None where that is ambiguous."""
    was_asked = False
    for line in reversed(lines[:place]):
        if line.text.startswith(f"{ASSISTANT}: "):
            was_asked = was_asked or asks(line.text)
            continue
        words = read_user_words(line.text)
        if not words:  # what was forgotten might be meant
            return None
        if is_small_talk(words):
            continue
        if was_asked and read_taking_back(read_user_words(lines[place].text)) != RESTORES:
            return None
        return line if _states_one_change(words) else None
    return None


def read_user_words(line: str) -> str:
    """Return the words of a user's line; '' for a line of another speaker."""
    return line.removeprefix(f"{USER}: ").strip() if line.startswith(f"{USER}: ") else ""


def _states_one_change(words: str) -> bool:
    """Say whether exactly one sentence states a change and no other sentence asks for work."""
    sentences = read_sentences(words)
    changing = [sentence for sentence in sentences if _is_changing(sentence)]
    return len(changing) == 1 and not any(
        sentence.has_mood("request") for sentence in sentences if sentence is not changing[0]
    )


def _is_changing(sentence: Sentence) -> bool:
    return bool(find_losses(sentence.text)) or any(sentence.find_cue(name) for name in _CHANGING)
