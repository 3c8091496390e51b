"""Reminder of the hook beside a tool's use that may be near to a rule: the user's words.

It decides nothing and interrupts nobody: the tool runs as it would, and the agent reads the words
with the tool's result. Each rule is said once a session, again where a later use breaks it clearly
more likely, and again once the context was compacted.
"""

import time

from gieok.agents import table
from gieok.hook.inject import InjectedMemory, Injection, wrap_in_tag
from gieok.text.inert import one_line
from gieok.text.tokens import estimate_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gieok.flow.gate_rules import GateRule
    from gieok.hook.gates import GateHit
    from gieok.hook.window import ContextWindow
    from gieok.surfaces.hook.tool_call import ToolCall

_SAID = "On {day} the user said: “{words}” ({origin}; rule {handle})."
_RECORDED = "The record {origin} of {day} says: “{words}” (rule {handle})."
_HINT = (
    "What this tool just did may be near to it. If it goes against these words, tell the user; "
    "keep to them from here on. If it does not, go on."
)
_WORDS_CHARS, _ORIGIN_CHARS = 300, 80


class RuleReminder:
    """Reminder of one rule at one call before a tool."""

    def __init__(self, call: "ToolCall", hit: "GateHit", window: "ContextWindow") -> None:
        self._call = call
        self._rule = hit.rule
        self._chance = hit.chance
        self._window = window
        self._began = time.monotonic()
        self._text = ""

    def answer(self) -> table.Payload:
        """Return the answer for the agent."""
        self._text = _format_reminder(self._rule)
        return table.output(self._call.agent, table.PRE_TOOL, self._text)

    def record(self) -> None:
        """Write that the rule was said, after it was: at worst it is said once more."""
        from gieok.surfaces.hook import trail

        spent_ms = round((time.monotonic() - self._began) * 1000, 1)
        tokens = estimate_tokens(self._text)
        self._window.keep(
            table.PRE_TOOL,
            Injection(self._text, [_build_memory(self._rule)], tokens),
            time.time(),
            reminded=(self._rule.handle, self._chance),
            by="rules",
            ms=spent_ms,
        )
        row: dict[str, object] = {
            "event": table.PRE_TOOL,
            "agent": self._call.agent.name,
            "session": self._call.session,
            "reminded": self._rule.handle,
            "tokens": tokens,
            "ms": spent_ms,
        }
        trail.count_hook_call(self._call.home, row, wait=False)


def _format_reminder(rule: "GateRule") -> str:
    template = _RECORDED if rule.is_record else _SAID
    said = template.format(
        day=one_line(rule.day),
        words=one_line(rule.rule.text, _WORDS_CHARS),
        origin=one_line(rule.origin, _ORIGIN_CHARS),
        handle=rule.handle,
    )
    return wrap_in_tag("memory-note", f"{said}\n{_HINT}")


def _build_memory(rule: "GateRule") -> InjectedMemory:
    """Return the words as a memory, for `gieok why --last`."""
    return InjectedMemory(
        title="",
        citation=rule.origin if rule.is_record else "",
        text=rule.rule.text,
        category="rule",
        day=rule.day,
        scope=rule.scope,
        handle=rule.source,
        who="" if rule.is_record else "user",
        score=1.0,
    )
