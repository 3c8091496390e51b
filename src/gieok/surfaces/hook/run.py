"""One call of the hook: reads the agent's JSON, searches, prints the memories to inject.

It always fails open.
"""

import json
import os
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence

from gieok import fs, private
from gieok.agents import table
from gieok.hook import choice, inject, question
from gieok.hook.inject import InjectedMemory, Injection
from gieok.hook.levels import HIGH
from gieok.hook.window import ContextWindow
from gieok.places.home import OWN_RUN, build_home_path, daemon_address_file
from gieok.places.project import list_project_scopes
from gieok.places.scope import SESSIONS, USER_SCOPE
from gieok.places.workplace import find_workplace, project_root
from gieok.process_zone import set_process_zone
from gieok.settings.hook import USED, HookSettings
from gieok.settings.resolved import Parse, resolve_settings
from gieok.surfaces.hook import trail, withheld
from gieok.surfaces.hook.payload import (
    find_hook_flag,
    print_unbuffered,
    read_hook_payload,
)
from gieok.text.handles import build_handle
from gieok.text.tokens import estimate_tokens
from gieok.text.turns import read_spoken_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gieok.hook.fired import FiredEvent
    from gieok.hook.matches import Match
    from gieok.storage.index.sqlite.index_reader import IndexReader

#: Matches every name that holds a secret, and few of the usual names of transcripts. A string,
#: which `re` compiles at its first use: a prompt has no time for it.
_SUSPECT_NAME = (
    r"(?i)pass|pw|secret|token|key|cred|://|[^\x00-\x7f]|[a-z][0-9][a-z0-9]{12}"
    r"|[a-z0-9]{12}[a-z][0-9]|[0-9]{6}[0-9-]{7}"
)
#: Events whose answer is put before the model.
_INJECTING = (table.PROMPT, table.SESSION_START)
_SPOOLED = frozenset((table.STOP, table.PRE_COMPACT, table.SESSION_END))
#: Sources of a session's start that begin a new context, which does not hold the earlier
#: injections.
_COMPACT = "compact"
_ANEW = (_COMPACT, "clear")
#: Seconds within which a call is answered, whatever it waits for: a host ends it after ten, in an
#: older installation after three.
_ENDS_S = {table.SESSION_START: 3.0, table.PRE_COMPACT: 7.0}
_OTHER_ENDS_S = 3.0
#: Least of them that a digest is begun with, and the share of them that a compacted session's
#: project may take: the session's own words are worth more there.
_LEAST_DIGEST_S, _COMPACTED_SHARE = 0.2, 0.3
#: Returns the JSON of a session's digest, by the parameters of `gieok handoff`, its folder and the
#: seconds that it may take; None for none.
Digest = Callable[[Mapping[str, object], str, float], Mapping[str, object] | None]


def main(
    arguments: Sequence[str],
    parse: Parse,
    refresh: Callable[[str, float], str],
    catch_up: Callable[[float], None] = lambda within_s: None,
    notice_of: Callable[[str], str] = lambda why: "",
    digest: Digest = lambda values, folder, within_s: None,
) -> int:
    """Run `gieok hook EVENT [--agent NAME]` and return 0, whatever happens.

    `parse` reads a settings file that changed since a process last read it.

    `refresh` is called at the start of a session: it brings the index of a project's folder ('': no
    project) in line with its files, and returns the notice for the person about that index or a
    full disk ('' for none). Whatever is called gets the seconds that it may take.

    `catch_up` indexes the newest messages of the agents; it is called at the start of a session
    where no daemon does that. `notice_of` returns the notice for the person on why memory is
    withheld from a session. `digest` returns the JSON of `gieok handoff` for a session where no
    daemon listens; it takes in what the session's transcript holds.
    """
    if os.environ.get(OWN_RUN):
        return 0  # this agent is asked by Gieok itself: nothing to recall, and nothing to remember
    home, started = "", time.monotonic()
    call: _Call | None = None
    try:
        home = build_home_path()
        payload = read_hook_payload()
        # An agent that hands over its prompt slowly loses none of the hook's own time budget.
        call = _Call(
            arguments[0],
            find_hook_flag(arguments, "--agent"),
            payload,
            home,
            time.monotonic(),
            parse,
            digest,
            started + _ENDS_S.get(arguments[0], _OTHER_ENDS_S),
        )
        text = _answer_hook_call(call, refresh, catch_up, notice_of)
        if text and sys.stdout:  # None: it is closed, and its number may be another file's by now
            print_unbuffered(text)
        call.finish()
    except BrokenPipeError:
        pass
    # Fails open: a broken memory never stands between a user and their agent.
    except Exception as error:  # noqa: BLE001
        if call is not None:
            call.give_event_back()
        trail.log_hook_line(home, f"{' '.join(arguments[:1])}: {type(error).__name__}: {error}")
    return 0


def _answer_hook_call(
    call: "_Call",
    refresh: Callable[[str, float], str],
    catch_up: Callable[[float], None],
    notice_of: Callable[[str], str],
) -> str:
    """Return the JSON to print for a call; '' for nothing."""
    event = call.event
    context = notice = ""
    reason = call.withholds()  # the first words of a session count, whoever answers them
    if not call.is_first():
        return ""
    if reason:
        notice = notice_of(reason) if event == table.SESSION_START else ""
        context = (
            inject.format_user_notice(notice) if notice and not call.agent.shows_notices else ""
        )
        printed = table.output(call.agent, event, context, notice)
        return json.dumps(printed, ensure_ascii=False) if printed else ""
    if event == table.PROMPT:
        context = "\n".join(filter(None, (call.start_late(), call.recall())))
    elif event == table.SESSION_START:
        context, notice = _answer_session_start(call, refresh, catch_up)
    elif event in _SPOOLED:
        call.keep()
        if event == table.PRE_COMPACT and event in call.agent.events:
            return call.agent.format_summary_hint(call.hint_summary())
    else:
        raise ValueError(f"unknown event {event!r}")
    printed = table.output(call.agent, event, context, notice)
    return json.dumps(printed, ensure_ascii=False) if printed else ""


def _answer_session_start(
    call: "_Call", refresh: Callable[[str, float], str], catch_up: Callable[[float], None]
) -> tuple[str, str]:
    """Begin a session; return what the agent is told, and the notice for the person.

    Both are kept for the first prompt of an agent that drops the answer at a session's start.
    """
    notice = ""
    if not call.begin() and os.path.isdir(call.home) and not call.is_compacted:
        catch_up(call.left_s())
    if call.root or fs.is_volume_full(call.home):
        share = _COMPACTED_SHARE if call.is_compacted else 1.0
        notice = refresh(call.root, share * call.left_s())
    if call.agent.starts_at_prompt:
        call.keep_notice(notice)
        return "", ""
    context = call.start()
    if notice and not call.agent.shows_notices:
        context = "\n".join(filter(None, (context, inject.format_user_notice(notice))))
    return context, notice


class _Call:
    """State of one call of the hook."""

    def __init__(
        self,
        event: str,
        agent: str,
        payload: dict[str, object],
        home: str,
        began: float,
        parse: Parse,
        digest: Digest,
        ends: float,
    ) -> None:
        self.event = event
        self.agent = table.find_calling_agent(agent, payload, os.environ)
        self._is_named = self.agent.name == agent
        self._folder = table.folder_of(payload) or os.getcwd()
        self._own_scope = self.agent.read_scope(payload)
        self.root = "" if self._own_scope else project_root(self._folder)
        self._payload = payload
        self.home = home
        self._began = began
        self._window = ContextWindow(home, self.agent.name, table.read_payload_session(payload))
        self._claimed: FiredEvent | None = None
        self._begun: Injection | None = None
        self._told_notice = False
        self._injection: Injection | None = None
        self._by = ""
        self._digest, self._ends = digest, ends
        values, wrong = resolve_settings(home, self.root, USED, os.environ, parse)
        self._settings = HookSettings({name: value for name, (value, _) in values.items()})
        set_process_zone(self._settings.text("zone"))
        for error in wrong:
            trail.log_hook_line(home, f"{event}: {error}; it is left out")

    def withholds(self) -> str:
        """Return the reason why memory is withheld from this call; '' where memory is open.

        Where it is withheld, nothing is read for the call and nothing of the call is kept.
        """
        text = self._settings.text
        privacy = private.open_privacy(self.home, text("exclude.folders"), text("exclude.agents"))
        session = table.read_payload_session(self._payload)
        return withheld.find_withheld_reason(
            privacy, self.agent.name, session, self._folder, self._payload, time.time()
        )

    def is_first(self) -> bool:
        """Return whether an event is one of the agent's, and this call the first that answers it.

        A host that runs hooks of other agents calls Gieok once for each file that holds its hook,
        and some events of another agent are none of the host's.
        """
        if not self.agent.runs_foreign_hooks:
            return True
        if self.event not in self.agent.events:
            return False
        if self.event not in _INJECTING:
            return True
        from gieok.hook.fired import FiredEvent, list_telling_values, read_fired_time

        session = table.read_payload_session(self._payload)
        names = (self.agent.name, session, self.event, *list_telling_values(self._payload))
        at_s = read_fired_time(self._payload, time.time())
        event = FiredEvent(self.home, names, at_s) if session else None
        if event is not None and not event.claim_event():
            return False
        self._claimed = event
        return True

    def give_event_back(self) -> None:
        """Let another call answer the event, because this one did not."""
        if self._claimed is not None:
            self._claimed.withdraw_claim()

    def keep_notice(self, notice: str) -> None:
        """Keep the notice of a session's start for its first prompt."""
        if notice:
            self._window.leave_notice(notice)

    def begin(self) -> bool:
        """Begin a session: wake or start the daemon, and forget injections of a context that ended.

        Return whether a daemon runs, or is being started.
        """
        if table.read_payload_text(self._payload, "source") in _ANEW:
            self._window.empty(time.time())
        from gieok.processes import autostart, call

        try:
            if call.wake(self.home, self._environment(), self._folder):
                return True
            if autostart.is_wanted(self.home, self._settings.text("daemon.autostart"), os.environ):
                autostart.start_daemon_process(self.home)
                return True
        except OSError as error:
            trail.log_hook_line(self.home, f"{self.event}: the daemon was not started: {error}")
        return False

    def finish(self) -> None:
        """Record the injected memories, once the agent has them."""
        if self._told_notice:
            self._window.leave_notice("")
        if self._begun is not None:
            self._window.keep(table.SESSION_START, self._begun, time.time())
        if self._injection is not None:
            spent_ms = round((time.monotonic() - self._began) * 1000, 1)
            stays = not self._own_scope  # OpenClaw stores no context: the next prompt is without it
            self._window.keep(
                self.event, self._injection, time.time(), stays=stays, by=self._by, ms=spent_ms
            )

    def recall(self) -> str:
        """Return the text to inject for the prompt; '' for none."""
        prompt = self._payload.get("prompt")
        if not isinstance(prompt, str):
            raise TypeError("the payload has no prompt")
        if not question.is_worth_asking(prompt):
            return ""
        answer = self._asked_of_daemon(prompt)
        if answer is None:
            answer = self._found_by_words(prompt)
        if answer is None:
            return ""
        self._injection, is_hint = answer
        sure = sum(memory.is_sure for memory in self._injection.memories)
        best = self._injection.memories[0].score if self._injection.memories else 0.0
        self._count(
            high=sure,
            medium=len(self._injection.memories) - sure,
            noted=is_hint,
            score=round(best, 3),
            by=self._by,
            tokens=self._injection.tokens,
        )
        return self._injection.text

    def _asked_of_daemon(self, prompt: str) -> tuple[Injection, bool] | None:
        """Return the injection that the daemon finds with the whole ranking, and whether it is a
        hint.

        None where the daemon does not answer in time.
        """
        if not os.path.exists(daemon_address_file(self.home)):
            return None
        from gieok.processes import call

        data = call.ask_prompt(
            self.home,
            prompt,
            self._scopes(),
            self._folder,
            self._environment(),
            self._deadline() - time.monotonic(),
            self.agent.name,
            self._window.session,
        )
        if data is None:
            return None
        self._by = "daemon"
        memories = [InjectedMemory(**row) for row in data["memories"]]
        if memories and self._settings.is_on("judge.enabled"):
            return self._rendered(self._judged(prompt, memories)), False
        if self._begun is not None:  # the daemon does not know what this call says beside it
            fresh = [memory for memory in memories if not self._window.holds(memory)]
            if len(fresh) < len(memories):
                return self._rendered(fresh), False
        return Injection(data["text"], memories, data["tokens"]), data["is_hint"]

    def _environment(self) -> dict[str, str]:
        return dict(os.environ)

    def _found_by_words(self, prompt: str) -> tuple[Injection, bool] | None:
        """Return the injection that keyword search finds.

        None where nothing is indexed, or the index cannot be asked in time.
        """
        questions = question.build_prompt_questions(prompt)
        if not questions:
            return None
        from gieok.hook import matches, refusals, rules
        from gieok.hook.validity import Standing, newest_first
        from gieok.storage.index.sqlite.index_reader import Late, Missing

        self._by = "words"
        try:
            reader = self._glance()
            now_s = time.time()
            standing = Standing(self.home, now_s)
            recalled = matches.find_matches(
                reader,
                self._scopes(),
                questions,
                self._settings,
                now_s,
                self._folder,
                Late,
                prompt=prompt,
                claims=standing,
            )
            shown = [_build_injected_match(match) for match in recalled.found]
            memories = newest_first(recalled.found, shown, standing, reader)
            binding = rules.bearing(
                rules.read_binding_rules(self.home, self._scopes(), reader.lines), prompt
            )
        except (Late, Missing):
            return None
        refused = refusals.PromptRefusals(self.home, prompt)
        memories = choice.near_best(
            refused.allowed(memories), self._settings.number("hook.low_ratio")
        )
        if memories and self._settings.is_on("judge.enabled"):
            memories = self._judged(prompt, memories)
        self._window.read(
            table.instructions(self.agent.name, self._folder, os.path.expanduser("~"))
        )
        memories = rules.merge_rules_first(refused.allowed(binding), memories)
        return self._rendered(choice.fresh(memories, self._window, self._folder)), False

    def _judged(self, prompt: str, memories: list[InjectedMemory]) -> list[InjectedMemory]:
        # opt-in, and it needs the network's part of the library
        from gieok.surfaces.hook.judge import judge_memories

        self._use_rules()
        return judge_memories(
            prompt, memories, self._settings, lambda line: trail.log_hook_line(self.home, line)
        )

    def _rendered(self, memories: list[InjectedMemory]) -> Injection:
        return choice.render_chosen_memories(
            memories, self._settings, self.home, self.root, self.agent.search
        )

    def start_late(self) -> str:
        """Return the text that the session begins with, at its first prompt; '' for none."""
        if not self.agent.starts_at_prompt:
            return ""
        told = self._window.notice
        self._told_notice = bool(told)
        text = "" if self._window.is_begun else self.start()
        self._begun, self._injection = self._injection, None
        if self._begun is not None:
            self._window.add_text(text)
        return "\n".join(filter(None, (text, inject.format_user_notice(told) if told else "")))

    def start(self) -> str:
        """Return the text that the session begins with."""
        budget = int(self._settings.number("hook.session_tokens"))
        source = table.read_payload_text(self._payload, "source")
        is_resumed = self._window.is_begun and source != "startup"
        # the session's context holds its start text, and everything that was said in it since
        if not budget or is_resumed:
            return ""
        self._began = time.monotonic()  # bringing the index in line is not what the deadline is for
        text, shown = self._build_start(budget, None)
        if self.is_compacted:  # what stands already is told, whatever the digest does
            digest = self._read_digest()
            self._began = time.monotonic()
            if digest is not None:
                text, shown = self._build_start(budget, digest)
        self._count(shown=shown)
        self._injection = Injection(text, [], estimate_tokens(text))
        return text

    def _build_start(self, budget: int, digest: Mapping[str, object] | None) -> tuple[str, int]:
        """Return the text that the session begins with, and how many lines it shows."""
        from gieok import registry
        from gieok.surfaces.hook.start import SessionPlace, build_start_text

        scopes = self._scopes()
        place = SessionPlace(
            self.home,
            self._folder,
            self.root,
            scopes,
            scopes[0] if scopes else USER_SCOPE,
            table.read_payload_session(self._payload),
            self._deadline(),
            self._settings.text("active_memory.path"),
            self.agent.name,
            registry.local_journal(self.home, self._settings.text("journal")),
            self.agent.search,
        )
        words = choice.owners(self.home, self.root)
        return build_start_text(
            place, self._glance, lambda scope: inject.whose(scope, words), budget, digest
        )

    def keep(self) -> None:
        """Record the path of the transcript, so that it is observed later."""
        row: dict[str, object] = {
            "event": self.event,
            "agent": self.agent.name,
            "session_id": table.read_payload_session(self._payload),
            "transcript_path": table.read_payload_text(self._payload, "transcript_path"),
            "cwd": self._folder,
        }
        if row["transcript_path"]:
            self._spool(row)
        # an older installation may call in vain
        if self.event == table.PRE_COMPACT and self.event in self.agent.events:
            self._window.empty(time.time())
        self._count()

    def hint_summary(self) -> str:
        """Take in the transcript now, and return what its summary must keep; '' for nothing.

        The spooled row stands already: where this process is killed, the transcript is read later.
        """
        from gieok.surfaces.hook import compaction

        digest = self._read_digest()
        # A host that calls without its name may do anything with what is printed.
        if not digest or not self._is_named:
            return ""
        return compaction.format_summary_hint(compaction.list_digest_lines(digest, self._folder))

    def _read_digest(self) -> Mapping[str, object] | None:
        """Return the digest of this session, up to its last line; None for none in time.

        Where a daemon listens, nobody else is asked: two would wait for each other.
        """
        session = table.read_payload_session(self._payload)
        if not session or not os.path.isdir(self.home) or self.left_s() < _LEAST_DIGEST_S:
            return None
        from gieok.surfaces.hook import compaction

        transcript = table.read_payload_text(self._payload, "transcript_path")
        asked = (self.agent.name, session, transcript)
        values = compaction.build_digest_values(*asked, self.left_s())
        is_asked, digest = compaction.ask_digest(
            self.home, values, self._folder, self._environment(), self.left_s()
        )
        left_s = self.left_s()
        if not is_asked and left_s >= _LEAST_DIGEST_S:
            values = compaction.build_digest_values(*asked, left_s)
            digest = self._digest(values, self._folder, left_s)
        if digest is not None and not digest.get("is_whole"):
            trail.log_hook_line(self.home, f"{self.event}: the session was not read to its end")
            return None
        return digest

    @property
    def is_compacted(self) -> bool:
        """Whether a session starts because a summary took the place of what was said."""
        source = table.read_payload_text(self._payload, "source")
        return self.event == table.SESSION_START and source == _COMPACT

    def left_s(self) -> float:
        """Return the seconds that something may take before the answer is put together."""
        still = self._settings.number("hook.deadline_ms") / 1000
        return max(0.0, self._ends - time.monotonic() - min(still, 1.0))

    def _use_rules(self) -> None:
        """Add the user's own redaction rules to the built-in ones."""
        if rules := self._settings.text("redact.rules"):
            from gieok.text.redact import user_rules

            user_rules.use_own_rules(user_rules.parse_own_rules(rules))

    def _spool(self, row: dict[str, object]) -> None:
        """Spool a row, unless a name in it holds a secret.

        A transcript in the agent's usual folder is found without the row.
        """
        texts = [str(value).replace(os.sep, "/") for value in row.values()]
        if any(re.search(_SUSPECT_NAME, text) for text in texts):
            from gieok.text.redact.names import redact_path_names  # 25 ms; few names need it

            if any(redact_path_names(text) != text for text in texts):
                trail.log_hook_line(
                    self.home, f"{self.event}: a name holds a secret; this event is not kept"
                )
                return
        trail.spool_transcript(self.home, row)

    def _glance(self) -> "IndexReader":
        """Return the reader of the local index. Raises Missing where there is no index."""
        from gieok import registry
        from gieok.storage.index.sqlite.index_reader import IndexReader

        store, hybrid = self._settings.text("store"), self._settings.is_on("hybrid")
        return IndexReader(registry.local_index(self.home, store, hybrid=hybrid), self._deadline())

    def _deadline(self) -> float:
        return self._began + self._settings.number("hook.deadline_ms") / 1000

    def _scopes(self) -> list[str]:
        """Return the scopes to recall from: the project's, then the user's own."""
        also = self._settings.text("hook.scopes")
        if self._own_scope:
            return list(dict.fromkeys((self._own_scope, *list_project_scopes("", also))))
        return list_project_scopes(find_workplace(self._folder), also)

    def _count(self, **row: object) -> None:
        spent_ms = round((time.monotonic() - self._began) * 1000, 1)
        session = table.read_payload_session(self._payload)
        trail.count_hook_call(
            self.home,
            {
                "event": self.event,
                "agent": self.agent.name,
                "session": session,
                **row,
                "ms": spent_ms,
            },
        )


def _build_injected_match(found: "Match") -> InjectedMemory:
    """Return a keyword match as an injected memory; a turn is shown with its speaker."""
    memory = found.entry
    memory.is_sure, memory.score = found.level == HIGH, found.probability
    memory.status = "" if memory.is_sure else choice.UNSURE_STATUS
    path, _, lines = memory.citation.rpartition("#L")
    turn = read_spoken_line([memory.text], 1) if found.key.startswith(f"{SESSIONS}/") else None
    if turn:
        memory.who, memory.text, memory.title = turn.who, turn.text, ""
    elif memory.title == found.key:
        memory.title = choice.build_fallback_title(memory.text)
    # a journal or a conversation: no file that an agent could open
    if turn or not os.path.splitext(path)[1]:
        memory.citation = ""
    memory.handle = build_handle(
        memory.scope, found.key, int(lines.partition("-")[0] or 0) if turn else 0
    )
    return memory
