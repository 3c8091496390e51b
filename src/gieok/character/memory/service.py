"""Character memory as a service: messages in, memories and a turn's context out.

Every surface calls this service. Everything is durable in the journal: messages first, then the
memories made from them, in one transaction with the position of the reader that made them. So a
crash loses nothing and repeats nothing, and of two processes only one makes the memories.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import NamedTuple

from gieok.character.detect.detect import Detection, Finding, Spoken, detect_statements
from gieok.character.detect.take_backs import find_taken_back, list_standing, takes_back
from gieok.character.facts import Episode, Fact, Moment, digest, fact_of, scope_of
from gieok.character.memory import (
    decisions,
    episodes,
    moments,
    narrative,
    readings,
    replay,
    summary_renewal,
    unread_talk,
    windows,
)
from gieok.character.memory.bearing import rank_bearing
from gieok.character.memory.decisions import EDIT, REFORM, RESTORE, SET, Refusals, UserDecision
from gieok.character.memory.fact_merge import ToldMessage, added
from gieok.character.memory.memory_state import Memories, differing, read_held_memories
from gieok.character.memory.narrative import Narrative, NarrativeMemories, NarrativeView
from gieok.character.memory.readings import SpanReading
from gieok.character.memory.recollection import (
    RecalledDocument,
    RecallWeights,
    recalled,
)
from gieok.character.memory.replay import LearnedState
from gieok.character.memory.said_words import SaidWords
from gieok.character.memory.slots import DEFAULT_SLOTS, limit_episodes
from gieok.character.memory.told_readings import drop_unseen_findings
from gieok.character.memory.unread_talk import ALL, EARLIER, LOOKED_BACK, UnreadTalk
from gieok.character.memory.windows import TalkWindow
from gieok.character.messages import build_talk_message
from gieok.errors import NotFound
from gieok.flow.distil import commit_span, deliver_scope, finish_span
from gieok.model.conversation import Journalled, Message, Retraction, Role, Run, TranscriptEvent
from gieok.model.memory import Document, Entry, Scope
from gieok.ports.accounts import Accounts
from gieok.ports.cache import WindowCache
from gieok.ports.journal import FullJournal
from gieok.ports.models import Embedder, Reader
from gieok.ports.store import Store
from gieok.ports.system import Clock
from gieok.private import Privacy
from gieok.ranking.profile import Profile
from gieok.text.language import detect_text_language
from gieok.text.tokens import estimate_tokens
from gieok.zone import day_in

#: Readers of the journal: for facts, and for summaries.
DETECTION, SUMMARY = "character:facts", "character:summary"
RULES = "rules"
#: A longer message holds pasted text: the rules read its beginning, which is the person's comment
#: on it.
_MOST_READ = 2_000


class Bond(NamedTuple):
    """Pair of a user and a character, to which a memory belongs.

    `persona` is the character's prompt, `zone` the user's time zone, `name` the character's name,
    '' where its id stands for it.
    """

    user: str
    character: str
    persona: str = ""
    zone: tzinfo = UTC
    name: str = ""

    @property
    def scope(self) -> Scope:
        """Return the scope of all memories between the two. Raises BadRequest for a bad name."""
        return scope_of(self.user, self.character)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnBudget:
    """Tokens of a turn's context, and the narrative's part of them.

    The rest is for persona and window.
    """

    context_tokens: int = 4_096
    narrative_tokens: int = 500
    #: How many memories a narrative tells beside what it always tells.
    memories: int = 5

    def window(self, persona: str) -> int:
        """Return the tokens that are left for the window."""
        return max(self.context_tokens - self.narrative_tokens - estimate_tokens(persona), 0)


class ScopeSnapshot(NamedTuple):
    """State of a scope at one moment.

    It holds how far messages were learned and summarised, the messages after those positions, and
    the memories.
    """

    learned: int
    window: TalkWindow
    held: Memories
    documents: tuple[Document, ...]
    is_waiting: bool


class _LearnedChange(NamedTuple):
    """Documents to put and to forget for what was learned, and the run that learned it."""

    put: list[Entry]
    forget: list[Document]
    run: Run


class TurnContext(NamedTuple):
    """Context for a model's reply, within the budget.

    It includes the recalled memories with their signals.
    """

    persona: str
    narrative: Narrative
    window: tuple[Message, ...]
    recalled: tuple[RecalledDocument, ...] = ()
    extractor: str = RULES

    @property
    def text(self) -> str:
        """Return persona, narrative and window as one text."""
        talk = "\n".join(f"{message.role.value}: {message.text}" for message in self.window)
        return "\n\n".join(filter(None, (self.persona, self.narrative.text, talk)))

    @property
    def tokens(self) -> int:
        """Return the estimated tokens."""
        return estimate_tokens(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class CharacterService:
    """Memory of characters. `embedder` is None where memories are found by words alone.

    `accounts` hold the slots that users bought beside the `free_slots` of each memory.
    """

    journal: FullJournal
    store: Store
    clock: Clock
    embedder: Embedder | None = None
    accounts: Accounts | None = None
    #: What finds facts, as answers name it: rules, or a model too.
    extractor: str = RULES
    #: What reads lines together with a message; None: the user's own words are not quoted.
    reader: Reader | None = None
    #: How the user's own words are ranked for quotation; None: none are quoted.
    quoting: Profile | None = None
    #: Cache of windows that were read before; None: no cache.
    cache: WindowCache | None = None
    free_slots: int = DEFAULT_SLOTS
    budget: TurnBudget = field(default_factory=TurnBudget)
    privacy: Privacy = field(default_factory=Privacy)
    weights: RecallWeights = field(default_factory=RecallWeights)
    #: Time zone of users who set none.
    zone: tzinfo = UTC

    @property
    def said_words(self) -> SaidWords:
        """Return what keeps and quotes the users' own words."""
        return SaidWords(
            journal=self.journal,
            store=self.store,
            embedder=self.embedder,
            reader=self.reader,
            profile=self.quoting,
        )

    def check_open(self) -> None:
        """Raise Withheld while memory is paused: nothing may be learned now."""
        self.privacy.check_pause(self.clock.now(), self.zone)

    def slots(self, bond: Bond) -> int:
        """Return how many episodes a memory may hold."""
        bought = self.accounts.slots(bond.user, bond.character) if self.accounts else 0
        return self.free_slots + bought

    def detect(self, spoken: Spoken, held: Sequence[Fact], message: Message) -> Detection:
        """Return the statements of a message; `held` are the current facts.

        Rules find them, and a reader confirms what the rules found.
        """
        del message  # for a subclass that knows what a message says
        found = detect_statements(spoken, held)
        return drop_unseen_findings(self.reader, spoken, found, held) if self.reader else found

    def hear(
        self,
        bond: Bond,
        text: str,
        *,
        is_user: bool,
        at: datetime | None = None,
        identity: str = "",
    ) -> str:
        """Journal a message and learn from it; return the message's id.

        A full window is summarised. A message with a known id and text is not added again.
        """
        self.check_open()
        at = at or self.clock.now()
        role = Role.USER if is_user else Role.ASSISTANT
        identity = identity or digest(f"{bond.scope}\0{at.isoformat()}\0{role}\0{text}")
        message = build_talk_message(
            identity=identity, role=role, text=text, at=at, session=bond.user
        )
        self.journal.say(bond.scope, [message])
        snapshot = self.learn(bond)
        if self.due(bond, snapshot):
            self.summarise(bond)
        return identity

    def withdraw(self, bond: Bond, ids: Sequence[str]) -> None:
        """Take messages back.

        Memories learned from these messages alone are removed, and the facts that they had
        superseded hold again.
        """
        self._replace_versions(bond, ids, ())

    def replace(self, bond: Bond, messages: Sequence[Message]) -> None:
        """Replace the text of messages with known ids, each in its place.

        Former versions are kept, and not read. A version that was replaced before holds again where
        it is said again. Raises NotFound for an unknown id.
        """
        known = {
            one.message.id
            for one in self.journal.messages(bond.scope, [one.id for one in messages])
        }
        if unknown := [one.id for one in messages if one.id not in known]:
            raise NotFound("no message {unknown}", unknown=unknown[0])
        self._replace_versions(bond, [one.id for one in messages], messages)

    def _replace_versions(self, bond: Bond, ids: Sequence[str], anew: Sequence[Message]) -> None:
        """Take messages back and add their new versions in one step.

        The step includes the decision that memory is formed again from there.
        """
        entries = self.journal.messages(bond.scope, ids)
        if not entries:
            return
        self.learn(bond)
        taken_back = self._list_taken_back_by(bond.scope, entries)
        start = min(entry.place for entry in [*entries, *taken_back])
        gone = [Retraction(entry.message.session, entry.message.id) for entry in entries]
        freed = tuple(entry.message.id for entry in taken_back)
        decision = UserDecision(REFORM, start=start, ids=tuple(ids), freed=freed)
        self.decide(bond, decision, [*gone, *anew])

    def _list_taken_back_by(self, scope: Scope, entries: Sequence[Journalled]) -> list[Journalled]:
        """Return the messages of which some others took something back."""
        if not any(takes_back(entry.message) for entry in entries):
            return []
        read = self.journal.read(scope, 0, budget_tokens=ALL, limit=ALL)
        talk = decisions.select_spoken_messages(read)
        ids = {entry.message.id for entry in entries}
        taken_back = find_taken_back([entry.message for entry in talk])
        return [
            entry
            for entry in talk
            if (back := taken_back.get(entry.message.id)) and ids & {*back.by}
        ]

    def decide(
        self, bond: Bond, decision: UserDecision, events: Sequence[TranscriptEvent] = ()
    ) -> str:
        """Journal a decision with its events in one step, and apply it; return its id."""
        message = self._build_decision_message(bond, decision)
        self.journal.say(bond.scope, [*events, message])
        self.learn(bond)
        return message.id

    def name_decision(self, bond: Bond, decision: UserDecision) -> UserDecision:
        """Return a decision with an id, for records that must be there before it is journalled."""
        return decision._replace(id=self._build_decision_message(bond, decision).id)

    def _build_decision_message(self, bond: Bond, decision: UserDecision) -> Message:
        number = str(self.journal.position(bond.scope, DETECTION))
        return decisions.message_of(decision, self.clock.now(), number)

    def take_in(self, bond: Bond, reading: SpanReading) -> None:
        """Journal what a model read in messages, and learn it, each at the place of its message.

        What the user refused while the model read is left out: it must not stand in the journal.
        Later messages keep their effect: memory is formed again from the first of the messages on.
        """
        entries = self.journal.messages(bond.scope, sorted(reading.messages))
        if not entries:
            return
        snapshot = self.learn(bond)
        now, number = self.clock.now(), f"{snapshot.learned} {sorted(reading.messages)}"
        decision = UserDecision(REFORM, start=min(entry.place for entry in entries))
        with self._refusing(bond.scope):
            refusals = Refusals(decisions.refused(self.journal, bond.scope))
            reading = readings.drop_refused(reading, entries, refusals)
            records = readings.build_reading_messages(reading, now, number)
            self.journal.say(bond.scope, [*records, decisions.message_of(decision, now, number)])
        self.learn(bond)

    def learn(self, bond: Bond) -> ScopeSnapshot:
        """Learn from everything that is new or changed; return the state after it.

        Safe to kill, and to run twice at once.
        """
        while True:
            snapshot = self.read_snapshot(bond)
            if not any(
                entry.seq > snapshot.learned for entry in snapshot.window.messages
            ) or not self._learn_messages(bond, snapshot):
                return snapshot

    def take_lines(
        self, bond: Bond, seen: ScopeSnapshot, lines: Sequence[Message]
    ) -> ScopeSnapshot | None:
        """Journal lines and learn from all that is new, in the transaction in which `seen` was
        read; return the state after it.

        What is learned waits for delivery. None where `learn` has to follow after the transaction:
        a line is more than new, what was learned was refused, or a decision of the user waits,
        which needs locks that come before those of a transaction.
        """
        scope = bond.scope
        said = self.journal.say_new(scope, lines[0]) if len(lines) == 1 else None
        if said is None:
            self.journal.say(scope, lines)
            return None
        window = seen.window._replace(messages=[*seen.window.messages, said])
        unread = [entry for entry in window.messages if entry.seq > seen.learned]
        if any(one.first or decisions.decision_of(one.message) for one in unread):
            return None
        seen = seen._replace(window=window)
        put, forget, run = self._find_change(bond, seen)
        if not put and not forget:
            self.journal.move(scope, DETECTION, run.end)
            return seen._replace(learned=run.end)
        is_learned = commit_span(
            self.journal, seen.learned, run, put=put, forget=forget, held=seen.documents
        )
        return self.read_snapshot(bond) if is_learned else None

    def _learn_messages(self, bond: Bond, seen: ScopeSnapshot) -> int:
        """Learn from new messages and decisions; return how many memories changed.

        Return -1 where another process was faster.
        """
        fresh = [one for one in seen.window.messages if one.seq > seen.learned]
        user_decisions = decisions.list_decisions(fresh)
        if not self._settle_refusals(bond.scope, seen.learned, user_decisions):
            return -1
        put, forget, run = self._find_change(bond, seen)
        if not put and not forget:
            is_moved = self.journal.skip(bond.scope, DETECTION, seen.learned, run.end)
            return 0 if is_moved else -1
        is_finished = finish_span(
            self.journal, self.store, seen.learned, run, put=put, forget=forget, held=seen.documents
        )
        return len(put) + len(forget) if is_finished else -1

    def _find_change(self, bond: Bond, seen: ScopeSnapshot) -> _LearnedChange:
        """Return what is learned from what is new or changed."""
        learned, held, scope = seen.learned, seen.held, bond.scope
        talk = unread_talk.find_unread_talk(
            self.journal, scope, learned, seen.window, held.episodes
        )
        fresh = [one for one in talk.fresh if one.seq > learned]
        user_decisions = decisions.list_decisions(fresh)
        state = self._build_state(bond, talk, held)
        now = Memories(
            list(state.facts),
            list(state.moments),
            self._renew_episodes(bond, talk, state, held.episodes, user_decisions),
        )
        put, forget = differing(
            scope, held, now, {one.key for one in user_decisions if one.do in (EDIT, RESTORE)}
        )
        run = self._build_run(
            scope=scope,
            reader=DETECTION,
            kind="detect",
            start=learned,
            end=talk.end,
            span=fresh or talk.fresh,
            documents=len(put),
        )
        return _LearnedChange(put, forget, run)

    def _settle_refusals(
        self, scope: Scope, learned: int, user_decisions: Sequence[UserDecision]
    ) -> bool:
        """Record what new decisions refuse; return False where another process was faster.

        The decision is durable already, so a kill here loses nothing: it is learned again. The lock
        keeps a slow process from recording a refusal that was undone and learned meanwhile.
        """
        refusing = [one for one in user_decisions if decisions.changes_refusals(one)]
        if not refusing:
            return True
        with self._refusing(scope):
            if self.journal.position(scope, DETECTION) != learned:
                return False
            for one in refusing:
                decisions.settle_refusals(self.journal, scope, one)
        return True

    def _refusing(self, scope: Scope) -> AbstractContextManager[bool]:
        """Hold the lock under which refusals of a scope change."""
        return self.journal.exclusive(f"character-refusals-{digest(scope.path)[:4]}")

    def _list_quotable(
        self, scope: Scope, said: Sequence[Journalled], talk: Sequence[Journalled]
    ) -> list[Journalled]:
        """Return the messages that may be quoted, without what the user took back.

        Those of which something is refused are left out; `talk` holds what was said since, too.
        """
        taken_back = find_taken_back([entry.message for entry in talk])
        return list_standing(said, taken_back, self._list_refused_ids(scope))

    def _list_refused_ids(self, scope: Scope) -> frozenset[str]:
        """Return the messages of which something is refused."""
        return frozenset().union(*decisions.refused(self.journal, scope).values())

    def _build_state(self, bond: Bond, talk: UnreadTalk, held: Memories) -> LearnedState:
        """Return the state at the end of a conversation.

        It starts from the state before `talk.start`, and adds the messages from there on.
        """
        state = LearnedState.of(held)
        refusals, model_findings = Refusals({}), dict[str, list[Finding]]()
        by_model = readings.find_message_readings(talk.entries) if talk.is_replay else {}
        edited = replay.EditedMemories({}, {})
        if talk.is_replay:
            edited = replay.list_edited(state, talk.later, talk.changed)
            refusals = Refusals(decisions.refused(self.journal, bond.scope))
            model_findings = replay.carried(state, talk.later, talk.changed)
            replay.restore_model_findings(
                model_findings, self._find_restored_facts(bond.scope, talk)
            )
            state = replay.before(state, talk.later, self._read_edits(bond.scope, held))
        entries = decisions.select_spoken_messages(talk.entries)
        place = {entry.message.id: number for number, entry in enumerate(entries)}
        marked = {one.born for one in held.facts if one.edits}
        marked |= {one.message_ids[0] for one in held.moments if one.edits and one.message_ids}
        for entry in talk.fresh:
            if decision := decisions.decision_of(entry.message):
                if decision.do == EDIT:
                    state = replay.apply_user_edit(state, decision)
                elif decision.do == SET:
                    state = replay.apply_set_fact(state, decision, entry.message.at, refusals)
                continue
            before = entries[
                max(place[entry.message.id] - LOOKED_BACK, 0) : place[entry.message.id]
            ]
            reading = by_model.get(entry.message.id)
            detection = Detection()
            is_kept = reading is not None or entry.message.id in marked
            standing = [entry] if is_kept else list_standing([entry], talk.taken_back)
            if not standing:
                continue
            spoken = _build_spoken_line(before, standing[0], bond.zone)
            message = ToldMessage(entry.message.at, entry.message.id, spoken.text, bond.zone)
            if reading is None or reading.unsettled:
                current = [fact for fact in state.facts if fact.is_current]
                detection = self.detect(spoken, current, entry.message)
            if reading is not None:
                state, detection, begun = replay.apply_model_reading(
                    reading, edited, detection, state, message
                )
            else:
                more = model_findings.get(entry.message.id, ())
                detection = detection._replace(findings=added(detection.findings, more))
                is_korean = detect_text_language(spoken.text) == "ko"
                begun = moments.moments(
                    message, spoken.is_user, detection.findings, state.moments, is_korean
                )
            begun += self._find_shared_day(bond, before, entry, message, state)
            state = replay.apply_detection(state, detection, message, begun, refusals)
        return state

    def _find_shared_day(
        self,
        bond: Bond,
        before: Sequence[Journalled],
        entry: Journalled,
        message: ToldMessage,
        state: LearnedState,
    ) -> list[Moment]:
        """Return the moment of a day that counts since the first talk.

        The first talk is looked up with the first message of a day alone.
        """
        day = day_in(entry.message.at, bond.zone)
        if not before or day_in(before[-1].message.at, bond.zone) == day:
            return []
        first = self.journal.read(bond.scope, 0, budget_tokens=1, limit=1)
        if not first:
            return []
        first_day = day_in(first[0].message.at, bond.zone)
        is_korean = detect_text_language(message.text) == "ko"
        return moments.find_shared_day(first_day, day, message, state.moments, is_korean)

    def _find_restored_facts(self, scope: Scope, talk: UnreadTalk) -> list[Fact]:
        """Return facts whose deletion was undone, in their former state."""
        user_decisions = (decisions.decision_of(one.message) for one in talk.fresh)
        keys = {one.key for one in user_decisions if one and one.do == RESTORE}
        facts = (
            {d.key: fact_of(d) for _, d in self.journal.replaced(scope) if d.key in keys}
            if keys
            else {}
        )
        return [fact for fact in facts.values() if fact.predicate]

    def _read_edits(self, scope: Scope, held: Memories) -> dict[str, UserDecision]:
        """Return the edits of the held memories, by id."""
        ids = sorted(
            {edit for one in held.facts for edit in one.edits}
            | {edit for one in held.moments for edit in one.edits}
        )
        user_decisions = (
            decisions.decision_of(one.message) for one in self.journal.messages(scope, ids)
        )
        return {one.id: one for one in user_decisions if one}

    def _renew_episodes(
        self,
        bond: Bond,
        talk: UnreadTalk,
        state: LearnedState,
        told: Sequence[Episode],
        fresh: Sequence[UserDecision],
    ) -> list[Episode]:
        """Return the episodes in their present form."""
        if talk.touched:
            refused = self._list_refused_ids(bond.scope)
            spoken = decisions.select_spoken_messages(talk.entries)
            self.said_words.renew(
                bond.scope,
                talk.touched,
                list_standing(spoken, talk.taken_back),
                [identity for episode in told for identity in episode.message_ids],
                refused,
            )

            def summarise(span: Sequence[Journalled], unquoted: frozenset[str]) -> Episode | None:
                quoted = list_standing(span, talk.taken_back, unquoted)
                return self._summarise_span(bond, quoted, state, talk.entries)

            told = summary_renewal.retold(talk, told, refused, summarise)
        return summary_renewal.decided(told, fresh, self.journal, bond.scope)

    def _summarise_span(
        self,
        bond: Bond,
        span: Sequence[Journalled],
        state: LearnedState,
        entries: Sequence[Journalled] = (),
    ) -> Episode | None:
        """Return the episode of a span; None where there is nothing to tell.

        `entries` are the messages and what models read in them, whose topics and feelings count.
        """
        who = narrative.whom(state.facts, self._build_view(bond, span))
        episode = episodes.summarise_span(span, state.facts, state.moments, who) if span else None
        mood = readings.find_span_mood(entries, [one.message.id for one in span])
        if episode is None or not any(mood):
            return episode
        return episode._replace(
            topics=mood.topics or episode.topics,
            emotion=mood.emotion or episode.emotion,
            open_topics=mood.open_topics or episode.open_topics,
        )

    def summarise(
        self, bond: Bond, tell: Callable[[Sequence[Journalled]], str] = lambda span: ""
    ) -> Episode | None:
        """Summarise the oldest part of a full window; return the episode.

        None where the window is not full, where another process was faster, or where something of
        it was refused meanwhile. `tell` may return a better text; '' keeps the text of the rules.
        """
        snapshot = self.read_snapshot(bond)
        due, held = self.due(bond, snapshot), snapshot.held
        if due is None or max(one.seq for one in due.messages) > snapshot.learned:
            return None
        talk = snapshot.window.spoken
        quoted = self._list_quotable(bond.scope, due.messages, talk)
        episode = self._summarise_span(
            bond, quoted, LearnedState.of(held), snapshot.window.messages
        )
        if episode:
            episode = episode._replace(
                text=tell(quoted) or episode.text,
                message_ids=tuple(one.message.id for one in due.messages),
                messages=len(due.messages),
            )
        if self._list_quotable(bond.scope, due.messages, talk) != quoted:
            return None  # refused while a model told of it
        # Before the window moves: killed in between, the words are kept again.
        self.said_words.keep(bond.scope, quoted, ())
        is_finished = self._keep_episodes(
            bond,
            snapshot,
            episodes_now=[*held.episodes, episode] if episode else held.episodes,
            kind="summary",
            span=due.messages,
            end=due.end,
            edited={one.key for one in held.episodes},
        )
        return episode if is_finished else None

    def tell_of(
        self,
        bond: Bond,
        said: Sequence[Journalled],
        ids: Sequence[str],
        tell: Callable[[Sequence[Journalled]], str] = lambda span: "",
    ) -> None:
        """Form the episode of messages before the window, beside the existing episodes.

        `ids` are all messages of the episode's span; `tell` as in `summarise`. Messages of which
        something is refused, also while a model tells of them, are not quoted, and neither is what
        later messages take back.
        """
        text, told_of = "", list[Journalled]()
        while True:
            read = self.journal.read(bond.scope, said[0].place - 1, budget_tokens=ALL, limit=ALL)
            talk = decisions.select_spoken_messages(read)
            quoted = self._list_quotable(bond.scope, said, talk)
            if quoted != told_of:
                text, told_of = tell(quoted), quoted
                continue
            snapshot = self.read_snapshot(bond)
            episode = self._summarise_span(bond, quoted, LearnedState.of(snapshot.held))
            if episode is None:
                return
            episode = episode._replace(
                text=text or episode.text, message_ids=tuple(ids), messages=len(ids)
            )
            others = [one for one in snapshot.held.episodes if one.key != episode.key]
            self.said_words.keep(bond.scope, quoted, ())
            if self._keep_episodes(
                bond,
                snapshot,
                episodes_now=[*others, episode],
                kind="return",
                span=said,
                end=snapshot.window.position,
            ):
                return

    def _keep_episodes(
        self,
        bond: Bond,
        snapshot: ScopeSnapshot,
        *,
        episodes_now: Sequence[Episode],
        kind: str,
        span: Sequence[Journalled],
        end: int,
        edited: Collection[str] = (),
    ) -> bool:
        """Keep the episodes within the slots, and move the reader of summaries to `end`.

        Return False where another process was faster.
        """
        held, position = snapshot.held, snapshot.window.position
        kept = limit_episodes(self.slots(bond), episodes_now, held.facts, held.moments)
        put, forget = differing(bond.scope, held, held._replace(episodes=kept), edited)
        run = self._build_run(
            scope=bond.scope,
            reader=SUMMARY,
            kind=kind,
            start=position,
            end=end,
            span=span,
            documents=len(put),
        )
        return finish_span(
            self.journal, self.store, position, run, put=put, forget=forget, held=snapshot.documents
        )

    def due(self, bond: Bond, seen: ScopeSnapshot) -> episodes.Due | None:
        """Return the span that is due for a summary; None where the window is not full."""
        return episodes.find_due_span(seen.window.spoken, self.budget.window(bond.persona))

    def context(
        self,
        bond: Bond,
        text: str,
        seen: ScopeSnapshot | None = None,
        narrative_tokens: int | None = None,
    ) -> TurnContext:
        """Return the context for a reply to the present message, journalled or not.

        `seen` is the state of the scope, where it was read already; `narrative_tokens` replaces
        what the budget allows the narrative.
        """
        seen = seen or self.read_snapshot(bond)
        if seen.is_waiting:
            deliver_scope(self.journal, self.store, bond.scope)
        window = seen.window.spoken
        view = self._build_view(bond, window, text)
        hits = recalled(
            self.store,
            self.embedder,
            bond.scope,
            text,
            view.now,
            self.weights,
            limit=self.weights.candidates,
            held=seen.documents,
        )
        recency = {
            one.key: self.weights.recency_of(one.said_at, view.now) for one in seen.documents
        }
        keys = rank_bearing(seen.held.every, hits, text, self.weights, recency)
        hits = hits[: self.weights.limit]
        quotes = self.said_words.quote(
            bond.scope, text, self.clock, bond.zone, _list_unquoted_ids(seen.held.facts)
        )
        narration = narrative.narrative(
            NarrativeMemories(*seen.held, keys, quotes),
            view,
            self.budget.narrative_tokens if narrative_tokens is None else narrative_tokens,
        )
        left = (
            self.budget.context_tokens
            - estimate_tokens(bond.persona)
            - estimate_tokens(narration.text)
        )
        messages: list[Message] = []
        for entry in reversed(window):
            left -= entry.message.tokens
            if left < 0:
                break
            messages.append(entry.message)
        return TurnContext(
            persona=bond.persona,
            narrative=narration,
            window=tuple(reversed(messages)),
            recalled=tuple(hits),
            extractor=self.extractor,
        )

    def search(self, bond: Bond, text: str, limit: int = 5) -> list[RecalledDocument]:
        """Return memories for a question with the parts of their scores, best first."""
        deliver_scope(self.journal, self.store, bond.scope)
        return recalled(
            self.store, self.embedder, bond.scope, text, self.clock.now(), self.weights, limit
        )

    def memories(self, bond: Bond) -> Memories:
        """Return the memories, with ideas among the facts."""
        return read_held_memories([entry.document for entry in self.journal.made(bond.scope)])

    def read_snapshot(self, bond: Bond) -> ScopeSnapshot:
        """Read the state of a scope that a turn needs, in one go."""
        state, window = windows.read_scope_window(self.journal, self.cache, bond.scope, SUMMARY)
        documents = tuple(entry.document for entry in state.made)
        return ScopeSnapshot(
            learned=state.positions.get(DETECTION, 0),
            window=window,
            held=read_held_memories(documents),
            documents=documents,
            is_waiting=state.is_waiting,
        )

    def _build_view(
        self, bond: Bond, window: Sequence[Journalled], text: str = ""
    ) -> NarrativeView:
        """Return the circumstances of the narrative, in the language that the user speaks."""
        texts = [entry.message.text for entry in window if entry.message.role is Role.USER]
        return NarrativeView(
            lang=detect_text_language(" ".join((*texts[-20:], text))),
            now=self.clock.now(),
            zone=bond.zone,
            window=[entry.message for entry in window],
            memories=self.budget.memories,
        )

    def _build_run(
        self,
        *,
        scope: Scope,
        reader: str,
        kind: str,
        start: int,
        end: int,
        span: Sequence[Journalled],
        documents: int,
    ) -> Run:
        return Run(
            scope=scope,
            reader=reader,
            kind=kind,
            at=self.clock.now(),
            start=start,
            end=end,
            messages=len(span),
            source_tokens=sum(entry.message.tokens for entry in span),
            documents=documents,
            document_tokens=0,
        )


def _list_unquoted_ids(facts: Sequence[Fact]) -> frozenset[str]:
    """Return the messages that only facts came from which a person changed, or which are over."""
    standing = {i for one in facts if one.is_current and not one.edits for i in one.message_ids}
    others = {i for one in facts if not one.is_current or one.edits for i in one.message_ids}
    return frozenset(others - standing)


def _build_spoken_line(said: Sequence[Journalled], one: Journalled, zone: tzinfo) -> Spoken:
    """Return a message as the rules read it, with the messages before it."""
    before = [other.message for other in said]
    last = before[-1] if before and before[-1].role is not one.message.role else None
    recent = [message.text[:_MOST_READ] for message in before if message.role is Role.USER]
    replies = [message.text[:_MOST_READ] for message in before if message.role is Role.ASSISTANT]
    is_user = one.message.role is Role.USER
    return Spoken(
        text=one.message.text[:_MOST_READ],
        is_user=is_user,
        day=day_in(one.message.at, zone),
        answers=last.text[-_MOST_READ:] if last else "",
        earlier=tuple(recent[-EARLIER:]),
        zone=zone,
        recent=tuple(recent),
        replies=tuple(replies[-EARLIER:]),
    )
