"""Applies a person's correction of an observation to the message that it was made of, too.

Otherwise the message would go on stating the old text, beside the correction. The journal keeps the
message as it was said.
"""

from datetime import date

from gieok.model.conversation import AGENT_MARK, CORRECTED_MARK
from gieok.model.memory import AGENT, CORRECTED_BY, Document
from gieok.ports.journal import FullJournal


def correct_source_message(journal: FullJournal, old: Document, new: Document, day: date) -> bool:
    """Correct the message that an observation was made of; say whether it was corrected.

    Only a message that contains the words of the observation is corrected. A message in other words
    stays: the comparison by vectors (`memory.talk.claims`) finds that the correction replaces it.
    """
    ids = [identity for source in old.provenance for identity in source.message_ids]
    messages = journal.messages(old.scope, ids) if len(ids) == 1 else []
    if not messages or not old.text:
        return False
    text = unmarked(journal.corrections(old.scope).get(ids[0], messages[0].message.text))
    if old.text not in text:
        return False
    corrected = text.replace(old.text, new.text, 1)
    by_agent = new.metadata.get(CORRECTED_BY) == AGENT
    journal.correct(old.scope, ids[0], format_corrected_text(corrected, day, by_agent=by_agent))
    return True


def format_corrected_text(text: str, day: date, *, by_agent: bool = False) -> str:
    """Return the correction of a message, as it is shown."""
    return f"{' '.join(text.split())}{CORRECTED_MARK}{day}{AGENT_MARK if by_agent else ''})"


def unmarked(text: str) -> str:
    """Return a text without the mark of its correction."""
    return text.rpartition(CORRECTED_MARK)[0] or text
