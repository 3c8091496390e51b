"""Finds the users' turns that state something lasting, for a session's start, best first.

Such turns are shown beside active memory. They are judged by the head `worth` on the vectors that
search uses, so nothing is embedded for it; a short statement says more for its tokens than a long
request. The files written here name lines (key, number, a checksum of the line) and hold no text:
forgotten text is not in them, and the hook reads a line's text where it stands, if the checksum
still matches.

Measured on data/told/told_dev.json (2,200 tokens): share of current facts that are held .82 alone,
.56 among 300 sessions of other matters; by `worth` alone .81 and .04, because long turns with some
fact in them fill the room.
"""

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import NamedTuple

from gieok import fs
from gieok.memory.talk import binding_lines, gate_lines, turns
from gieok.memory.talk.binding_lines import BindingLine
from gieok.memory.talk.claims.ended_file import ended_lines
from gieok.memory.talk.rule_readings import (
    RuleReadings,
    forbids_surely,
    list_said_rules,
    load_readings,
    may_forbid,
)
from gieok.model.conversation import CORRECTED_MARK
from gieok.model.memory import Entry, Scope
from gieok.places.home import lasting_file
from gieok.places.scope import USER_SCOPE, is_brought, is_served
from gieok.ports.journal import Conversations
from gieok.ports.models import RuleStretch
from gieok.ports.store import Store, VectorCopy
from gieok.ranking.age import compute_faded_value
from gieok.ranking.learned.heads import about_user, judge_turn_worth
from gieok.text import binding
from gieok.text.appointments import find_day_ahead
from gieok.text.assent import accepts
from gieok.text.embedform import text_to_embed
from gieok.text.gates.places import holds_everywhere
from gieok.text.gates.statement import may_state_action_rule
from gieok.text.handles import line_check
from gieok.text.late_pattern import defer_pattern
from gieok.text.others import speaks_of_user, tells_of_others
from gieok.text.tokens import estimate_tokens
from gieok.text.turns import ASSISTANT, USER, find_answered_question
from gieok.zone import day_in, find_zone

#: To be raised whenever the same turns would be judged differently.
_VERSION = 17
_MOST_LINES = 400
_LONGEST_CHARS = 400
#: Least probability that a statement is about the user, and so holds in every project.
_ABOUT_USER = 0.8
_STATES = 0.3
#: Value of a turn without a vector of the fitted model: half a statement.
_UNJUDGED = 0.4
#: Share of its worth that a question has.
_QUESTION_SHARE = 0.3
#: Share of a proposal's value for the turn that accepts it, and the value of an answer that is more
#: than assent, whatever its words.
_ACCEPTED_SHARE, _ANSWERED = 0.6, 0.6
_ASKED_LAST = defer_pattern(r"[^.!?。]*[?？]\s*$")
_FEWEST_TOKENS = 8
_LEAST = 0.02
_QUESTION = defer_pattern(r"\?|까요?\s*$|나요\s*$")
#: A statement that asks for assent at its end, such as "…, ok?".
_TAG_QUESTION = defer_pattern(r"[^?]{20,}[,.;!]\s*\S+(?: \S+)?\?\s*")
_AT_ONCE = 200
#: Effect of a line on binding rules: it states some, lifts some, or only may state one.
RULE, LIFTS, DOUBTFUL = 1, -1, 2
_Row = tuple[float, int, int, bool, int, int, float, str]


class LastingLine(NamedTuple):
    """Line of a document of turns: value, time in Unix seconds, place, and whether about the user.

    `check` is the checksum of the line, `line_check`. `rule`: whether the line states a
    binding rule (`RULE`), lifts one, or may state one (`DOUBTFUL`). `likely` is the probability
    that it states something.
    `stretches`: what the reader takes for rules in the line, None where it did not read it.
    `day_ahead`: the day that the line names ("tomorrow at ten"), as `2026-11-25`; '' for none.
    """

    value: float
    at: int
    key: str
    line: int
    is_about_user: bool
    check: int
    rule: int = 0
    likely: float = 0.0
    stretches: tuple[RuleStretch, ...] | None = None
    day_ahead: str = ""


def update_lasting_lines(
    store: Store,
    home: Path,
    now: datetime,
    zone: tzinfo = UTC,
    journal: Conversations | None = None,
) -> None:
    """Update the files of all scopes from the turns of a store; only changed documents are judged.

    `journal` holds the messages in which rules about actions were said: without one, those stay as
    they are. Raises StoreError.
    """
    lines_by_scope = _list_lines_by_scope(store, home, now)
    rows = {scope: [(scope, line) for line in lines] for scope, lines in lines_by_scope.items()}
    others = [
        (scope, line)
        for scope, lines in lines_by_scope.items()
        if scope != USER_SCOPE
        for line in lines
    ]
    own = rows.get(USER_SCOPE, [])
    for scope, pairs in {**rows, USER_SCOPE: [*own, *others]}.items():
        binding_lines.write_binding_rules(store, home, scope, _select_rule_lines(pairs), zone)
    rows[USER_SCOPE] = [*own, *(pair for pair in others if pair[1].is_about_user)]
    if journal is not None:
        _compile_gate_rules(store, home, lines_by_scope, zone, journal)
    for scope, lines in rows.items():
        if lines or Path(lasting_file(str(home), scope)).exists():
            _write_lasting_lines(home, scope, lines)


def update_gate_rules(
    store: Store, home: Path, now: datetime, zone: tzinfo, journal: Conversations
) -> None:
    """Update the file of the rules about actions alone. Raises StoreError, OSError."""
    _compile_gate_rules(store, home, _list_lines_by_scope(store, home, now), zone, journal)


def _list_lines_by_scope(store: Store, home: Path, now: datetime) -> dict[str, list[LastingLine]]:
    return {
        str(scope): list(_iter_holding_lines(store, scope, home, now))
        for scope in store.scopes()
        if not is_brought(scope.path) and not is_served(scope.path)
    }


def _compile_gate_rules(
    store: Store,
    home: Path,
    lines_by_scope: Mapping[str, list[LastingLine]],
    zone: tzinfo,
    journal: Conversations,
) -> None:
    pairs = ((scope, line) for scope, lines in lines_by_scope.items() for line in lines)
    lines = _select_rule_lines(pairs, (RULE, LIFTS, DOUBTFUL))
    gate_lines.compile_gate_rules(store, home, lines, zone, journal)


def _select_rule_lines(
    pairs: Iterable[tuple[str, LastingLine]], effects: Collection[int] = (RULE, LIFTS)
) -> list[tuple[str, BindingLine]]:
    """Return the lines with their scopes that have one of some effects on rules."""
    return [
        (scope, BindingLine(line.at, line.key, line.line, line.check, line.stretches))
        for scope, line in pairs
        if line.rule in effects
    ]


def _iter_holding_lines(
    store: Store, scope: Scope, home: Path, now: datetime
) -> Iterator[LastingLine]:
    """Yield the lines that no later statement has replaced."""
    ended = ended_lines(store, home, scope, now.timestamp())
    return (
        line for line in iter_judged_lines(store, scope, home) if (line.key, line.line) not in ended
    )


def _write_lasting_lines(home: Path, scope: str, lines: list[tuple[str, LastingLine]]) -> None:
    newest = max((line.at for _, line in lines), default=0)
    best = sorted(
        lines,
        key=lambda pair: (
            -compute_faded_value(pair[1].value, pair[1].at, newest),
            pair[1].key,
            pair[1].line,
        ),
    )
    # An earlier release reads the rows without a day.
    rows = [
        (
            line.value,
            line.at,
            whose,
            line.key,
            line.line,
            line.check,
            *filter(None, [line.day_ahead]),
        )
        for whose, line in best[:_MOST_LINES]
    ]
    file = Path(lasting_file(str(home), scope))
    fs.make_private(file.parent)
    fs.replace_private(file, json.dumps(rows))


def iter_judged_lines(store: Store, scope: Scope, home: Path) -> Iterator[LastingLine]:
    """Yield the lines of a scope that state something.

    Judgements are kept by the document's hash.
    """
    file = Path(f"{lasting_file(str(home), str(scope))}.judged")
    hashes = {
        key: content_hash for key, content_hash in store.hashes(scope).items() if turns.is_said(key)
    }
    model = _find_text_vectors(store, [])[0]
    readings = load_readings(home, scope.path)
    stamps = {
        key: readings.stamp_document(key, content_hash) for key, content_hash in hashes.items()
    }
    known = _read_judged_rows(file, model)
    judged = {key: row for key, row in known.items() if stamps.get(key) == row[0]}
    changed = sorted(hashes.keys() - judged.keys())
    for start in range(0, len(changed), _AT_ONCE):
        for entry in store.entries(scope, changed[start : start + _AT_ONCE]):
            lines, is_complete = _judge_document_lines(store, entry, readings)
            # A document that still waits for vectors is judged again.
            judged[entry.document.key] = (stamps[entry.document.key] if is_complete else "", lines)
    if changed or len(judged) != len(known):
        fs.make_private(file.parent)
        fs.replace_private(file, json.dumps([_VERSION, model, judged]))
    for key, (_, lines) in judged.items():
        for value, at, line, is_about, check, rule, likely, day_ahead in lines:
            yield LastingLine(
                value=value,
                at=at,
                key=key,
                line=line,
                is_about_user=is_about,
                check=check,
                rule=rule,
                likely=likely,
                stretches=readings.find_stretches(key, check),
                day_ahead=day_ahead,
            )


def _read_judged_rows(file: Path, model: str) -> dict[str, tuple[str, list[_Row]]]:
    """Return the rows that were judged by the vectors of this model; none for another one's."""
    try:
        version, judged_by, rows = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return (
        {key: (content_hash, lines) for key, (content_hash, lines) in rows.items()}
        if (version, judged_by) == (_VERSION, model)
        else {}
    )


def _judge_document_lines(
    store: Store, entry: Entry, readings: RuleReadings
) -> tuple[list[_Row], bool]:
    """Return rows for the users' lines of a document, and whether all were judged by vectors.

    A row has the fields of `LastingLine` without the key and the stretches.
    """
    document = entry.document
    all_ = {p.start_line: document.text[p.start : p.end] for p in entry.passages}
    user_lines = {line: text for line, text in all_.items() if text.startswith(f"{USER}: ")}
    lines = document.text.split("\n")
    questions = {
        line: question for line in user_lines if (question := find_answered_question(lines, line))
    }
    model, vectors = _find_text_vectors(
        store, [*user_lines.values(), *(all_.get(line - 1, "") for line in questions)]
    )
    at = _convert_to_seconds(document.said_at)
    said_on = day_in(document.said_at, find_zone(turns.read_block_zone(document)))
    rows: list[_Row] = []
    for line, text in user_lines.items():
        words = text[len(USER) + 2 :]
        vector = vectors.get(text)
        # Both heads return 0: they were not fitted on this model.
        likely = judge_turn_worth(words, vector, model) if vector else 0.0
        if line in questions:
            proposal = all_.get(line - 1, "")
            likely = max(likely, _judge_short_answer(words, proposal, vectors.get(proposal), model))
        # The proposal and the answer are shown together, so both count as length; the answer is no
        # question, although a question precedes it.
        value = valued(
            f"{questions.get(line, '').replace('?', '')} {words}".strip(), likely or _UNJUDGED
        )
        check = line_check(text)
        stretches = readings.find_stretches(document.key, check)
        rule = (
            RULE
            if may_state_action_rule(words)
            or list_said_rules(words, questions.get(line, ""), stretches)
            else LIFTS
            if binding.lifts(words)
            else DOUBTFUL
            if may_forbid(stretches)
            else 0
        )
        if binding.is_all_for_once(words):
            value = likely = 0.0  # as long as its day lasts, it stands among the rules
        if value >= _LEAST or rule:
            # A turn that states nothing states nothing about the user: that judgement takes half a
            # millisecond.
            is_about = (
                likely >= _STATES
                and about_user(words, vector or b"", model) >= _ABOUT_USER
                and not _is_of_project(words, stretches)
            )
            states = (likely or _UNJUDGED) * _share_of_question(words) if value else 0.0
            day = find_day_ahead(words.partition(CORRECTED_MARK)[0], said_on)
            rows.append(
                (
                    round(value, 4),
                    at,
                    line,
                    is_about,
                    check,
                    rule,
                    round(states, 4),
                    str(day) if day else "",
                )
            )
    return rows, all(text in vectors for text in user_lines.values()) or not model


def _is_of_project(words: str, stretches: Sequence[RuleStretch] | None) -> bool:
    """Return whether a turn is of the project in which it was said, whatever it is about.

    So is what it tells of somebody else, and what it forbids to agents without a word about the
    user.
    """
    if tells_of_others(words):
        return True
    is_own = speaks_of_user(words) or holds_everywhere(words)
    return forbids_surely(stretches) and not is_own


def _judge_short_answer(words: str, before: str, vector: bytes | None, model: str) -> float:
    """Return the probability that a short answer states something, by the proposal it accepts."""
    if not accepts(words):
        return _ANSWERED
    proposal = before.removeprefix(f"{ASSISTANT}: ")
    body = _ASKED_LAST.sub("", proposal).strip() or proposal
    return _ACCEPTED_SHARE * (judge_turn_worth(body, vector, model) if vector else 0.0)


def _find_text_vectors(store: Store, texts: list[str]) -> tuple[str, Mapping[str, bytes]]:
    """Return the active model ('' for none), and text → vector of the texts that have a vector."""
    active = store.active_model() if isinstance(store, VectorCopy) else None
    if active is None or not isinstance(store, VectorCopy):
        return "", {}
    forms = {text: text_to_embed(text) for text in texts}
    held = store.vectors_of(active[0], list(forms.values()))
    return active[0], {text: held[form] for text, form in forms.items() if form in held}


def valued(text: str, likely: float) -> float:
    """Return the worth of a turn at a session's start.

    The worth follows from the probability that the turn states something, and from its length.
    """
    share = _share_of_question(text)
    return likely * share / math.sqrt(max(_FEWEST_TOKENS, estimate_tokens(text[:_LONGEST_CHARS])))


def _share_of_question(text: str) -> float:
    """Return the share of its worth that a turn has: a question states less.

    A statement that only asks for assent at its end is none.
    """
    is_question = _QUESTION.search(text) and not _TAG_QUESTION.fullmatch(text)
    return _QUESTION_SHARE if is_question else 1.0


def _convert_to_seconds(at: datetime) -> int:
    return int(at.timestamp())
