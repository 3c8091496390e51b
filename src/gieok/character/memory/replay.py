"""Rolls memory back to a place in a conversation, and learns on from there.

The result is as if the changed messages had never been said. Pure: facts and moments in, facts and
moments out. Each fact knows which messages stated, repeated and ended it, so that no message before
that place is read again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple, TypeVar

from gieok.character.detect.detect import Detection, Finding
from gieok.character.facts import Fact, LearnedFact, Moment, value_id
from gieok.character.memory.decisions import MemoryEdit, UserDecision
from gieok.character.memory.fact_merge import (
    ToldMessage,
    build_set_fact,
    join_detected_facts,
    join_set_fact,
)
from gieok.character.memory.memory_state import Memories
from gieok.character.memory.readings import (
    MessageReading,
    begin_read_moments,
    is_revoked,
)
from gieok.character.predicates import PREDICATES

T = TypeVar("T")


class LearnedState(NamedTuple):
    """All that is known after a message."""

    facts: tuple[Fact, ...] = ()
    moments: tuple[Moment, ...] = ()

    @classmethod
    def of(cls, held: Memories) -> "LearnedState":
        """Return the state that the held memories are."""
        return cls(tuple(held.facts), tuple(held.moments))


class Refusals(NamedTuple):
    """Values and keys that the user does not want learned → messages."""

    by: Mapping[str, frozenset[str]]

    def of(self, what: str, message_id: str) -> bool:
        """Return whether a value or key must not be learned from a message."""
        return message_id in self.by.get(what, ())


def before(
    state: LearnedState, later: frozenset[str], edits: Mapping[str, UserDecision]
) -> LearnedState:
    """Return what was known before the messages `later`.

    `edits` are the user's earlier edits, by id.
    """
    facts = [fact for memory in state.facts for fact in _fact_before(memory, later, edits)]
    moments = [
        _moment_before(memory, later, edits)
        for memory in state.moments
        if memory.message_ids and memory.message_ids[0] not in later
    ]
    return LearnedState(_sort_facts(facts), tuple(moments))


def carried(
    state: LearnedState, later: frozenset[str], changed: frozenset[str]
) -> dict[str, list[Finding]]:
    """Return a model's findings in unchanged messages that are read again, by message.

    The model is not asked about these messages again.
    """
    findings: dict[str, list[Finding]] = {}
    for fact in state.facts:
        if fact.by and fact.born in later and fact.born not in changed:
            findings.setdefault(fact.born, []).append(_rebuild_finding(fact))
    return findings


class EditedMemories(NamedTuple):
    """Findings and moments, by message, whose memories the user changed or marked since.

    The user has seen them: no reading of a model takes them away.
    """

    findings: Mapping[str, Sequence[Finding]]
    moments: Mapping[str, Sequence[Moment]]


def list_edited(
    state: LearnedState, later: frozenset[str], changed: frozenset[str]
) -> EditedMemories:
    """Return what the user changed or marked in unchanged messages that are read again."""
    findings: dict[str, list[Finding]] = {}
    moments: dict[str, list[Moment]] = {}
    for fact in state.facts:
        if fact.learned and fact.born in later - changed:
            findings.setdefault(fact.born, []).append(_rebuild_finding(fact))
    for moment in state.moments:
        for born in moment.message_ids[:1] if moment.edits else ():
            if born in later - changed:
                moments.setdefault(born, []).append(_moment_before(moment, later, {}))
    return EditedMemories(findings, moments)


def apply_model_reading(
    reading: MessageReading,
    edited: EditedMemories,
    by_rules: Detection,
    state: LearnedState,
    told: ToldMessage,
) -> tuple[LearnedState, Detection, list[Moment]]:
    """Return the state without what a model takes back, and what it read in a message.

    Of the rules' findings those stand that the user changed since, and those in slots of which the
    model gave no value that can be kept.
    """
    kept = edited.findings.get(told.message_id, ())
    fixed = {(one.subject, one.predicate) for one in kept}
    is_open = {*reading.unsettled} - fixed
    findings = [
        *kept,
        *(one for one in reading.findings if (one.subject, one.predicate) not in fixed),
        *(one for one in by_rules.findings if (one.subject, one.predicate) in is_open),
    ]
    facts = tuple(
        replace(fact, until=fact.at, replaced_by="", ended_by=told.message_id)
        if fact.is_current and any(is_revoked(fact, one) for one in reading.taken_back)
        else fact
        for fact in state.facts
    )
    moments = [*edited.moments.get(told.message_id, ())]
    types = {one.type for one in moments}
    begun = begin_read_moments(reading, told.message_id, told.at)
    moments += [one for one in begun if one.type not in types]
    return state._replace(facts=facts), Detection(findings=tuple(findings)), moments


def restore_model_findings(found: dict[str, list[Finding]], facts: Iterable[Fact]) -> None:
    """Add the findings of a model that the user wants back."""
    for fact in facts:
        if fact.by:
            found.setdefault(fact.born, []).append(_rebuild_finding(fact))


def apply_detection(
    state: LearnedState,
    found: Detection,
    told: ToldMessage,
    begun: Sequence[Moment],
    refusals: Refusals,
) -> LearnedState:
    """Return the state after a message that states something.

    Values that the user refused are left out.
    """
    if not found.findings and not found.dropped and not begun:
        return state  # most messages say nothing to keep
    accepted = tuple(
        one for one in found.findings if not refusals.of(_value_id(one), told.message_id)
    )
    if not accepted and not found.dropped and not begun:
        return state
    changes = join_detected_facts(found._replace(findings=accepted), state.facts, told)
    facts = {fact.key: fact for fact in state.facts}
    for gone in changes.forget:
        del facts[gone.key]
    facts |= {fact.key: fact for fact in changes.put}
    moments = (one for one in begun if not refusals.of(one.key, told.message_id))
    return LearnedState(_sort_facts(facts.values()), (*state.moments, *moments))


def apply_user_edit(state: LearnedState, decision: UserDecision) -> LearnedState:
    """Return the state after an edit by the user.

    An edit of a memory that is gone changes nothing.
    """
    chosen = _find_edited_fact(state.facts, decision)
    facts = [
        changed_fact(memory, decision.change, decision.id) if memory is chosen else memory
        for memory in state.facts
    ]
    moments = (
        changed_moment(memory, decision) if memory.key == decision.key else memory
        for memory in state.moments
    )
    return LearnedState(_sort_facts(facts), tuple(moments))


def apply_set_fact(
    state: LearnedState, decision: UserDecision, at: datetime, refusals: Refusals
) -> LearnedState:
    """Return the state after a person set a fact; the same state where they took it back since."""
    change = decision.change
    value = value_id(change.subject or "", change.predicate or "", change.object or "")
    if change.predicate not in PREDICATES or refusals.of(value, decision.id):
        return state
    fact = build_set_fact(decision.id, at, change, decision.ids)
    return state._replace(facts=_sort_facts(join_set_fact(fact, state.facts)))


def changed_fact(fact: Fact, change: MemoryEdit, edit: str) -> Fact:
    """Return a fact with the user's changes; the learned content is kept beside them."""
    was = fact.learned or LearnedFact(fact.object, fact.day, fact.importance, fact.is_important)
    return replace(
        fact,
        object=_choose_set_value(change.object, fact.object),
        day=_choose_set_value(change.day, fact.day),
        importance=_choose_set_value(change.importance, fact.importance),
        is_important=_choose_set_value(change.is_important, fact.is_important),
        edits=(*fact.edits, edit),
        learned=was,
    )


def changed_moment(moment: Moment, decision: UserDecision) -> Moment:
    """Return a moment with the user's changes."""
    change = decision.change
    return moment._replace(
        text=_choose_set_value(change.text, moment.text),
        is_important=_choose_set_value(change.is_important, moment.is_important),
        edits=(*moment.edits, decision.id),
        said=moment.said or moment.text,
    )


def _choose_set_value(value: T | None, old: T) -> T:
    return old if value is None else value


def _sort_facts(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    return tuple(sorted(facts, key=lambda fact: (fact.at, fact.key)))


def _fact_before(
    fact: Fact, later: frozenset[str], edits: Mapping[str, UserDecision]
) -> list[Fact]:
    if _find_birth_message(fact) in later:
        # The slip that this fact corrected was true until then; other facts that it replaced come
        # back by themselves.
        return [one for slip in fact.slips for one in _fact_before(slip, later, edits)]
    ids = tuple(one for one in fact.message_ids if one not in later)
    if ids != fact.message_ids:  # the same object where nothing changes: it is not written again
        fact = replace(fact, message_ids=ids, mentions=len(ids))
    if fact.ended_by and fact.ended_by in later:
        fact = replace(fact, until=None, replaced_by="", ended_by="")
    if fact.learned and any(edit in later for edit in fact.edits):
        was, remaining = fact.learned, [edit for edit in fact.edits if edit not in later]
        fact = replace(
            fact,
            object=was.object,
            day=was.day,
            importance=was.importance,
            is_important=was.is_important,
            edits=(),
            learned=None,
        )
        for edit in remaining:
            fact = changed_fact(fact, edits[edit].change, edit) if edit in edits else fact
    return [fact]


def _moment_before(
    moment: Moment, later: frozenset[str], edits: Mapping[str, UserDecision]
) -> Moment:
    if not any(edit in later for edit in moment.edits):
        return moment
    remaining = [edit for edit in moment.edits if edit not in later]
    moment = moment._replace(text=moment.said or moment.text, is_important=False, edits=(), said="")
    for edit in remaining:
        moment = changed_moment(moment, edits[edit]) if edit in edits else moment
    return moment


def _find_birth_message(fact: Fact) -> str:
    """Return the message that stated a fact.

    A fact from before this was recorded gives the first message that it cites.
    """
    return fact.born or (fact.message_ids[0] if fact.message_ids else "")


def _find_edited_fact(facts: Sequence[Fact], decision: UserDecision) -> Fact | None:
    """Return the fact that an edit is about: by its key, else by its value.

    The value may be stated elsewhere now.
    """
    by_key = next((fact for fact in facts if fact.key == decision.key), None)
    return by_key or next(
        (
            candidate
            for candidate in facts
            if candidate.is_current and candidate.value_id == decision.value_id
        ),
        None,
    )


def _rebuild_finding(fact: Fact) -> Finding:
    was = fact.learned
    return Finding(
        predicate=fact.predicate,
        object=fact.said,
        sentence=fact.source,
        subject=fact.subject,
        confidence=fact.confidence,
        subtype=fact.subtype,
        day=was.day if was else fact.day,
        is_idea=fact.is_idea,
        by=fact.by,
    )


def _value_id(finding: Finding) -> str:
    return value_id(finding.subject, finding.predicate, finding.object)
