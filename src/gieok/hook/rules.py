"""Binding rules as the hook shows them: at a session's start, and before relevant prompts.

At the start of a session rules come first; before a prompt, only the rules that govern what the
prompt is about. Imported by the hook: see the package.
"""

import json
import os
import re
import time

from gieok.hook import question, tasks
from gieok.hook.inject import InjectedMemory
from gieok.places.home import gate_choices_file, rules_file
from gieok.ranking.likelihood import SURE
from gieok.text.binding import bears_on
from gieok.text.handles import build_handle, line_check
from gieok.text.inert import one_line
from gieok.text.turns import find_answered_question, is_users

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

_ROW_FIELDS = 6
#: Limit of rules, because each one is looked up; a person has fewer.
_MOST_RULES = 200
#: Limit of rules per prompt: a prompt is about few rules, and rules that match more prompts are too
#: wide to help.
_MOST_BEARING = 4
_LINE_CHARS = 400
STATUS, STATUS_UNTIL = "a rule, until the user lifts it", "a rule, until {day}"
#: A question asks to be answered, not for work; a question for permission is about what rules
#: govern.
_ASKS_LEAVE = r"(?i)\b(?:can|may|should|shall|could|must) (?:i|we|you)\b"
_ASKS_LEAVE += r"|(?:도|면)\s?(?:돼|될까|되나|되지|괜찮)|(?:할까|올릴까|돌릴까)"


class BindingRule:
    """Rule that a user's turn states: its words, its place, and when it was said (Unix seconds).

    `until` is its last day, '' where it has no end.
    """

    __slots__ = ("at", "key", "line", "scope", "text", "turn", "until")

    def __init__(
        self, text: str, turn: str, scope: str, key: str, line: int, at: float, until: str = ""
    ) -> None:
        self.until = until
        self.text, self.turn, self.scope, self.key, self.line, self.at = (
            text,
            turn,
            scope,
            key,
            line,
            at,
        )

    @property
    def day(self) -> str:
        """Return the day on which the rule was said."""
        return time.strftime("%Y-%m-%d", time.localtime(self.at))

    @property
    def handle(self) -> str:
        """Return the handle of the turn that states the rule."""
        return build_handle(self.scope, self.key, self.line)

    @property
    def shown(self) -> str:
        """Return the line for a session's start."""
        known = f"until {self.until}, {self.handle}" if self.until else self.handle
        return f"- {self.day} {one_line(self.text, _LINE_CHARS)} ({known})"

    def memory(self) -> InjectedMemory:
        """Return the rule as a memory to show before a prompt."""
        return InjectedMemory(
            title="",
            citation="",
            text=self.text,
            category="rule",
            day=self.day,
            scope=self.scope,
            handle=self.handle,
            who="user",
            status=STATUS_UNTIL.format(day=self.until) if self.until else STATUS,
            score=SURE,
        )


class SilencedRules:
    """What a person switched off, or whose last day is past.

    `turns` are handles of turns that are told no more; `texts` are rules about actions that are
    off, by the handle of the turn that states them.
    """

    __slots__ = ("texts", "turns")

    def __init__(
        self, turns: "Iterable[str]" = (), texts: "Mapping[str, list[str]] | None" = None
    ) -> None:
        self.turns = frozenset(turns)
        self.texts = dict(texts or {})

    def keep_parts(
        self, handle: str, words: str, parts: "Sequence[tuple[int, int, str]]", today: str
    ) -> "list[tuple[int, int, str]]":
        """Return the places of a turn's rules that are not off, and not past their last day."""
        off = self.texts.get(handle, [])
        return [
            (start, end, until)
            for start, end, until in parts
            if (not until or until >= today)
            and not any(text in words[start:end] or words[start:end] in text for text in off)
        ]


def load_silenced_rules(home: str) -> SilencedRules:
    """Return the rules that are off; none where choices cannot be read: then rules are told."""
    if not os.path.exists(gate_choices_file(home)):
        return SilencedRules()
    from gieok.flow.gate_rules import DAMAGED, load_gate_choices, load_gate_rules

    today = time.strftime("%Y-%m-%d")
    try:
        choices, rules = load_gate_choices(home), load_gate_rules(home)
    except DAMAGED:
        return SilencedRules()
    texts: dict[str, list[str]] = {}
    for rule in rules:
        if not choices.is_on(rule.handle, today):
            texts.setdefault(rule.source, []).append(rule.rule.text)
    named = (*choices.off, *choices.until)
    return SilencedRules((each for each in named if not choices.is_on(each, today)), texts)


def read_binding_rules(
    home: str,
    scopes: "Iterable[str]",
    lines: "Callable[[str, str], list[str]]",
    *,
    with_silenced: bool = False,
) -> "list[BindingRule]":
    """Return the rules of scopes, newest first in each; those that are off only when asked for.

    `lines` returns the lines of a document by scope and key.
    """
    silenced = SilencedRules() if with_silenced else load_silenced_rules(home)
    today = "" if with_silenced else time.strftime("%Y-%m-%d")
    document_lines: dict[tuple[str, str], list[str]] = {}
    rules: dict[str, BindingRule] = {}
    for scope in scopes:
        for at, whose, key, number, check, parts in _load_rule_rows(rules_file(home, scope))[
            :_MOST_RULES
        ]:
            if (whose, key) not in document_lines:
                document_lines[whose, key] = lines(whose, key)
            lines_here = document_lines[whose, key]
            line = lines_here[number - 1] if 0 < number <= len(lines_here) else ""
            if not is_users(line) or line_check(line) != check:
                continue  # forgotten, or another line by now
            words = line.partition(": ")[2]
            handle = build_handle(whose, key, number)
            told = silenced.keep_parts(handle, words, parts, today)
            if handle in silenced.turns or (parts and not told):
                continue
            # Words that merely accept a rule are shown with the rule that they accept.
            text = (
                " ".join(words[start:end] for start, end, _ in told)
                or f"{find_answered_question(lines_here, number)} – {words}"
            )
            ends = [until for _, _, until in told]
            until = max(ends) if ends and all(ends) else ""
            rules.setdefault(text, BindingRule(text, words, whose, key, number, at, until))
    return list(rules.values())


def bearing(rules: "Sequence[BindingRule]", prompt: str) -> "list[InjectedMemory]":
    """Return the rules that govern what a prompt is about.

    Only for a prompt that asks for work, or whether something may be done.
    """
    is_question = tasks.is_prompt_question(prompt) and not question.asks_about_the_past(prompt)
    if is_question and re.search(_ASKS_LEAVE, prompt) is None:
        return []
    return [rule.memory() for rule in rules if bears_on(rule.text, prompt)][:_MOST_BEARING]


def merge_rules_first(
    binding: "Sequence[InjectedMemory]", found: "Iterable[InjectedMemory]"
) -> "list[InjectedMemory]":
    """Return the rules before the found memories, without the turns that state the rules."""
    handles = {rule.handle for rule in binding}
    return [*binding, *(memory for memory in found if memory.handle not in handles)]


def _load_rule_rows(
    file: str,
) -> "list[tuple[float, str, str, int, int, list[tuple[int, int, str]]]]":
    try:
        with open(file, encoding="utf-8") as opened:
            rows = json.load(opened)
    except (OSError, ValueError):
        return []
    return [_read_rule_row(row) for row in rows if len(row) in (_ROW_FIELDS, _ROW_FIELDS + 1)]


def _read_rule_row(
    row: "Sequence[Any]",
) -> "tuple[float, str, str, int, int, list[tuple[int, int, str]]]":
    """Return a row with the last day of each rule, which only some rows have."""
    at, whose, key, number, check, places, *rest = row
    ends = rest[0] if rest else [""] * len(places)
    parts = [(start, end, until) for (start, end), until in zip(places, ends, strict=False)]
    return at, whose, key, number, check, parts
