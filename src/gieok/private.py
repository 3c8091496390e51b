"""What is withheld from memory: pauses, private sessions, excluded folders and agents.

Standard library only, because the hook reads this module too. Pauses and private sessions are spans
of time, kept permanently in one file of the home. A message from inside a span is withheld whenever
it is read: during the pause, years later from a copy of the transcript, by any process. So nothing
has to run while a pause lasts, and a pause with an end needs nobody to end it.
"""

import json
import os
import re
from collections.abc import Iterable, Mapping

from gieok import fs
from gieok.places.checkout import common_folder, find_repository_top

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime, tzinfo

#: Environment variable of an agent's session that is private from its start.
VARIABLE = "GIEOK_PRIVATE"
_OFF = ("", "0", "false", "no", "off")
_FILE = "private.json"
#: Words that make a session private: a phrase may be followed by text after a full stop, a colon or
#: a dash; a single word stands alone.
_PHRASE = (
    r"(?:this is an? |let's have an? )?private (?:session|chat|conversation)|this (?:session"
    r"|chat|conversation) is private"
    r"|(?:this is )?off the record|(?:이 )?(?:세션|대화)[은는] 비공개(?:로 ?(?:해 ?줘|할게|하자))?|비공개 ?(?:세션|대화|모드)"
)
_WORD = r"private|incognito|비공개|기억하지 ?마(?:세요|줘)?"
_TAIL = r"(?:,? please|야|다|이다|입니다|예요|이에요)?\s*[\])]?\s*"
#: A string, which `re` compiles at its first use: the hook has no time to compile it at every
#: prompt.
_OPENING = (
    rf"(?i)\s*[\[(/#]?\s*(?:(?:{_PHRASE}){_TAIL}(?:[.:!—–]|-\s|\n|\Z)"
    rf"|(?:{_WORD}){_TAIL}[.!]?\s*(?:\n|\Z))"
)
#: Quick check: each of those phrases contains one of these words.
_SIGNS = ("private", "record", "incognito", "비공개", "기억하지")
#: Characters of a first line that are examined.
_LOOKED_AT_CHARS = 120


class PrivateSpan:
    """Private stretch of time, in Unix seconds; `until` is None while the span lasts.

    `session` is '' where every session is meant.
    """

    __slots__ = ("agent", "session", "since", "until")

    def __init__(
        self, since: float, until: "float | None" = None, agent: str = "", session: str = ""
    ) -> None:
        self.since, self.until, self.agent, self.session = since, until, agent, session

    def holds(self, at_s: float) -> bool:
        """Return whether a moment is inside the span."""
        return self.since <= at_s and (self.until is None or at_s < self.until)

    def row(self) -> "list[object]":
        """Return the span as its stored row."""
        return [self.since, self.until, self.agent, self.session]


def is_asked_for(environment: "Mapping[str, str]") -> bool:
    """Return whether an environment makes a session private."""
    return environment.get(VARIABLE, "").strip().lower() not in _OFF


def opens_private(text: str) -> bool:
    """Return whether a first message makes its session private, by how its first line begins."""
    first = text[:_LOOKED_AT_CHARS]
    return any(sign in first.lower() for sign in _SIGNS) and re.match(_OPENING, first) is not None


class Privacy:
    """Current privacy rules; the file is read again whenever another process changed it.

    `folders` are absolute paths, excluded with all that lies below them; `*` in a path stands for
    any name. `agents` are names of the agent table. A file that cannot be understood counts as a
    pause: nothing is stored before a person has looked at the file. Without a home nothing is
    withheld by time.
    """

    def __init__(
        self, home: str = "", folders: "Iterable[str]" = (), agents: "Iterable[str]" = ()
    ) -> None:
        self._home = home
        self._file = os.path.join(home, _FILE)
        #: The folders as they were set, and with links followed.
        self.chosen = tuple(folders)
        self.folders = tuple(
            dict.fromkeys(
                path for folder in self.chosen for path in (folder, os.path.realpath(folder))
            )
        )
        self.agents = frozenset(agents)
        self._stamp: tuple[int, ...] = ()
        self._spans: list[PrivateSpan] = []
        self._read_at = 0.0

    # Asking

    def pause(self, now_s: float) -> "PrivateSpan | None":
        """Return the current pause; None where there is none."""
        pauses = [span for span in self._all() if not span.session and span.holds(now_s)]
        return max(
            pauses,
            key=lambda span: float("inf") if span.until is None else span.until,
            default=None,
        )

    def check_pause(self, now: "datetime", zone: "tzinfo") -> None:
        """Raise Withheld while memory is paused; the error tells the end of the pause in a zone."""
        pause = self.pause(now.timestamp())
        if pause is None:
            return
        from datetime import datetime

        from gieok.errors import Withheld

        if pause.until is None:
            raise Withheld("memory is paused: nothing was kept")
        until = datetime.fromtimestamp(pause.until, zone).strftime("%Y-%m-%d %H:%M")
        raise Withheld("memory is paused until {until}: nothing was kept", until=until)

    @property
    def names(self) -> "tuple[str, ...]":
        """Return the spellings of the excluded folders in a command."""
        user = os.path.expanduser("~")
        return (
            *self.folders,
            *(
                f"~{folder[len(user) :]}"
                for folder in self.folders
                if folder.startswith(f"{user}/")
            ),
        )

    @property
    def has_spans(self) -> bool:
        """Say whether anything was ever withheld by time."""
        return bool(self._all())

    @property
    def sessions(self) -> int:
        """Return the number of sessions that are private, or were for a while."""
        return len({(span.agent, span.session) for span in self._all() if span.session})

    def is_withheld(self, agent: str, session: str, at_s: float) -> bool:
        """Return whether a message of a session at a time is withheld.

        A message without a time (0) may belong to any pause that ended after the last reading of
        all transcripts.
        """
        for span in self._all():
            if span.session and (span.agent, span.session) != (agent, session):
                continue
            if span.holds(at_s) or (
                at_s <= 0 and (span.until is None or span.until > self._read_at)
            ):
                return True
        return False

    def separates(self, agent: str, session: str, from_s: float, to_s: float) -> bool:
        """Return whether something may be withheld between two moments of a session."""
        return any(
            (not span.session or (span.agent, span.session) == (agent, session))
            and span.since <= to_s
            and (span.until is None or span.until > from_s)
            for span in self._all()
        )

    def is_private(self, agent: str, session: str, now_s: float) -> bool:
        """Say whether a session is private now."""
        return bool(session) and any(
            (span.agent, span.session) == (agent, session) and span.holds(now_s)
            for span in self._all()
        )

    def excludes_folder(self, folder: str) -> bool:
        """Return whether a working folder, its parent, or its worktree's repository is excluded.

        Any folder above counts as a parent.
        """
        if not folder or not self.folders:
            return False
        return self.excludes_path(folder) or self.excludes_path(
            common_folder(find_repository_top(folder))
        )

    def excludes_path(self, folder: str) -> bool:
        """Return whether a folder or file is excluded, or lies below an excluded folder.

        Links are followed.
        """
        if not folder or not self.folders:
            return False
        return any(
            _is_below_folder(path, excluded)
            for path in {folder, os.path.realpath(folder)}
            for excluded in self.folders
        )

    def excludes_project(self, name: str) -> bool:
        """Return whether a project is excluded, by its folder.

        The folder's name decides where nothing else is known of the project.
        """
        if os.path.isabs(name):
            return self.excludes_folder(name)
        return bool(name) and any(os.path.basename(folder) == name for folder in self.folders)

    def excludes_agent(self, agent: str) -> bool:
        """Say whether an agent is excluded."""
        return agent in self.agents

    # Telling

    def begin_pause(self, now_s: float, until_s: "float | None" = None) -> PrivateSpan:
        """Start a pause, in place of a current pause; return the new pause once it is durable.

        Raises OSError.
        """
        self._change(
            lambda spans: [*_end_session_spans(spans, now_s, "", ""), PrivateSpan(now_s, until_s)]
        )
        pause = self.pause(now_s)
        return pause or PrivateSpan(now_s, until_s)

    def end_pause(self, now_s: float) -> "PrivateSpan | None":
        """End the current pause; return that pause, or None where there was none. Raises
        OSError.
        """
        lasting = self.pause(now_s)
        if lasting is not None:
            self._change(lambda spans: _end_session_spans(spans, now_s, "", ""))
        return lasting

    def begin_session(self, agent: str, session: str, since_s: float) -> None:
        """Make a session private from a time on, durably. Raises OSError."""
        lasting = (
            s for s in self._all() if (s.agent, s.session) == (agent, session) and s.until is None
        )
        if session and not any(span.since <= since_s for span in lasting):
            self._change(lambda spans: [*spans, PrivateSpan(since_s, None, agent, session)])

    def end_session(self, agent: str, session: str, now_s: float) -> None:
        """End the privacy of a session, if that privacy began later than the session's first
        message.

        Raises OSError.
        """
        if any(
            (s.agent, s.session) == (agent, session) and s.since > 0 and s.holds(now_s)
            for s in self._all()
        ):
            self._change(lambda spans: _end_session_spans(spans, now_s, agent, session))

    def note_reading(self, now_s: float) -> None:
        """Record that all transcripts were read at a time; later lines without a time are newer."""
        if any(span.until is None or self._read_at < span.until for span in self._all()):
            self._change(lambda spans: spans, read_at=now_s)

    def take_over(self, other: "Privacy") -> None:
        """Withhold also what another home withholds.

        For a span that both homes know, the end in the other home counts.
        """
        theirs = other._all()  # noqa: SLF001 - of this class
        if theirs:
            known = {(span.since, span.agent, span.session) for span in theirs}
            self._change(
                lambda spans: [
                    *theirs,
                    *(s for s in spans if (s.since, s.agent, s.session) not in known),
                ],
                read_at=min(self._read_at, other._read_at),  # noqa: SLF001
            )

    def _all(self) -> "list[PrivateSpan]":
        if not self._home:
            return self._spans
        try:
            status = os.stat(self._file)
        except FileNotFoundError:
            self._stamp, self._spans, self._read_at = (), [], 0.0
            return self._spans
        stamp = status.st_ino, status.st_size, status.st_mtime_ns
        if stamp != self._stamp:
            self._stamp = stamp
            self._spans, self._read_at = _read_private_spans(self._file)
        return self._spans

    def _change(
        self,
        change: "Callable[[list[PrivateSpan]], list[PrivateSpan]]",
        read_at: "float | None" = None,
    ) -> None:
        with fs.lock_resource(self._home, self._file):
            self._stamp = ()
            spans = change(self._all())
            row = {
                "spans": [span.row() for span in spans],
                "read_at": self._read_at if read_at is None else read_at,
            }
            fs.replace_private(self._file, json.dumps(row))
            self._stamp = ()


def open_privacy(home: str, folders: str, agents: str, user: str = "~") -> Privacy:
    """Return the rules of the settings `exclude.folders` and `exclude.agents`.

    Both settings are joined by commas.
    """
    names = (name.strip() for name in folders.split(","))
    user_folder = os.path.expanduser(user)
    paths = [
        os.path.join(user_folder, name[2:]) if name.startswith("~/") else name
        for name in names
        if name
    ]
    return Privacy(
        home,
        map(os.path.abspath, paths),
        filter(None, (name.strip() for name in agents.split(","))),
    )


_in_force: "list[Privacy]" = []


def use_privacy(privacy: Privacy) -> None:
    """Make every file reader in this process skip what is excluded.

    The rules are the user's settings, which no project changes.
    """
    _in_force[:] = [privacy]


def is_excluded(path: str) -> bool:
    """Say whether a file or folder is excluded by the settings in force."""
    return bool(_in_force) and _in_force[0].excludes_path(path)


def _read_private_spans(file: str) -> "tuple[list[PrivateSpan], float]":
    try:
        with open(file, encoding="utf-8") as text:
            row = json.load(text)
        return [PrivateSpan(*span) for span in row["spans"]], float(row["read_at"])
    except (ValueError, KeyError, TypeError):
        return [PrivateSpan(0.0)], 0.0


def _end_session_spans(
    spans: "list[PrivateSpan]", now_s: float, agent: str, session: str
) -> "list[PrivateSpan]":
    """Return spans in which the open spans of a session ('': the pauses) end now."""
    return [
        PrivateSpan(span.since, now_s, agent, session)
        if (span.agent, span.session) == (agent, session) and span.holds(now_s)
        else span
        for span in spans
    ]


def _is_below_folder(path: str, folder: str) -> bool:
    if "*" in folder:
        from fnmatch import fnmatchcase

        return fnmatchcase(path, folder) or fnmatchcase(path, f"{folder}/*")
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")
