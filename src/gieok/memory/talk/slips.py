"""Values that their speaker put right at once: "hangs on GPIO 17", and then "sorry, 27, not 17".

The nearest statements by vectors do not show such a pair: the later text hardly says anything
alone. It is known by its place. The user's message before it, in the same conversation, states the
wrong value; thanks alone may stand between the two.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gieok.memory.talk import turns
from gieok.memory.talk.cancelled_changes import (
    TurnLine,
    list_lines,
    list_lines_with_before,
    read_user_words,
)
from gieok.memory.talk.statements.slip import Slip, find_wrong_sentence, read_slip
from gieok.memory.talk.statements.statement import read_sentences
from gieok.model.memory import Document, Scope
from gieok.places.scope import PROMOTED
from gieok.ports.store import Documents
from gieok.text.assent import is_small_talk


class SlipCorrection(NamedTuple):
    """Line of a user with a wrong value, the sentence with it, and the line that corrects it."""

    wrong: TurnLine
    sentence: str
    right: TurnLine


def list_slips(store: Documents, scope: Scope, document: Document) -> Iterator[SlipCorrection]:
    """Yield the values that lines of a block put right, in this block or the one before."""
    if document.kind != turns.KIND or document.key.endswith(PROMOTED):
        return
    read = [(line, read_slip(read_user_words(line.text))) for line in list_lines(document)]
    slips = [(line, slip) for line, slip in read if slip is not None]
    lines = list_lines_with_before(store, scope, document) if slips else []
    for line, slip in slips:
        before = lines[: lines.index(line)] if line in lines else []
        found = _find_wrong_line(before, slip)
        if found is not None:
            yield SlipCorrection(*found, line)


def _find_wrong_line(before: Sequence[TurnLine], slip: Slip) -> tuple[TurnLine, str] | None:
    """Return the user's last message, and its sentence with the wrong value; None without one."""
    for line in reversed(before):
        words = read_user_words(line.text)
        if not words or is_small_talk(words):
            continue
        stated = [
            sentence.text for sentence in read_sentences(words) if not sentence.has_mood("question")
        ]
        sentence = find_wrong_sentence(slip, stated)
        return (line, sentence) if sentence else None
    return None
