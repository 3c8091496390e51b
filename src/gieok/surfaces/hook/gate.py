"""Answer of the hook before a tool: what the user forbade is asked or stopped, with their words.

Of what may be near to a rule, the agent is reminded (`reminder`). What memory has to say on an edit
is in `action`: one process answers all. The path of a tool that nothing is said about has 30 ms:
small files are read, and neither settings, an index nor a model. Whatever fails lets the tool run
and is written to the log of the hook, which `gieok rules` shows.
"""

import json
import os
import signal
import sys
import time

from gieok.agents import table
from gieok.places.home import (
    OWN_RUN,
    build_home_path,
    daemon_address_file,
    gate_late_file,
    gate_rules_file,
    has_action_files,
)
from gieok.surfaces.hook.payload import find_hook_flag, print_unbuffered, read_hook_payload
from gieok.surfaces.hook.tool_call import ToolCall
from gieok.text.gates.action import ASK, REMIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gieok.flow.gate_rules import GateRule, JudgedAction
    from gieok.hook.fired import FiredEvent
    from gieok.hook.gates import GateHit
    from gieok.hook.window import ContextWindow
    from gieok.settings.resolved import Parse
    from gieok.surfaces.hook.reminder import RuleReminder
    from gieok.text.gates.verdict import ToolAttempt
    from gieok.text.messages import Words

_DAY = "%Y-%m-%d"
#: Seconds of the processor within which a tool's use is judged; what takes longer is asked.
_CPU_S = 1.0
#: Seconds that the daemon has to hold a use against the sense of rules.
_SENSE_S = 0.5
#: Late answers in a row after which the daemon is not asked, and for how many seconds.
_MOST_LATE, _LATE_S = 3, 60.0
#: Rules that are named beside the one that acts first.
_MOST_OTHERS = 2
#: The first and the last syllable of Hangul.
_HANGUL = (0xAC00, 0xD7A3)


def run_gate(arguments: "Sequence[str]", parse: "Parse") -> int:
    """Run `gieok hook pre-tool [--agent NAME]` and return 0, whatever happens.

    A rule of the user's asks, stops or reminds; where none does, memory may have a word on an edit.
    `parse` reads a settings file that changed since a process last read it.
    """
    if os.environ.get(OWN_RUN):
        return 0
    home = ""
    try:
        home = build_home_path()
        payload = read_hook_payload()
        call = ToolCall(home, find_hook_flag(arguments, "--agent"), payload, parse)
        if os.path.exists(gate_rules_file(home)):
            judge = _ToolJudge(call)
            if answer := judge.answer():
                _print_answer(answer)
                judge.record()
                return 0
        if has_action_files(home):
            from gieok.surfaces.hook.action import ActionNote

            note = ActionNote(call)
            if answer := note.answer():
                _print_answer(answer)
                note.record()
    except BrokenPipeError:
        pass
    # Fails open: a broken memory never stands between a user and their agent.
    except Exception as error:  # noqa: BLE001
        from gieok.surfaces.hook import trail

        failure = f"{type(error).__name__}: {error}"
        trail.log_hook_line(home, f"{table.PRE_TOOL}: {failure}; the tool ran")
    return 0


def _print_answer(answer: table.Payload) -> None:
    if sys.stdout:
        print_unbuffered(json.dumps(answer, ensure_ascii=False))


class _CpuLimitError(BaseException):
    """Judging takes too long; no handler of errors takes it for one of its own."""


class _CpuLimit:
    """Raises _CpuLimitError in a block that uses the processor for longer than some seconds.

    Where the system has no such timer, the block is not limited.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGPROF, self._stop)
            signal.setitimer(signal.ITIMER_PROF, self._seconds)

    def __exit__(self, *_: object) -> None:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, signal.SIG_IGN)

    def _stop(self, *_: object) -> None:
        raise _CpuLimitError


class _ToolJudge:
    """State of one call before a tool."""

    def __init__(self, call: ToolCall) -> None:
        self._call = call
        self._home = call.home
        self._agent = call.agent
        self._payload = call.payload
        self._folder = call.folder
        # A plugin says where nobody sits in front of its host.
        self._can_ask = self._agent.can_ask and self._payload.get("can_ask") is not False
        self._may_stop = False
        self._rule = ""
        self._action: JudgedAction | None = None
        self._reminder: RuleReminder | None = None
        self._window: ContextWindow | None = None

    def answer(self) -> table.Payload:
        """Return the answer for the agent; {} where the tool may run."""
        from gieok.flow.gate_rules import load_gate_choices, load_gate_rules
        from gieok.hook import gates

        rules = load_gate_rules(self._home)
        if not rules:
            return {}
        choices = load_gate_choices(self._home)
        try:
            with _CpuLimit(_CPU_S):
                attempt = self._read_attempt()
                loosens = gates.loosens_rules(attempt, self._home)
                hits = [] if loosens else gates.list_gate_hits(rules, choices, attempt)
                meant = [] if loosens else gates.list_meant_rules(rules, choices, attempt)
            # What a rule of some project would act on is rare: only then is it asked where it
            # holds.
            if not loosens and not hits and not meant:
                return {}
            held = self._list_held_rules(rules)
            if loosens and (asking := gates.list_asking_rules(held)):
                return self._build_answer(_say_loosening(asking[0].rule.text), asks=True)
            touching = [*meant, *(hit.rule for hit in hits)]
            held = self._drop_said_rules([rule for rule in held if rule in touching])
            hits = [hit for hit in hits if hit.rule in held]
            meant = [rule for rule in meant if rule in held]
            if (meant or hits) and not any(hit.is_sure for hit in hits):
                hits = self._ask_by_sense(meant, hits, attempt)
            return self._answer_hits(hits)
        except (_CpuLimitError, RecursionError):
            return self._answer_unjudged(rules)

    def _ask_by_sense(
        self, meant: "Sequence[GateRule]", hits: "list[GateHit]", attempt: "ToolAttempt"
    ) -> "list[GateHit]":
        """Return the rules that a model of the daemon finds broken by a use, or near to it.

        `hits` are rules that a model found, and that act on the use by their words. They act where
        no daemon answers in time, as without a model.
        """
        if not os.path.exists(daemon_address_file(self._home)):
            return hits  # no daemon runs: what talks to one takes 5 ms to import
        from gieok.hook.gates import GateHit, add_hit_rules, build_trial
        from gieok.processes.call import ask_rules

        file = gate_late_file(self._home)
        late = _count_late_answers(file)
        if late >= _MOST_LATE:
            return hits
        asked_s = time.monotonic()
        held = add_hit_rules(meant, hits)
        judged = ask_rules(
            self._home,
            build_trial(self._payload, attempt),
            [rule.handle for rule in held],
            attempt.folder,
            dict(os.environ),
            _SENSE_S,
        )
        try:
            if judged is None and time.monotonic() - asked_s >= _SENSE_S:
                _write_late_answers(file, late + 1)
            elif late:
                os.unlink(file)
        except OSError as error:
            self._log(error)
        if judged is None:
            return hits
        named = {hit.rule.handle: hit for hit in hits}
        by_handle = {rule.handle: rule for rule in held}
        return [
            named[one.handle]
            if one.outcome != REMIND and one.handle in named
            else GateHit(by_handle[one.handle], one.outcome, by_sense=True, chance=one.chance)
            for one in judged
            if one.handle in by_handle
        ]

    def _answer_unjudged(self, rules: "Sequence[GateRule]") -> table.Payload:
        """Return the answer for a tool's use that is not compared with the rules that hold."""
        from gieok.hook import gates

        asking = gates.list_asking_rules(self._list_held_rules(rules))
        return self._build_answer(_say_unjudged(asking[0].rule.text), asks=True) if asking else {}

    def _read_attempt(self) -> "ToolAttempt":
        from gieok.hook import gates

        now = time.localtime()
        return gates.read_tool_attempt(
            self._payload,
            folder=self._folder,
            root=self._call.workplace or self._folder,
            branch=gates.find_branch(self._folder),
            day=time.strftime(_DAY, now),
            weekday=now.tm_wday,
            minute=now.tm_hour * 60 + now.tm_min,
        )

    def _answer_hits(self, hits: "Sequence[GateHit]") -> table.Payload:
        from gieok.hook import gates

        if not hits:
            return {}
        if hits[0].outcome == REMIND:
            return self._remind(hits)
        hits = [hit for hit in hits if hit.outcome != REMIND]
        action = gates.build_judged_action(self._payload, self._folder)
        hit: GateHit | None = hits[0]
        try:
            hit = gates.take_allowances(self._home, hits, action, self._find_event(action))
        except OSError as error:
            self._log(error)
        if hit is None:
            return {}
        self._rule = hit.rule.handle
        outcome = gates.limit_outcome(hit.outcome, may_stop=self._may_stop, reminds=False)
        asks = outcome == ASK and self._can_ask
        if not asks:  # else the person agrees in the agent, and needs no code
            self._action = action
        others = [other for other in hits if other is not hit]
        reason = say_reason(hit, "" if asks else action.code, others)
        return self._build_answer(reason, asks=asks)

    def _drop_said_rules(self, held: "Sequence[GateRule]") -> "list[GateRule]":
        """Return rules without those that only remind and of which the agent is not to be reminded.

        No model is asked for such a rule.
        """
        from gieok.hook import gates

        asking = gates.list_asking_rules(held)
        if len(asking) == len(held) or not self._takes_reminders():
            return asking
        window = self._open_window()
        return [rule for rule in held if rule in asking or window.may_remind(rule.handle, 1.0)]

    def _open_window(self) -> "ContextWindow":
        if self._window is None:
            from gieok.hook.window import ContextWindow

            self._window = ContextWindow(self._home, self._agent.name, self._call.session)
        return self._window

    def _takes_reminders(self) -> bool:
        """Return whether the agent may be reminded.

        Not so without a session, in which nobody knows of what it was reminded.
        """
        if not (self._agent.takes_tool_notes and self._call.session):
            return False
        return self._call.settings.is_on("gates.reminds")

    def _remind(self, hits: "Sequence[GateHit]") -> table.Payload:
        """Return the answer that reminds the agent of the first rule of which it may be reminded.

        {} where there is none, or where the agent takes no reminder.
        """
        if not self._takes_reminders():
            return {}
        window = self._open_window()
        hit = next((one for one in hits if window.may_remind(one.rule.handle, one.chance)), None)
        if hit is None:
            return {}
        from gieok.surfaces.hook.reminder import RuleReminder

        self._reminder = RuleReminder(self._call, hit, window)
        return self._reminder.answer()

    def _find_event(self, action: "JudgedAction") -> "FiredEvent | None":
        """Return the event that other hook files of the host ask about too; None for none."""
        session = table.read_payload_session(self._payload)
        if not (self._agent.runs_foreign_hooks and session):
            return None
        from gieok.hook.fired import FiredEvent, read_fired_time

        names = (self._agent.name, session, table.PRE_TOOL, action.key)
        return FiredEvent(self._home, names, read_fired_time(self._payload, time.time()))

    def record(self) -> None:
        """Write what was answered, after it was: a file that fails or waits loses no answer."""
        if self._reminder is not None:
            self._reminder.record()
            return
        from gieok.flow.gate_rules import JudgedAction, write_judged_action
        from gieok.surfaces.hook import trail

        row: dict[str, object] = {
            "event": table.PRE_TOOL,
            "agent": self._agent.name,
            "session": self._call.session,
            "rule": self._rule,
        }
        try:
            if self._action is not None:
                from gieok.text.redact import redact

                shown = JudgedAction(redact(self._action.shown), self._action.key)
                write_judged_action(self._home, self._rule, shown)
            trail.count_hook_call(self._home, row, wait=False)
        # The answer is given: nothing that is written behind it counts more.
        except Exception as error:  # noqa: BLE001
            self._log(error)

    def _log(self, error: Exception) -> None:
        from gieok.surfaces.hook import trail

        trail.log_hook_line(self._home, f"gate not recorded: {type(error).__name__}: {error}")

    def _list_held_rules(self, rules: "Sequence[GateRule]") -> "list[GateRule]":
        """Return the rules that hold for this session; none where memory is withheld from it."""
        from gieok.hook.gates import list_scope_rules

        self._may_stop = self._call.settings.is_on("gates.stops")
        return [] if self._call.is_withheld() else list_scope_rules(rules, self._call.list_scopes())

    def _build_answer(self, reason: str, *, asks: bool) -> table.Payload:
        native = self._agent.events.get(table.PRE_TOOL, "")
        return self._agent.build_gate_answer(native, asks=asks and self._can_ask, reason=reason)


def _count_late_answers(file: str) -> int:
    """Return how often in a row the daemon answered late, the last time a moment ago."""
    try:
        state = os.stat(file)
    except OSError:
        return 0
    return state.st_size if 0 <= time.time() - state.st_mtime < _LATE_S else 0


def _write_late_answers(file: str, number: int) -> None:
    """Write how often in a row the daemon answered late. Raises OSError."""
    from gieok import fs

    fs.replace_private(file, "." * number)


def say_reason(hit: "GateHit", code: str, others: "Sequence[GateHit]" = ()) -> str:
    """Return the user's words with their day and origin, and how to go on.

    `others` are rules that act too: some of them are named, each with its words once. `code` names
    the action, which alone a person may allow; '' where the agent asks them.
    """
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
    meant = Words("This may be what they meant.").say(lang) + " " if hit.by_sense else ""
    also = _list_other_rules(rule, others)
    said = [quoted.say(lang), *(_quote_beside(other).say(lang) for other in also)]
    if not code:
        go_on = Words.of(
            "Agree to go on this once; `gieok rules off {handle}` ends the rule.",
            handle=rule.handle,
        )
    else:
        go_on = Words.of(
            "Ask the user. To go on, they run `gieok rules allow {handle} {code} --once` for "
            "this once, or `gieok rules off {handle}` for good.",
            handle=rule.handle,
            code=code,
        )
    if code and also:
        allowing = (f"`gieok rules allow {one.handle} {code} --once`" for one in (rule, *also))
        go_on = Words.of(
            "Ask the user. To go on this once, they run all of: {commands}.",
            commands=", ".join(allowing),
        )
    return f"{' '.join(said)} {meant}{go_on.say(lang)}"


def _list_other_rules(rule: "GateRule", others: "Sequence[GateHit]") -> "list[GateRule]":
    """Return the first rules that act too and say something else, each once."""
    named = {" ".join(one.rule.rule.text.split()): one.rule for one in reversed(others)}
    named.pop(" ".join(rule.rule.text.split()), None)
    return [*reversed(named.values())][:_MOST_OTHERS]


def _quote_beside(rule: "GateRule") -> "Words":
    from gieok.text.messages import Words

    return Words.of(
        "And on {day}: “{words}” ({origin}; rule {handle}).",
        day=rule.day,
        words=" ".join(rule.rule.text.split()),
        origin=rule.origin,
        handle=rule.handle,
    )


def _say_loosening(words: str) -> str:
    from gieok.text.messages import Words

    text = Words("Gieok: only the user loosens their own rules; ask them to run this command.")
    return text.say(_find_language(words))


def _say_unjudged(words: str) -> str:
    from gieok.text.messages import Words

    text = Words(
        "Gieok: this cannot be compared with the user's rules (too long or too deeply nested); "
        "ask the user first."
    )
    return text.say(_find_language(words))


def _find_language(text: str) -> str:
    """Return the language in which the user spoke; any syllable of Hangul makes it Korean."""
    first, last = _HANGUL
    return "ko" if any(first <= ord(char) <= last for char in text) else "en"
