"""Applies a person's correction of an observation to the message that it was made of, too.

Otherwise the message would go on stating the old text, beside the correction. The journal keeps the
message as it was said. Says of corrected texts, too, whether an agent wrote them.
"""

import hashlib
from datetime import date

from gieok.model.conversation import AGENT_MARK, CORRECTED_MARK
from gieok.model.memory import AGENT, CORRECTED_BY, Document
from gieok.ports.journal import FullJournal
from gieok.text.markdown import front_matter

_CHECK_DIGITS = 8


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


def build_agent_field(record_text: str) -> str:
    """Return the field of a record's file that says that an agent wrote its text.

    The check is of the text below the front matter, without regard to white space: whoever edits
    the text in an editor leaves a field that does not fit, and it counts no more.
    """
    body = " ".join(record_text[front_matter(record_text).end :].split())
    check = hashlib.sha256(body.encode(errors="surrogatepass")).hexdigest()[:_CHECK_DIGITS]
    return f"{AGENT} {check}"


def is_agents_document(document: Document) -> bool:
    """Say whether an agent wrote a document: an observation by its metadata, a record by its
    file.
    """
    if document.metadata.get(CORRECTED_BY) == AGENT:
        return True
    field = front_matter(document.text).fields.get(CORRECTED_BY)
    return field is not None and field == build_agent_field(document.text)
