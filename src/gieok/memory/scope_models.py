"""Observer and condenser of each scope."""

from datetime import tzinfo

from gieok.memory.observer.buffer import Observer
from gieok.memory.observer.rules import RulesObserver, StatementJudge
from gieok.memory.observer.stored_context import StoredContext
from gieok.memory.reflection.reflect import Condenser, RulesCondenser
from gieok.model.memory import Scope
from gieok.ports.journal import FullJournal
from gieok.ports.store import Documents


class ScopeModels:
    """Observers and condensers that work by rules; no model is asked."""

    #: Model that observes; '' where rules do.
    observer_model = ""

    def __init__(
        self, journal: FullJournal, store: Documents, zone: tzinfo, judge: StatementJudge
    ) -> None:
        self._journal = journal
        self._store = store
        self._zone = zone
        self._judge = judge

    def open_observer(self, scope: Scope) -> Observer:
        """Return the observer of a scope. Raises BadConfig, MissingExtra."""
        context = StoredContext(self._journal, self._store, scope)
        return RulesObserver(self._zone, self._judge, context)

    def open_condenser(self) -> Condenser:
        """Return what condenses the observations of any scope. Raises BadConfig, MissingExtra."""
        return RulesCondenser()
