"""Agent words and statements that a journal and a store hold: what observing by rules looks up."""

from dataclasses import dataclass

from gieok.memory import scope_memory
from gieok.memory.observer.rules import of_agent_before
from gieok.model.conversation import Journalled
from gieok.model.memory import Scope
from gieok.ports.journal import FullJournal
from gieok.ports.store import Documents


@dataclass(frozen=True, slots=True)
class StoredContext:
    """`SpanContext` of what is stored for one scope."""

    journal: FullJournal
    store: Documents
    scope: Scope

    def find_agent_words(self, before: Journalled) -> str:
        """Return the agent's words before a message, '' for none."""
        message, seq = before.message, before.seq
        turns = self.journal.turns(self.scope, message.agent, message.session, seq, seq)
        return of_agent_before([turn.message for turn in turns if turn.place < seq])

    def list_held_statements(self) -> list[str]:
        """Return the statements that hold now, in order."""
        standing = scope_memory.standing(self.journal, self.scope)
        held = scope_memory.load_scope_memory(self.store, self.scope, hashes=standing)
        return [document.text for document in held.documents if document.valid_to is None]
