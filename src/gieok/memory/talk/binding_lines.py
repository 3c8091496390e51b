"""Index file of the turns in a scope that state binding rules.

A session's start and prompts read it. No rule ages, and none makes room for another: a rule leaves
the list when a later turn lifts it, when the same rule is said again, or when `claims` ended its
line. The file holds no text, only the places of the rules in their lines: forgotten text is not in
the file, and the hook needs none of the patterns that find rules.
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import NamedTuple

from gieok import fs
from gieok.memory.talk.rule_readings import list_said_rules
from gieok.model.memory import Scope
from gieok.places.home import rules_file
from gieok.ports.models import RuleStretch
from gieok.ports.store import Documents
from gieok.text import binding
from gieok.text.assent import accepts
from gieok.text.gates.places import find_rule_end, holds_everywhere
from gieok.text.gist import gist, is_same
from gieok.text.handles import line_check
from gieok.text.turns import USER, find_answered_question

_AT_ONCE = 200


class BindingLine(NamedTuple):
    """User's line that states or lifts rules: time in Unix seconds, place and checksum."""

    at: int
    key: str
    line: int
    check: int
    #: What the reader found in the line; None where it did not read it.
    stretches: tuple[RuleStretch, ...] | None = None


def write_binding_rules(
    store: Documents,
    home: Path,
    scope: str,
    lines: Sequence[tuple[str, BindingLine]],
    zone: tzinfo = UTC,
) -> None:
    """Write the file of the binding rules among a scope's lines, newest first.

    Each line is given with the scope in which it was said. A rule of another scope binds here only
    if it says that it holds everywhere: what a project was told about its customers binds in no
    other project, though it may be remembered there. The end that a rule gives itself ("not today")
    counts from its day in the zone.
    """
    ordered = sorted(lines, key=lambda pair: pair[1])
    file = Path(rules_file(str(home), scope))
    if not ordered and not file.exists():
        return
    held: list[tuple[str, BindingLine, list[str]]] = []
    texts = read_rule_texts(store, ordered)
    for whose, line in ordered:
        words, question = texts.get((whose, line.key, line.line), ("", ""))
        rules = [
            rule
            for rule in list_said_rules(words, question, line.stretches)
            if whose == scope or holds_everywhere(rule)
        ]
        if rules:
            said_on = datetime.fromtimestamp(line.at, zone).date()
            # What holds until Friday ends then, and leaves in force what was said before.
            lasting = [rule for rule in rules if not find_rule_end(rule, said_on)]
            held = [entry for entry in held if not _is_restated_later(entry[2], lasting)]
            held.append((whose, line, rules))
        elif words:
            held = [
                entry
                for entry in held
                if entry[0] != whose or not all(binding.lifted_by(rule, words) for rule in entry[2])
            ]
    rows = [
        _lay_out_rule(whose, line, texts[whose, line.key, line.line][0], rules, zone)
        for whose, line, rules in reversed(held)
    ]
    fs.make_private(file.parent)
    fs.replace_private(file, json.dumps(rows))


def _lay_out_rule(
    whose: str, line: BindingLine, words: str, rules: Sequence[str], zone: tzinfo
) -> list[object]:
    """Return what is kept of a line: its place, its time, and the places of its rules.

    Behind them stand the rules' last days, where one has a last day: an earlier release reads the
    rows without.
    """
    said_on = datetime.fromtimestamp(line.at, zone).date()
    row: list[object] = [line.at, whose, line.key, line.line, line.check]
    if accepts(words):
        return [*row, []]
    ends = [find_rule_end(rule, said_on) for rule in rules]
    return [*row, _find_rule_offsets(words, rules), *([ends] if any(ends) else [])]


def _find_rule_offsets(words: str, rules: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of rules in a line's words, each as a pair of offsets."""
    spans = [(words.find(rule), len(rule)) for rule in rules]
    return [(start, start + length) if start >= 0 else (0, len(words)) for start, length in spans]


def _is_restated_later(earlier: Sequence[str], later: Sequence[str]) -> bool:
    """Say whether the later rules say all of the earlier ones again."""
    again = [gist(rule) for rule in later]
    return all(any(is_same(gist(rule), later_gist) for later_gist in again) for rule in earlier)


def read_rule_texts(
    store: Documents, lines: Sequence[tuple[str, BindingLine]]
) -> dict[tuple[str, str, int], tuple[str, str]]:
    """Return the words of each line, and the question that they answer.

    A line that changed since it was judged is left out.
    """
    texts_by_line: dict[tuple[str, str, int], tuple[str, str]] = {}
    for whose in dict.fromkeys(whose for whose, _ in lines):
        own = [line for scope, line in lines if scope == whose]
        keys = list(dict.fromkeys(line.key for line in own))
        for start in range(0, len(keys), _AT_ONCE):
            for document in store.get(Scope(whose), keys[start : start + _AT_ONCE]):
                text_lines = document.text.split("\n")
                for line in (
                    candidate
                    for candidate in own
                    if candidate.key == document.key and candidate.line <= len(text_lines)
                ):
                    text = text_lines[line.line - 1]
                    if line_check(text) == line.check:
                        words = text.removeprefix(f"{USER}: ")
                        texts_by_line[whose, line.key, line.line] = (
                            words,
                            find_answered_question(text_lines, line.line),
                        )
    return texts_by_line
