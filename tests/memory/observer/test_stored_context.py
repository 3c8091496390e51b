"""What observing by rules looks up: the agent's words before a message, and what is held."""

from datetime import UTC, datetime, timedelta

from gieok.memory.observer.stored_context import StoredContext
from gieok.model.conversation import Cursor, Journalled, Message, Role
from gieok.model.memory import Scope
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.memory_store import MemoryStore

_SCOPE = Scope("agent:main")
_AT = datetime(2026, 11, 21, 12, tzinfo=UTC)


def test_an_answer_finds_what_the_agent_said_just_before_it(journal: SqliteJournal) -> None:
    said = (
        (Role.USER, "hi", "s"),
        (Role.ASSISTANT, "Which port?", "s"),
        (Role.ASSISTANT, "Which host?", "other"),
        (Role.USER, "9443", "s"),
        (Role.ASSISTANT, "Noted.", "s"),
    )
    messages = [
        Message(f"s/{n}", role, text, _AT + timedelta(minutes=n), session, "codex", 3)
        for n, (role, text, session) in enumerate(said, 1)
    ]
    assert journal.append(_SCOPE, messages, Cursor("f", "/t", offset=1), None)
    context = StoredContext(journal, MemoryStore(), _SCOPE)
    before = [context.find_agent_words(Journalled(n, one)) for n, one in enumerate(messages, 1)]
    assert before == ["", "", "", "Which port?", ""]
    assert context.list_held_statements() == []
