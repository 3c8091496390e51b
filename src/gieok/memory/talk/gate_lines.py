"""Compiles what users said about actions into the file of rules that gates compare.

Rules come from the users' own messages, read in the journal as they were written, and from records
of the category constraint. A rule is left out once a later message of its scope lifts it or says
something else about the same actions; what a project was told holds in that project. Nobody knows
whether a person or an agent wrote a record: it asks and never stops, and it ends no rule. What the
reader alone takes for a rule asks too; what it only may take for one reminds.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from datetime import date, datetime, tzinfo
from pathlib import Path
from typing import NamedTuple

from gieok.errors import EmbedderFailed
from gieok.flow.gate_rules import GateRule, build_rule_handle, write_gate_rules
from gieok.memory.talk import turns
from gieok.memory.talk.binding_lines import BindingLine
from gieok.memory.talk.rule_readings import (
    find_doubtful_sentence,
    find_said_sentence,
    read_stretches,
    split_at_sentences,
)
from gieok.model.conversation import Message
from gieok.model.memory import Document, Scope
from gieok.places.scope import PROMOTED, is_brought, is_served
from gieok.ports.journal import Conversations
from gieok.ports.models import Reader, RuleKind, RuleStretch
from gieok.ports.store import Store
from gieok.settings.grants import TrustJudge
from gieok.text import binding
from gieok.text.echo import strip_echo
from gieok.text.gates.action import ASK, ActionRule
from gieok.text.gates.marked import MarkedRule, read_marked_rules
from gieok.text.gates.prose import list_own_sentences
from gieok.text.gates.statement import is_ended_by, keep_holding_rules, read_action_rules
from gieok.text.handles import build_handle, line_check
from gieok.text.markdown import front_matter
from gieok.text.redact import redact
from gieok.text.turns import USER

#: Category of records that state what must or must not be done.
_CATEGORY = "constraint"
_AT_ONCE = 200


class SaidLine(NamedTuple):
    """Words that may state rules about actions: when and where they were said.

    `is_record`: they stand in a record, and not in a message of a person.
    """

    at: int
    scope: str
    key: str
    line: int
    check: int
    words: str
    origin: str
    #: The last day on which a record holds (ISO), '' for none.
    until: str = ""
    is_record: bool = False
    #: Words of the stretches that the reader surely takes for a rule, and what it found beside.
    marked: tuple[MarkedRule, ...] = ()


def compile_gate_rules(
    store: Store,
    home: Path,
    lines: Sequence[tuple[str, BindingLine]],
    zone: tzinfo,
    journal: Conversations,
) -> bool:
    """Write the rules about actions that hold; return whether they changed.

    `lines` are the lines that may state or lift rules, each with its scope. Days are days of
    `zone`. Raises StoreError, OSError.
    """
    said = [*_iter_said_messages(store, lines, journal), *_iter_record_lines(store, home)]
    held: list[GateRule] = []
    for line in sorted(said):
        said_on = datetime.fromtimestamp(line.at, zone).date()
        sure = read_action_rules(line.words, said_on)
        marked = read_marked_rules(line.marked, sure, said_on)
        held = [
            rule
            for rule in held
            if line.is_record
            or rule.scope != line.scope
            or not is_ended_by(rule.rule, line.words, sure)
        ]
        held += _iter_line_rules(line, [*sure, *marked], said_on)
    return write_gate_rules(str(home), held)


def read_given_rules(
    texts: Sequence[str], said_on: date, reader: Reader | None
) -> list[ActionRule]:
    """Return the rules about actions that hold once messages were said, in order, on a day.

    The grammar reads the messages, and the reader where there is one.
    """
    sure = keep_holding_rules((text, said_on) for text in texts)
    if reader is None:
        return sure
    rules = list(sure)
    for number, text in enumerate(texts, start=1):
        try:
            marked = _list_marked_rules(text, read_stretches(reader, text), text)
        except EmbedderFailed:
            break
        rules += [
            rule
            for rule in read_marked_rules(marked, sure, said_on)
            if not any(is_ended_by(rule, later, sure) for later in texts[number:])
        ]
    return rules


def hold_given_rules(texts: Sequence[str], said_on: date, reader: Reader | None) -> list[GateRule]:
    """Return the rules of messages that nobody stored, as gates hold them against uses."""
    return [
        GateRule(
            handle="",
            scope="",
            said_at=number,
            day=said_on.isoformat(),
            origin="",
            source="",
            rule=rule,
        )
        for number, rule in enumerate(read_given_rules(texts, said_on, reader))
    ]


def _iter_line_rules(
    line: SaidLine, rules: Sequence[ActionRule], said_on: date
) -> Iterator[GateRule]:
    for number, rule in enumerate(rules, start=1):
        rule.until = min(filter(None, (rule.until, line.until)), default="")
        rule.mode = ASK if line.is_record else rule.mode
        yield GateRule(
            handle=build_rule_handle(line.scope, line.key, line.check, number),
            scope=line.scope,
            said_at=float(line.at),
            day=said_on.isoformat(),
            origin=line.origin,
            source=build_handle(line.scope, line.key, line.line),
            rule=rule,
            is_record=line.is_record,
        )


def _iter_said_messages(
    store: Store, lines: Sequence[tuple[str, BindingLine]], journal: Conversations
) -> Iterator[SaidLine]:
    """Yield the messages of the lines: a line has lost the line breaks of its message."""
    # A statement that was promoted to the user's scope holds where it was said.
    own = [pair for pair in lines if not pair[1].key.endswith(PROMOTED)]
    for scope in dict.fromkeys(scope for scope, _ in own):
        by_key: dict[str, list[BindingLine]] = {}
        for whose, line in own:
            if whose == scope:
                by_key.setdefault(line.key, []).append(line)
        keys = list(by_key)
        for start in range(0, len(keys), _AT_ONCE):
            for document in store.get(Scope(scope), keys[start : start + _AT_ONCE]):
                yield from _iter_document_messages(scope, document, by_key[document.key], journal)


def _iter_document_messages(
    scope: str, document: Document, lines: Sequence[BindingLine], journal: Conversations
) -> Iterator[SaidLine]:
    if "from" not in document.metadata:
        return
    messages = turns.messages_of_lines(journal, document)
    texts = document.text.split("\n")
    agent = document.metadata.get("agent", document.key)
    # A long message is several lines; a line that changed waits to be judged again.
    said_lines: dict[str, tuple[Message, list[BindingLine]]] = {}
    for line in sorted(lines, key=lambda one: one.line):
        message = next(iter(messages[line.line - 1 : line.line]), None)
        text = "".join(texts[line.line - 1 : line.line])
        if message is not None and line_check(text) == line.check:
            said_lines.setdefault(message.id, (message, []))[1].append(line)
    for message, own in said_lines.values():
        said = redact(strip_echo(message.text))
        yield SaidLine(
            at=own[0].at,
            scope=scope,
            key=own[0].key,
            line=own[0].line,
            check=own[0].check,
            words=said,
            origin=agent,
            marked=tuple(
                rule
                for line in own
                for rule in _list_marked_rules(
                    texts[line.line - 1].removeprefix(f"{USER}: "), line.stretches or (), said
                )
            ),
        )


def _list_marked_rules(
    words: str, stretches: Sequence[RuleStretch], message: str
) -> tuple[MarkedRule, ...]:
    """Return what must not be done or be asked about, with what is allowed beside it.

    `words` are those of a line of the message, without its line breaks. What the user pasted, or
    wrote as a heading, is left out. Where nothing is sure, what is doubtful is returned.
    """
    if not stretches or len(message) > binding.LONGEST_TURN:
        return ()
    own = [_join_words(sentence) for sentence in list_own_sentences(message)]
    allowed = tuple(
        _join_words(words[one.start : one.end]) for one in stretches if one.kind is RuleKind.ALLOWED
    )
    sense = _join_words(words[stretches[0].start : max(one.end for one in stretches)])
    # A permission alone is none: a model takes what it allows for what is forbidden.
    parts = [part for one in stretches for part in split_at_sentences(words, one)]
    placed = [(part, find_said_sentence(words, part)) for part in parts]
    is_doubtful = not any(sentence for _, sentence in placed)
    if is_doubtful:
        placed = [(part, find_doubtful_sentence(words, part)) for part in parts]
    marked = [
        MarkedRule(
            words=_join_words(words[part.start : part.end]),
            sentence=sentence,
            allowed=allowed,
            sense=sense,
            is_doubtful=is_doubtful,
        )
        for part, sentence in placed
        if sentence
    ]
    return tuple(
        rule._replace(before=before)
        for rule in marked
        for before, sentence in zip(("", *own), own, strict=False)
        if rule.words in sentence
    )


def _join_words(text: str) -> str:
    """Return a text in composed form (NFC) with single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _iter_record_lines(store: Store, home: Path) -> Iterator[SaidLine]:
    """Yield the trusted records of the category."""
    judge = TrustJudge(home)
    for scope in store.scopes():
        if is_brought(scope.path) or is_served(scope.path):
            continue
        keys = [key for key in store.hashes(scope) if f"/{_CATEGORY}/" in f"/{key}"]
        for start in range(0, len(keys), _AT_ONCE):
            for document in store.get(scope, keys[start : start + _AT_ONCE]):
                if document.metadata.get("category") == _CATEGORY:
                    yield from _read_record(scope, document, judge)


def _read_record(scope: Scope, document: Document, judge: TrustJudge) -> Iterator[SaidLine]:
    file = Path(document.provenance[0].source) if document.provenance else Path()
    try:
        if not judge.admits(file.read_bytes(), file):
            return
    except OSError:
        return
    matter = front_matter(document.text)
    body = document.text[matter.end :].strip()
    yield SaidLine(
        at=int(document.said_at.timestamp()),
        scope=str(scope),
        key=document.key,
        line=0,
        check=line_check(body),
        words=body,
        origin=document.key,
        until=matter.fields.get("until", ""),
        is_record=True,
    )
