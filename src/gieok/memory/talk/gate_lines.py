"""Compiles what users said about actions into the file of rules that gates compare.

Rules come from the users' own turns and from records of the category constraint. A rule is left out
once a later turn of its scope lifts it or says something else about the same actions; what a
project was told holds in that project.
"""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, tzinfo
from pathlib import Path
from typing import NamedTuple

from gieok.flow.gate_rules import GateRule, build_rule_handle, write_gate_rules
from gieok.memory.talk.binding_lines import BindingLine, read_rule_texts
from gieok.model.memory import Document, Scope
from gieok.places.scope import PROMOTED, is_brought, is_served
from gieok.ports.store import Store
from gieok.settings.grants import TrustJudge
from gieok.text.gates.statement import is_ended_by, read_action_rules
from gieok.text.handles import build_handle, line_check
from gieok.text.markdown import front_matter

#: Category of records that state what must or must not be done.
_CATEGORY = "constraint"
_AT_ONCE = 200


class SaidLine(NamedTuple):
    """Words of a user that may state rules about actions: when and where they were said."""

    at: int
    scope: str
    key: str
    line: int
    check: int
    words: str
    origin: str
    #: The last day on which a record holds (ISO), '' for none.
    until: str = ""


def compile_gate_rules(
    store: Store, home: Path, lines: Sequence[tuple[str, BindingLine]], zone: tzinfo
) -> bool:
    """Write the rules about actions that hold; return whether they changed.

    `lines` are the lines that state or lift rules, each with its scope. Days are days of `zone`.
    Raises StoreError, OSError.
    """
    said = [*_iter_turn_lines(store, lines), *_iter_record_lines(store, home)]
    held: list[GateRule] = []
    for line in sorted(said):
        said_on = datetime.fromtimestamp(line.at, zone).date()
        fresh = list(_iter_line_rules(line, said_on))
        statements = [rule.rule for rule in fresh]
        held = [
            rule
            for rule in held
            if rule.scope != line.scope or not is_ended_by(rule.rule, line.words, statements)
        ]
        held += fresh
    return write_gate_rules(str(home), held)


def _iter_line_rules(line: SaidLine, said_on: date) -> Iterator[GateRule]:
    for number, rule in enumerate(read_action_rules(line.words, said_on), start=1):
        rule.until = min(filter(None, (rule.until, line.until)), default="")
        yield GateRule(
            handle=build_rule_handle(line.scope, line.key, line.check, number),
            scope=line.scope,
            said_at=float(line.at),
            day=said_on.isoformat(),
            origin=line.origin,
            source=build_handle(line.scope, line.key, line.line),
            rule=rule,
        )


def _iter_turn_lines(store: Store, lines: Sequence[tuple[str, BindingLine]]) -> Iterator[SaidLine]:
    # A statement that was promoted to the user's scope holds where it was said.
    own = [pair for pair in lines if not pair[1].key.endswith(PROMOTED)]
    texts = read_rule_texts(store, own)
    for scope, line in own:
        words, _ = texts.get((scope, line.key, line.line), ("", ""))
        if words:
            agent = line.key.split("/")[1] if line.key.count("/") > 1 else line.key
            yield SaidLine(
                at=line.at,
                scope=scope,
                key=line.key,
                line=line.line,
                check=line.check,
                words=words,
                origin=agent,
            )


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
    body = document.text.split("\n---\n", 1)[-1].strip()
    yield SaidLine(
        at=int(document.said_at.timestamp()),
        scope=str(scope),
        key=document.key,
        line=0,
        check=line_check(body),
        words=body,
        origin=document.key,
        until=matter.fields.get("until", ""),
    )
