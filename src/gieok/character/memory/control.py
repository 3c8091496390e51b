"""Control of users over their memories: read, search, edit, mark, delete, and undo.

Each change is a decision in the journal (`decisions`), so that the change still holds when memory
is formed again, even from the same messages.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import NamedTuple

from gieok.character.facts import (
    EPISODE,
    FACT,
    IDEA,
    MOMENT,
    PERSON,
    USER,
    Episode,
    Fact,
    Moment,
    episode_entry,
    fact_of,
    read_moment_document,
    same_value,
    talkers_of,
)
from gieok.character.memory import decisions, memory_pages, readings
from gieok.character.memory.bearing import list_unknown_words
from gieok.character.memory.decisions import (
    EDIT,
    REFORM,
    REFUSE,
    RESTORE,
    SET,
    MemoryEdit,
    UserDecision,
)
from gieok.character.memory.fact_merge import build_set_fact
from gieok.character.memory.memory_pages import (
    Layer,
    MemoryPage,
    MessagePage,
    RememberedItem,
    SaidMessage,
    Summaries,
)
from gieok.character.memory.memory_state import Memories
from gieok.character.memory.service import DETECTION, SUMMARY, Bond, CharacterService
from gieok.character.memory.unread_talk import ALL
from gieok.character.predicates import PREDICATES
from gieok.character.zones import find_account_zone
from gieok.errors import BadRequest, NotFound, Phrase
from gieok.model.conversation import Journalled, Message, Retraction
from gieok.model.memory import Document, Scope
from gieok.ports.journal import FullJournal, MessageFilter

#: Realm of deletions that can be undone, by the day on which the undo expires: `scope decision` →
#: keys.
UNTIL = "character-undo:"
_MOST_CHARS = 2_000
_MOST_OBJECT = 200
_MOST_SUBJECT = 40


class RankedMemory(NamedTuple):
    """Memory that a search found, its score, and the parts of the score before their weights."""

    memory: RememberedItem
    score: float
    similarity: float
    recency: float
    importance: float


class MemorySearch(NamedTuple):
    """Memories that a search found, best first.

    `unknown` are words of the question of which nothing is kept: what was found is only near them.
    """

    items: tuple[RankedMemory, ...]
    unknown: tuple[str, ...] = ()

    @property
    def memories(self) -> tuple[RememberedItem, ...]:
        """Return the memories without their scores."""
        return tuple(one.memory for one in self.items)

    @property
    def scores(self) -> tuple[float, ...]:
        """Return the scores of `memories`, in the same order."""
        return tuple(one.score for one in self.items)


class Story(NamedTuple):
    """Memory with its source messages and its earlier versions, newest first."""

    memory: RememberedItem
    messages: tuple[SaidMessage, ...]
    before: tuple[RememberedItem, ...]


class EditOutcome(NamedTuple):
    """Effect of a change.

    `undo` is the id with which the change can be undone until `until`; '' where it cannot be
    undone. `holds_again` are facts that the deleted fact had superseded. `retold` and `stale` are
    the episodes that quoted the deleted memory: `retold` were summarised anew, `stale` are in the
    user's own words and were left.
    """

    undo: str
    until: datetime | None
    memory: RememberedItem | None = None
    holds_again: tuple[str, ...] = ()
    retold: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()

    @property
    def is_done(self) -> bool:
        """Return True: a change that failed raises an error."""
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """Operations of users on their memories. `undo_days` is how long a change can be undone."""

    memory: CharacterService
    undo_days: int = 7

    @property
    def _journal(self) -> FullJournal:
        return self.memory.journal

    def memories(self, bond: Bond, layer: str, page: int = 1, limit: int = 50) -> MemoryPage:
        """Return a page of a layer ('': of all): current memories first, then the newest.

        Raises BadRequest.
        """
        return memory_pages.paged(
            memory_pages.of_layer(self.memory.memories(bond), memory_pages.layer_named(layer)),
            page,
            limit,
        )

    def messages(
        self, bond: Bond, page: int = 1, limit: int = 50, *, is_window: bool = False
    ) -> MessagePage:
        """Return a page of messages, newest first. Raises BadRequest.

        `is_window` limits the page to messages that are not summarised yet.
        """
        summaries = self.read_summaries(bond)
        after = summaries.end if is_window else 0
        return memory_pages.page_messages(self._journal, bond.scope, summaries, page, limit, after)

    def read_summaries(self, bond: Bond) -> Summaries:
        """Return which messages are summarised, and by which episode."""
        end = self._journal.position(bond.scope, SUMMARY)
        return Summaries.of(self.memory.memories(bond).episodes, end)

    def read_item(self, bond: Bond, key: str) -> RememberedItem:
        """Return a memory alone. Raises NotFound."""
        return memory_pages.of_memory(_find_memory_by_key(self.memory.memories(bond), key))

    def read(self, bond: Bond, key: str) -> Story:
        """Return a memory with the messages it came from. Raises NotFound."""
        held = self.memory.memories(bond)
        memory = memory_pages.of_memory(_find_memory_by_key(held, key))
        summaries = Summaries.of(held.episodes, self._journal.position(bond.scope, SUMMARY))
        entries = self._journal.messages(bond.scope, memory.message_ids)
        before = [d for _, d in self._journal.replaced(bond.scope) if d.key == key]
        items = [item for d in reversed(before) if (item := memory_pages.of_document(d))]
        return Story(
            memory,
            tuple(memory_pages.as_said(one, summaries) for one in entries if one.message.text),
            tuple(items),
        )

    def search(
        self, bond: Bond, text: str, limit: int = 5, layers: Sequence[str] = ()
    ) -> MemorySearch:
        """Return memories for a question, best first. Raises BadRequest."""
        memory_pages.first_of(1, limit)
        wanted_layers = {memory_pages.layer_named(name) for name in layers} or set(Layer)
        hits = self.memory.search(bond, text, limit if not layers else memory_pages.MOST_LIMIT)
        items = ((memory_pages.of_document(hit.document), hit) for hit in hits)
        rows = [
            RankedMemory(
                memory=item,
                score=hit.score,
                similarity=hit.signals["similarity"],
                recency=hit.signals["recency"],
                importance=hit.signals["importance"],
            )
            for item, hit in items
            if item and item.layer in wanted_layers
        ]
        held = self.memory.memories(bond)
        return MemorySearch(tuple(rows[:limit]), list_unknown_words(text, held.every))

    def edit(self, bond: Bond, key: str, change: MemoryEdit) -> EditOutcome:
        """Change a memory; its former version goes to its history.

        A fact that is about something else then is another memory, with an id of its own, and what
        the former one had superseded holds again. Raises NotFound, BadRequest.
        """
        self.memory.learn(bond)
        held = self.memory.memories(bond)
        memory = _find_memory_by_key(held, key)
        _check_memory_edit(memory, change)
        if isinstance(memory, Fact) and _is_about_other(memory, change):
            return self._replace_fact(bond, held, memory, change)
        value = memory.value_id if isinstance(memory, Fact) else ""
        undo = self.memory.decide(
            bond,
            UserDecision(
                EDIT,
                key=key,
                value_id=value,
                version=_read_episode_version(bond.scope, memory),
                change=change,
            ),
        )
        return EditOutcome(undo, self._until(), self.read_item(bond, key))

    def add(self, bond: Bond, change: MemoryEdit) -> EditOutcome:
        """Add a fact that the user states; it outranks what is detected.

        Its subject is the user where none is given. Raises BadRequest.
        """
        self.memory.learn(bond)
        change = change._replace(subject=change.subject or USER)
        _check_whole_fact(change)
        undo = self.memory.decide(bond, UserDecision(SET, change=change))
        return EditOutcome(undo, self._until(), _find_set_item(self.memory.memories(bond), undo))

    def _replace_fact(
        self, bond: Bond, held: Memories, fact: Fact, change: MemoryEdit
    ) -> EditOutcome:
        """Put a fact of the user's own in the place of one, which is not learned again."""
        whole = _complete_fact_change(fact, change)
        _check_whole_fact(whole)
        values, sources = _list_refused_values(fact), _list_sources(fact)
        undo = self.memory.decide(
            bond,
            UserDecision(
                SET,
                start=self._find_start(bond, sources),
                ids=fact.message_ids,
                key=fact.key,
                value_id=" ".join(values),
                change=whole,
                refused=sources,
            ),
        )
        now = self.memory.memories(bond)
        done = EditOutcome(undo, self._until(), _find_set_item(now, undo))
        return _report_deletion_effects(done, held, now, fact)

    def _find_start(self, bond: Bond, ids: Sequence[str]) -> int:
        """Return the place of the first of some messages; 0 for none."""
        return min((one.place for one in self._journal.messages(bond.scope, ids)), default=0)

    def mark(self, bond: Bond, key: str, *, is_important: bool = True) -> EditOutcome:
        """Mark a memory as important or not; an important memory is never merged with others.

        Raises NotFound.
        """
        return self.edit(bond, key, MemoryEdit(is_important=is_important))

    def delete(self, bond: Bond, key: str, *, for_good: bool = False) -> EditOutcome:
        """Delete a memory; it is not learned again from the same messages. Raises NotFound.

        Its document, passages and vectors are removed. Its content is kept until the deletion can
        no longer be undone; `for_good` removes the content at once.
        """
        self.memory.learn(bond)
        held = self.memory.memories(bond)
        memory = _find_memory_by_key(held, key)
        values, sources = _list_refused_values(memory), _list_sources(memory)
        start = 0 if isinstance(memory, Episode) else self._find_start(bond, sources)
        version = _read_episode_version(bond.scope, memory)
        decision = UserDecision(
            REFUSE,
            start=start,
            ids=memory.message_ids,
            key=key,
            value_id=" ".join(values),
            version=version,
            refused=sources,
        )
        decision = self.memory.name_decision(bond, decision)
        day = date.min if for_good else self._until().date()
        realm, name = UNTIL + day.isoformat(), f"{bond.scope} {decision.id}"
        # Before the decision: killed in between, nothing is deleted, and `tidy` drops the record.
        self._journal.keep(realm, {name: key})
        undo = self.memory.decide(bond, decision)
        if for_good:
            self._purge(bond.scope, key)
            self._journal.keep(realm, {}, [name])
        self._forget_caches(bond)
        return _report_deletion_effects(
            EditOutcome("" if for_good else undo, None if for_good else self._until()),
            held,
            self.memory.memories(bond),
            memory,
        )

    def undo(self, bond: Bond, change: str) -> None:
        """Undo an edit or a deletion.

        Raises NotFound where `change` is no such change, was undone before, or is too long ago.
        """
        self.memory.learn(bond)
        entry = self._standing(bond.scope, change)
        decision = decisions.decision_of(entry.message) if entry else None
        if (
            entry is None
            or decision is None
            or entry.message.at + timedelta(days=self.undo_days) < self._now()
        ):
            raise NotFound("no change {change} that can be taken back", change=change)
        if decision.do == SET or (decision.do == EDIT and f":{EPISODE}:" not in decision.key):
            start = min(decision.start or entry.place, entry.place)
            values = decision.value_id if decision.do == SET else ""
            again = UserDecision(
                REFORM, start=start, ids=(change,), value_id=values, refused=decision.refused
            )
        else:
            again = decision._replace(do=RESTORE, id="", change=MemoryEdit())
        self.memory.decide(bond, again, [Retraction(decisions.AGENT, change)])

    def delete_message(self, bond: Bond, identity: str) -> None:
        """Delete a message for good: all versions of its text, and memories learned from it alone.

        Raises NotFound.
        """
        entries = self._journal.find(bond.scope, MessageFilter(frozenset([identity])))
        if not entries or entries[0].message.agent == decisions.AGENT:
            raise NotFound("no message {identity}", identity=identity)
        before = {memory.key for memory in self.memory.memories(bond).every}
        self.memory.withdraw(bond, [identity])
        after = {memory.key for memory in self.memory.memories(bond).every}
        quoted = [
            (number, document)
            for number, document in self._journal.replaced(bond.scope)
            if any(identity in origin.message_ids for origin in document.provenance)
        ]
        # Memories of an earlier version, or of a message that was taken back before, are gone too.
        for key in sorted((before | {document.key for _, document in quoted}) - after):
            self._purge(bond.scope, key, is_reading_kept=True)
        held = self._journal.read(bond.scope, 0, budget_tokens=ALL, limit=ALL)
        told = readings.list_readings_about(held, identity)
        numbers = [number for number, _ in quoted]
        self._journal.erase(bond.scope, [*(one.seq for one in entries), *told], (), numbers)
        self._forget_caches(bond)

    def tidy(self) -> int:
        """Remove the kept content of deletions that can no longer be undone; return how many.

        Safe to kill.
        """
        purged, today = 0, self._now().date().isoformat()
        for realm in self._journal.realms(UNTIL):
            if realm.removeprefix(UNTIL) >= today:
                continue
            for name, key in self._journal.kept(realm).items():
                path, _, decision = name.partition(" ")
                scope = Scope(path)
                entry = self._standing(scope, decision)
                if entry and entry.seq > self._journal.position(scope, DETECTION):
                    self.memory.learn(self._open_scope_bond(scope))  # killed before it was applied
                if entry:
                    self._purge(scope, key)
                    purged += 1
                self._journal.keep(realm, {}, [name])
        return purged

    def _open_scope_bond(self, scope: Scope) -> Bond:
        user, character = talkers_of(scope)
        accounts = self.memory.accounts
        account = accounts.account(user) if accounts else None
        return Bond(user, character, zone=find_account_zone(account, self.memory.zone))

    def _standing(self, scope: Scope, change: str) -> Journalled | None:
        """Return a decision that was not undone; None where there is none."""
        known = self._journal.messages(scope, [change])
        held = (
            self._journal.read(scope, known[0].seq - 1, budget_tokens=1, limit=1) if known else []
        )
        return held[0] if held and held[0].message.id == change else None

    def _purge(self, scope: Scope, key: str, *, is_reading_kept: bool = False) -> None:
        """Remove the content of a memory, and the user's edits of it, from the journal.

        Also former versions of the episodes of its messages, and what a model read of it, unless
        `is_reading_kept`: other messages may still say it.
        """
        replaced = self._journal.replaced(scope)
        gone = [document for _, document in replaced if document.key == key]
        memories = [one for document in gone if (one := _read_source_memory(document))]
        # What a message that was deleted had put aside may stand again.
        keys = {key} if is_reading_kept else {key, *_list_set_keys(memories)}
        messages = readings.list_messages(memories)
        erased_versions = [
            number
            for number, document in replaced
            if document.key in keys or _is_episode_of(document, messages)
        ]
        entries = self._journal.read(scope, 0, budget_tokens=ALL, limit=ALL)
        erased = [entry.seq for entry in entries if _is_edit(entry.message, keys)]
        if not is_reading_kept:
            cleaned = readings.clean_readings(entries, memories, self._now())
            self._journal.say(scope, cleaned.anew)
            erased += cleaned.stale
        self._journal.erase(scope, erased, sorted(keys), erased_versions)

    def _forget_caches(self, bond: Bond) -> None:
        if self.memory.cache:
            self.memory.cache.drop(bond.scope)

    def _now(self) -> datetime:
        return self.memory.clock.now()

    def _until(self) -> datetime:
        return self._now() + timedelta(days=self.undo_days)


def _find_memory_by_key(held: Memories, key: str) -> Fact | Moment | Episode:
    for memory in held.every:
        if memory.key == key:
            return memory
    raise NotFound("no memory {key}", key=key)


def _read_episode_version(scope: Scope, one: Fact | Moment | Episode) -> str:
    """Return the version of an episode, to tell it from later ones; facts and moments have none."""
    return episode_entry(scope, one).document.content_hash if isinstance(one, Episode) else ""


def _list_refused_values(one: Fact | Moment | Episode) -> list[str]:
    """Return the values that must not be learned again; of a fact also its earlier slips."""
    if isinstance(one, Fact):
        return [
            one.value_id,
            *(value for slip in one.slips for value in _list_refused_values(slip)),
        ]
    return [one.key]


def _read_source_memory(document: Document) -> Fact | Moment | None:
    """Return the fact or moment that a document holds; None for an episode."""
    if document.kind in (FACT, IDEA):
        return fact_of(document)
    return read_moment_document(document) if document.kind == MOMENT else None


def _is_episode_of(document: Document, messages: frozenset[str]) -> bool:
    """Return whether a document is an episode that tells one of some messages."""
    return document.kind == EPISODE and any(
        not messages.isdisjoint(origin.message_ids) for origin in document.provenance
    )


def _list_sources(one: Fact | Moment | Episode) -> tuple[str, ...]:
    """Return the messages that a memory came from, and the decisions by which a person set it."""
    if isinstance(one, Fact):
        return (*one.message_ids, *(fact.born for fact in _iter_set_facts(one)))
    return one.message_ids


def _iter_set_facts(fact: Fact) -> Iterator[Fact]:
    """Yield the facts in a fact that a person set: it may have been set several times."""
    if fact.by == PERSON:
        yield fact
    for slip in fact.slips:
        yield from _iter_set_facts(slip)


def _is_about_other(fact: Fact, change: MemoryEdit) -> bool:
    """Return whether a change makes a fact say something of another person or kind."""
    whole = _complete_fact_change(fact, change)
    return (whole.subject, whole.predicate, whole.subtype) != (
        fact.subject,
        fact.predicate,
        fact.subtype,
    )


def _complete_fact_change(fact: Fact, change: MemoryEdit) -> MemoryEdit:
    """Return a change with the values of a fact where it sets none."""
    return MemoryEdit(
        object=fact.object if change.object is None else change.object,
        day=fact.day if change.day is None else change.day,
        importance=change.importance,
        is_important=fact.is_important if change.is_important is None else change.is_important,
        subject=fact.subject if change.subject is None else change.subject,
        predicate=fact.predicate if change.predicate is None else change.predicate,
        subtype=fact.subtype if change.subtype is None else change.subtype,
    )


def _list_set_keys(memories: Iterable[Fact | Moment]) -> set[str]:
    """Return the keys under which a person set facts that were joined into one."""
    facts = [one for one in memories if isinstance(one, Fact)]
    return {inner.key for one in facts for inner in _iter_set_facts(one)}


def _is_edit(message: Message, keys: Container[str]) -> bool:
    """Return whether a message is an edit of a memory, or the statement that made it."""
    decision = decisions.decision_of(message)
    if decision is None:
        return False
    if decision.do == SET and decision.change.predicate in PREDICATES:
        return build_set_fact(decision.id, message.at, decision.change, ()).key in keys
    return decision.do == EDIT and decision.key in keys


def _find_set_item(memories: Memories, decision: str) -> RememberedItem | None:
    """Return the fact that a decision set."""
    facts = memories.facts
    return next((memory_pages.of_fact(one) for one in facts if one.born == decision), None)


def _check_memory_edit(one: Fact | Moment | Episode, change: MemoryEdit) -> None:
    """Raise BadRequest for a change that sets nothing, or sets fields that this memory lacks."""
    if change.is_empty:
        raise BadRequest("nothing to change", hint="give what it is to be")
    is_fact = isinstance(one, Fact)
    wrong = [
        name
        for name, value, fits in (
            (
                "object",
                change.object,
                is_fact
                and bool(same_value(change.object or ""))
                and len(change.object or "") <= _MOST_OBJECT,
            ),
            ("day", change.day, is_fact and _is_day(change.day or "")),
            (
                "text",
                change.text,
                not is_fact
                and bool((change.text or "").strip())
                and len(change.text or "") <= _MOST_CHARS,
            ),
            ("importance", change.importance, is_fact and 0.0 <= (change.importance or 0.0) <= 1.0),
            ("topics", change.topics, isinstance(one, Episode)),
            ("subject", change.subject, is_fact),
            ("predicate", change.predicate, is_fact),
            ("subtype", change.subtype, is_fact),
        )
        if value is not None and not fits
    ]
    if wrong:
        hint = Phrase(
            "a fact has an object of up to {most_object} characters, a day such as "
            "2026-04-17, an importance from 0 to 1; moments and episodes have a "
            "text of up to {most:,}, episodes topics",
            most_object=_MOST_OBJECT,
            most=_MOST_CHARS,
        )
        raise BadRequest("cannot set {wrong}", wrong=" and ".join(wrong), hint=hint)


def _check_whole_fact(change: MemoryEdit) -> None:
    """Raise BadRequest for a fact that cannot be."""
    if change.predicate not in PREDICATES:
        raise BadRequest(
            "there is no kind of fact {predicate!r}",
            predicate=(change.predicate or "")[:_MOST_SUBJECT],
            kinds=", ".join(PREDICATES),
            hint="kinds: {kinds}",
        )
    subject, value = change.subject or "", change.object or ""
    if not (
        subject.strip()
        and len(subject) <= _MOST_SUBJECT
        and len(change.subtype or "") <= _MOST_SUBJECT
        and same_value(value)
        and len(value) <= _MOST_OBJECT
        and _is_day(change.day or "")
    ):
        raise BadRequest(
            "a fact needs a subject and a value",
            most_subject=_MOST_SUBJECT,
            most_object=_MOST_OBJECT,
            hint="a subject of up to {most_subject} characters, a value of up to {most_object}, a "
            "day such as 2026-04-17",
        )


def _is_day(text: str) -> bool:
    try:
        return not text or bool(date.fromisoformat(text))
    except ValueError:
        return False


def _report_deletion_effects(
    done: EditOutcome, before: Memories, now: Memories, gone: Fact | Moment | Episode
) -> EditOutcome:
    """Return the outcome of a deletion, with its effects on other memories."""
    ended = {fact.key for fact in before.facts if not fact.is_current}
    again = tuple(fact.key for fact in now.facts if fact.is_current and fact.key in ended)
    old = {episode.key: episode.text for episode in before.episodes}
    about = [episode for episode in now.episodes if {*episode.message_ids} & {*gone.message_ids}]
    retold = tuple(episode.key for episode in about if old.get(episode.key) != episode.text)
    return done._replace(
        holds_again=again,
        retold=retold,
        stale=tuple(episode.key for episode in about if episode.is_stale),
    )
