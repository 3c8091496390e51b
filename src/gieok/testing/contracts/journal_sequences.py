"""Random sequences of messages and retractions, compared with a model of a journal."""

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gieok.model.conversation import HeldWindow, Message, Retraction, TranscriptEvent
from gieok.model.memory import Scope
from gieok.ports.journal import FullJournal
from gieok.testing.contracts.journal import JournalFixtures, append_turns, held
from gieok.testing.samples import HOME, OTHER, build_message

_IDS = st.sampled_from(["a", "b", "b#0", "b#1", "c"])
_SESSIONS = st.sampled_from(["s", "other"])
_MESSAGES = st.builds(
    lambda i, t, s: build_message(f"{s}/{i}", f"{i} {t}", session=s),
    _IDS,
    st.integers(1, 3),
    _SESSIONS,
)
_RETRACTIONS = st.one_of(
    st.builds(
        lambda i, s, after: Retraction(s, f"{s}/{i}", after),
        st.sampled_from("abc"),
        _SESSIONS,
        st.booleans(),
    ),
    st.builds(lambda s: Retraction(s, "", after=True), _SESSIONS),
)
_TURNS = st.lists(st.one_of(_MESSAGES, _MESSAGES, _MESSAGES, _RETRACTIONS), max_size=6)


def build_journal_sequence_test(max_examples: int = 40) -> Callable[..., None]:
    """Return a test with random sequences of messages and retractions.

    `max_examples` is to be lower for a journal that takes long to make.
    """

    @settings(
        max_examples=max_examples,
        derandomize=True,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    @given(batches=st.lists(st.tuples(st.sampled_from([HOME, OTHER]), _TURNS), max_size=6))
    def any_sequence(
        self: object,  # noqa: ARG001 - it becomes a method
        make_journal: Callable[[], FullJournal],
        batches: list[tuple[Scope, list[TranscriptEvent]]],
    ) -> None:
        journal, lists = make_journal(), {HOME: _List([]), OTHER: _List([])}
        windows = dict[Scope, HeldWindow]()
        for scope, events in batches:
            append_turns(journal, *events, scope=scope)
            for event in events:
                lists[scope].add(event)
            expected = {s: model.held() for s, model in lists.items()}
            assert {scope: held(journal, scope) for scope in lists} == expected
            assert {
                scope: _read_held_window(journal, scope, windows) for scope in lists
            } == expected
        journal.close()

    return any_sequence


def _read_held_window(
    journal: FullJournal, scope: Scope, windows: dict[Scope, HeldWindow]
) -> list[str]:
    """Return the texts of a window that is kept from one call to the next."""
    before = windows.pop(scope, None)
    window = journal.window(scope, "nobody", before)
    messages = (
        (*before.messages, *window.messages)
        if before and window.is_rest
        else tuple(window.messages)
    )
    if messages:
        windows[scope] = HeldWindow(window.mark, messages)
    return [journalled.message.text for journalled in messages]


class SequenceContract(JournalFixtures):
    """Tests with random sequences of turns."""

    test_any_sequence_of_turns_leaves_what_a_list_of_them_leaves = build_journal_sequence_test()


@dataclass
class _Kept:
    message: Message
    holds: bool = True


@dataclass
class _List:
    """Model of a journal with one scope: a list."""

    kept: list[_Kept]

    def held(self) -> list[str]:
        return [entry.message.text for entry in self.kept if entry.holds]

    def add(self, event: TranscriptEvent) -> None:
        if isinstance(event, Retraction):
            self._retract(event)
            return
        versions = [entry for entry in self.kept if entry.message.id == event.id]
        same = [entry for entry in versions if entry.message.text == event.text]
        if same:
            same[0].holds |= not any(entry.holds for entry in versions)
            return
        for entry in versions:
            entry.holds = False
        self.kept.append(_Kept(event))

    def _retract(self, event: Retraction) -> None:
        session = [
            entry for entry in self.kept if entry.holds and entry.message.session == event.session
        ]
        hits = [
            n for n, entry in enumerate(session) if entry.message.id.partition("#")[0] == event.id
        ]
        if not event.id:
            gone = session
        elif event.after and hits:
            gone = session[hits[0] :]
        else:
            gone = [session[n] for n in hits]
        for entry in gone:
            entry.holds = False
