"""What a person corrected in an observation is corrected in the message that it was made of, too.

Else what was said would go on saying it, beside the correction. The journal keeps the message as it
was said.
"""

from datetime import date

from gieok.model.conversation import CORRECTED_MARK
from gieok.model.memory import Document
from gieok.ports.journal import FullJournal


def correct_source_message(journal: FullJournal, old: Document, new: Document, day: date) -> bool:
    """Correct the message that an observation was made of, where it says it in the same words; say
    whether it was done.

    A message that says it otherwise stays: the vectors tell that the correction replaces it
    (`replaced`).
    """
    ids = [identity for source in old.provenance for identity in source.message_ids]
    said = journal.messages(old.scope, ids) if len(ids) == 1 else []
    if not said or not old.text:
        return False
    text = unmarked(journal.corrections(old.scope).get(ids[0], said[0].message.text))
    if old.text not in text:
        return False
    journal.correct(
        old.scope, ids[0], format_corrected_text(text.replace(old.text, new.text, 1), day)
    )
    return True


def format_corrected_text(text: str, day: date) -> str:
    """Return what a person wrote in the place of a message, as it is shown."""
    return f"{' '.join(text.split())}{CORRECTED_MARK}{day})"


def unmarked(text: str) -> str:
    """Return a text without the mark of its correction."""
    return text.rpartition(CORRECTED_MARK)[0] or text
