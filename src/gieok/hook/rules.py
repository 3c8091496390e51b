"""Rules that bind, as the hook shows them: first at a session's start, and before a prompt that is
about what they govern.

Imported by the hook: see the package.
"""

import json
import re
import time

from gieok import places
from gieok.hook import question, tasks
from gieok.hook.inject import InjectedMemory
from gieok.ranking.likelihood import SURE
from gieok.text.binding import bears_on
from gieok.text.inert import one_line
from gieok.text.turns import find_answered_question, is_users

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_ROW_FIELDS = 6
#: Each is looked up; a person has fewer.
_MOST_RULES = 200
#: A prompt is about few of them; more are too wide to help.
_MOST_BEARING = 4
_LINE_CHARS = 400
STATUS = "a rule, until the user lifts it"
#: A question asks to be answered; one for leave is about what rules govern.
_ASKS_LEAVE = r"(?i)\b(?:can|may|should|shall|could|must) (?:i|we|you)\b"
_ASKS_LEAVE += r"|(?:도|면)\s?(?:돼|될까|되나|되지|괜찮)|(?:할까|올릴까|돌릴까)"


class BindingRule:
    """What a user's turn states as a rule: the words, where they stand, and when they were said
    (Unix seconds).
    """

    __slots__ = ("at", "key", "line", "scope", "text", "turn")

    def __init__(self, text: str, turn: str, scope: str, key: str, line: int, at: float) -> None:
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
        """Return the day on which it was said."""
        return time.strftime("%Y-%m-%d", time.localtime(self.at))

    @property
    def handle(self) -> str:
        """Return the handle of its turn."""
        return places.build_handle(self.scope, self.key, self.line)

    @property
    def shown(self) -> str:
        """Return the line for a session's start."""
        return f"- {self.day} {one_line(self.text, _LINE_CHARS)} ({self.handle})"

    def memory(self) -> InjectedMemory:
        """Return it as it is shown before a prompt."""
        return InjectedMemory(
            title="",
            citation="",
            text=self.text,
            category="rule",
            day=self.day,
            scope=self.scope,
            handle=self.handle,
            who="user",
            status=STATUS,
            score=SURE,
        )


def read_binding_rules(
    home: str, scopes: "Iterable[str]", lines: "Callable[[str, str], list[str]]"
) -> "list[BindingRule]":
    """Return the rules of scopes, newest first in each. `lines` returns those of a document by
    scope and key.
    """
    document_lines: dict[tuple[str, str], list[str]] = {}
    rules: dict[str, BindingRule] = {}
    for scope in scopes:
        for at, whose, key, number, check, parts in _load_rule_rows(places.rules_file(home, scope))[
            :_MOST_RULES
        ]:
            if (whose, key) not in document_lines:
                document_lines[whose, key] = lines(whose, key)
            lines_here = document_lines[whose, key]
            line = lines_here[number - 1] if 0 < number <= len(lines_here) else ""
            if not is_users(line) or places.line_check(line) != check:
                continue  # forgotten, or another line by now
            words = line.partition(": ")[2]
            # Words that merely accept a rule are shown with what they accept.
            text = (
                " ".join(words[start:end] for start, end in parts)
                or f"{find_answered_question(lines_here, number)} – {words}"
            )
            rules.setdefault(text, BindingRule(text, words, whose, key, number, at))
    return list(rules.values())


def bearing(rules: "Sequence[BindingRule]", prompt: str) -> "list[InjectedMemory]":
    """Return the rules that govern what a prompt is about, where it asks for work, or whether
    something may be done.
    """
    is_question = tasks.is_prompt_question(prompt) and not question.asks_about_the_past(prompt)
    if is_question and re.search(_ASKS_LEAVE, prompt) is None:
        return []
    return [rule.memory() for rule in rules if bears_on(rule.text, prompt)][:_MOST_BEARING]


def merge_rules_first(
    binding: "Sequence[InjectedMemory]", found: "Iterable[InjectedMemory]"
) -> "list[InjectedMemory]":
    """Return rules before what was found, without the turns that state them."""
    handles = {rule.handle for rule in binding}
    return [*binding, *(memory for memory in found if memory.handle not in handles)]


def _load_rule_rows(file: str) -> "list[tuple[float, str, str, int, int, list[tuple[int, int]]]]":
    try:
        with open(file, encoding="utf-8") as opened:
            rows = json.load(opened)
    except (OSError, ValueError):
        return []
    return [tuple(row) for row in rows if len(row) == _ROW_FIELDS]
