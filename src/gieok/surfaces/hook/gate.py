"""Answer of the hook before a tool: what the user forbade is asked or stopped, with their words.

The path of a tool that no rule touches has 30 ms: one small file is read, and neither settings, an
index nor a model. Whatever fails lets the tool run and is written to the log of the hook, which
`gieok rules` shows.
"""

import json
import os
import sys
import time

from gieok.agents import table
from gieok.places.home import OWN_RUN, build_home_path, gate_rules_file
from gieok.surfaces.hook.payload import find_hook_flag, print_unbuffered, read_hook_payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gieok.flow.gate_rules import GateRule
    from gieok.hook.gates import GateHit
    from gieok.settings.resolved import Parse

_DAY = "%Y-%m-%d"
#: The first and the last syllable of Hangul.
_HANGUL = (0xAC00, 0xD7A3)


def run_gate(arguments: "Sequence[str]", parse: "Parse") -> int:
    """Run `gieok hook pre-tool [--agent NAME]` and return 0, whatever happens.

    `parse` reads a settings file that changed since a process last read it.
    """
    if os.environ.get(OWN_RUN):
        return 0
    home = ""
    try:
        home = build_home_path()
        payload = read_hook_payload()
        if os.path.exists(gate_rules_file(home)):
            agent = table.BY_NAME.get(find_hook_flag(arguments, "--agent"))
            judge = _ToolJudge(home, agent or table.detect_agent(payload), payload, parse)
            answer = judge.answer()
            if answer and sys.stdout:
                print_unbuffered(json.dumps(answer, ensure_ascii=False))
    except BrokenPipeError:
        pass
    # Fails open: a broken memory never stands between a user and their agent.
    except Exception as error:  # noqa: BLE001
        from gieok.surfaces.hook import trail

        failure = f"{type(error).__name__}: {error}"
        trail.log_hook_line(home, f"{table.PRE_TOOL}: {failure}; the tool ran")
    return 0


class _ToolJudge:
    """State of one call before a tool."""

    def __init__(
        self, home: str, agent: table.AgentRow, payload: table.Payload, parse: "Parse"
    ) -> None:
        self._home = home
        self._agent = agent
        self._payload = payload
        self._parse = parse
        self._folder = table.folder_of(payload) or os.getcwd()
        self._own_scope = agent.read_scope(payload)
        self._workplace = ""

    def answer(self) -> table.Payload:
        """Return the answer for the agent; {} where the tool may run."""
        from gieok.flow.gate_rules import (
            load_gate_choices,
            load_gate_rules,
            write_judged_action,
        )
        from gieok.hook import gates
        from gieok.places.workplace import find_workplace

        self._workplace = "" if self._own_scope else find_workplace(self._folder)
        rules = load_gate_rules(self._home)
        if not rules:
            return {}
        now = time.localtime()
        attempt = gates.read_tool_attempt(
            self._payload,
            folder=self._folder,
            root=self._workplace or self._folder,
            branch=gates.find_branch(self._folder),
            day=time.strftime(_DAY, now),
            weekday=now.tm_wday,
        )
        choices = load_gate_choices(self._home)
        loosens = gates.loosens_rules(attempt, self._home)
        # What a rule of some project would act on is rare: only then is it asked where it holds.
        if not loosens and gates.find_gate_hit(rules, choices, attempt) is None:
            return {}
        held = self._list_held_rules(rules)
        if loosens and held:
            return self._build_answer(_say_loosening(held[0].rule.text), asks=True, handle="")
        hits = gates.list_gate_hits(held, choices, attempt)
        if not hits:
            return {}
        action = gates.build_action_key(attempt)
        hit = gates.take_allowances(self._home, hits, action)
        if hit is None:
            return {}
        write_judged_action(self._home, hit.rule.handle, action)
        asks = hit.outcome == "ask" and self._agent.can_ask
        return self._build_answer(say_reason(hit, asks=asks), asks=asks, handle=hit.rule.handle)

    def _list_held_rules(self, rules: "Sequence[GateRule]") -> "list[GateRule]":
        """Return the rules that hold for this session; none where memory is withheld from it."""
        from gieok import private
        from gieok.hook.gates import list_scope_rules
        from gieok.places.project import list_project_scopes
        from gieok.places.workplace import project_root
        from gieok.settings.hook import USED, HookSettings
        from gieok.settings.resolved import resolve_settings
        from gieok.surfaces.hook.withheld import find_withheld_reason

        root = "" if self._own_scope else project_root(self._folder)
        values, _ = resolve_settings(self._home, root, USED, os.environ, self._parse)
        settings = HookSettings({name: value for name, (value, _) in values.items()})
        privacy = private.open_privacy(
            self._home, settings.text("exclude.folders"), settings.text("exclude.agents")
        )
        session = table.read_payload_session(self._payload)
        if find_withheld_reason(
            privacy, self._agent.name, session, self._folder, self._payload, time.time()
        ):
            return []
        if self._own_scope:
            return list_scope_rules(rules, [self._own_scope])
        scopes = list_project_scopes(self._workplace, settings.text("hook.scopes"))
        return list_scope_rules(rules, scopes)

    def _build_answer(self, reason: str, *, asks: bool, handle: str) -> table.Payload:
        from gieok.surfaces.hook import trail

        session = table.read_payload_session(self._payload)
        trail.count_hook_call(
            self._home,
            {
                "event": table.PRE_TOOL,
                "agent": self._agent.name,
                "session": session,
                "rule": handle,
            },
        )
        native = self._agent.events.get(table.PRE_TOOL, "")
        can_ask = asks and self._agent.can_ask
        return self._agent.build_gate_answer(native, asks=can_ask, reason=reason)


def say_reason(hit: "GateHit", *, asks: bool) -> str:
    """Return the user's words with their day and origin, and how to go on."""
    from gieok.text.messages import Words  # few tool calls are stopped

    rule = hit.rule
    lang = _find_language(rule.rule.text)
    words = " ".join(rule.rule.text.split())
    template = (
        "Gieok: the record {origin} of {day} says: “{words}”."
        if rule.is_record
        else "Gieok: the user said on {day}: “{words}” ({origin})."
    )
    quoted = Words.of(template, day=rule.day, words=words, origin=rule.origin)
    if asks:
        go_on = Words.of(
            "Agree to go on this once; `gieok rules off {handle}` ends the rule.",
            handle=rule.handle,
        )
    else:
        go_on = Words.of(
            "Ask the user. To go on, they run `gieok rules allow {handle} --once` for this "
            "once, or "
            "`gieok rules off {handle}` for good.",
            handle=rule.handle,
        )
    return f"{quoted.say(lang)} {go_on.say(lang)}"


def _say_loosening(words: str) -> str:
    from gieok.text.messages import Words

    text = Words("Gieok: only the user loosens their own rules; ask them to run this command.")
    return text.say(_find_language(words))


def _find_language(text: str) -> str:
    """Return the language in which the user spoke; any syllable of Hangul makes it Korean."""
    first, last = _HANGUL
    return "ko" if any(first <= ord(char) <= last for char in text) else "en"
