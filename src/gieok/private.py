"""What is nobody's business: pauses, private sessions, excluded folders and agents. The hook reads
it too: standard library.

Pauses and private sessions are spans of time, kept in one file of the home for good. What was said
inside of a span is
withheld whenever it is read: during the pause, years later from a copy of the transcript, by
whichever process. So nothing has to run while a pause lasts, and one that ends by itself needs
nobody to end it.
"""

import json
import os
import re
from collections.abc import Iterable, Mapping

from gieok import fs, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: In the environment of an agent's session that is private from its start.
VARIABLE = "GIEOK_PRIVATE"
_OFF = ("", "0", "false", "no", "off")
_FILE = "private.json"
#: Words that make a session private: a phrase may go on behind a full stop, a colon or a dash, a
#: single word stands alone.
_PHRASE = (
    r"(?:this is an? |let's have an? )?private (?:session|chat|conversation)|this (?:session"
    r"|chat|conversation) is private"
    r"|(?:this is )?off the record|(?:이 )?(?:세션|대화)[은는] 비공개(?:로 ?(?:해 ?줘|할게|하자))?|비공개 ?(?:세션|대화|모드)"
)
_WORD = r"private|incognito|비공개|기억하지 ?마(?:세요|줘)?"
_TAIL = r"(?:,? please|야|다|이다|입니다|예요|이에요)?\s*[\])]?\s*"
#: A string, which `re` compiles at its first use: the hook has no time for it at every prompt.
_OPENING = (
    rf"(?i)\s*[\[(/#]?\s*(?:(?:{_PHRASE}){_TAIL}(?:[.:!—–]|-\s|\n|\Z)"
    rf"|(?:{_WORD}){_TAIL}[.!]?\s*(?:\n|\Z))"
)
#: One of these stands in each of them.
_SIGNS = ("private", "record", "incognito", "비공개", "기억하지")
#: A first line is looked at no further.
_LOOKED_AT_CHARS = 120


class PrivateSpan:
    """A stretch of time, in Unix seconds; `until` is None while it lasts. `session` is '' where
    every session is meant.
    """

    __slots__ = ("agent", "session", "since", "until")

    def __init__(
        self, since: float, until: "float | None" = None, agent: str = "", session: str = ""
    ) -> None:
        self.since, self.until, self.agent, self.session = since, until, agent, session

    def holds(self, at_s: float) -> bool:
        """Say whether a moment is inside."""
        return self.since <= at_s and (self.until is None or at_s < self.until)

    def row(self) -> "list[object]":
        """Return it as it is kept."""
        return [self.since, self.until, self.agent, self.session]


def is_asked_for(environment: "Mapping[str, str]") -> bool:
    """Say whether an environment makes a session private."""
    return environment.get(VARIABLE, "").strip().lower() not in _OFF


def opens_private(text: str) -> bool:
    """Say whether a message makes its session private, where it is the first one: by what its first
    line begins with.
    """
    first = text[:_LOOKED_AT_CHARS]
    return any(sign in first.lower() for sign in _SIGNS) and re.match(_OPENING, first) is not None


class Privacy:
    """What is withheld, as it is now: the file is read again whenever another process changed it.

    `folders` are absolute paths, excluded with all that lies below them; `*` in one stands for any
    name. `agents` are names of the table. A file that cannot be understood counts as a pause:
    nothing is taken in before a person has looked at it. Without a home nothing is withheld by
    time.
    """

    def __init__(
        self, home: str = "", folders: "Iterable[str]" = (), agents: "Iterable[str]" = ()
    ) -> None:
        self._home = home
        self._file = os.path.join(home, _FILE)
        #: As they were set, and with links followed.
        self.chosen = tuple(folders)
        self.folders = tuple(
            dict.fromkeys(path for one in self.chosen for path in (one, os.path.realpath(one)))
        )
        self.agents = frozenset(agents)
        self._stamp: tuple[int, ...] = ()
        self._spans: list[PrivateSpan] = []
        self._read_at = 0.0

    # Asking

    def pause(self, now_s: float) -> "PrivateSpan | None":
        """Return the pause that lasts now; None where there is none."""
        found = [span for span in self._all() if not span.session and span.holds(now_s)]
        return max(
            found, key=lambda span: float("inf") if span.until is None else span.until, default=None
        )

    @property
    def names(self) -> "tuple[str, ...]":
        """Return how the excluded folders may be written in a command."""
        user = os.path.expanduser("~")
        return (
            *self.folders,
            *(f"~{one[len(user) :]}" for one in self.folders if one.startswith(f"{user}/")),
        )

    @property
    def has_spans(self) -> bool:
        """Say whether anything was ever withheld by time."""
        return bool(self._all())

    @property
    def sessions(self) -> int:
        """Return how many sessions are private, or were for a while."""
        return len({(span.agent, span.session) for span in self._all() if span.session})

    def is_withheld(self, agent: str, session: str, at_s: float) -> bool:
        """Say whether what was said in a session at a time is nobody's business.

        What has no time (0) may have been said in any pause that ended after all transcripts were
        read last.
        """
        for span in self._all():
            if span.session and (span.agent, span.session) != (agent, session):
                continue
            if span.holds(at_s) or (
                at_s <= 0 and (span.until is None or span.until > self._read_at)
            ):
                return True
        return False

    def is_private(self, agent: str, session: str, now_s: float) -> bool:
        """Say whether a session is private now."""
        return bool(session) and any(
            (span.agent, span.session) == (agent, session) and span.holds(now_s)
            for span in self._all()
        )

    def excludes_folder(self, folder: str) -> bool:
        """Say whether a folder in which somebody works is excluded: it, one above it, or the
        repository of its worktree.
        """
        if not folder or not self.folders:
            return False
        return self.excludes_path(folder) or self.excludes_path(
            places.common_folder(places.find_repository_top(folder))
        )

    def excludes_path(self, folder: str) -> bool:
        """Say whether a folder or file is excluded, or lies below a folder that is; links are
        followed.
        """
        if not folder or not self.folders:
            return False
        return any(
            _is_below_folder(path, one)
            for path in {folder, os.path.realpath(folder)}
            for one in self.folders
        )

    def excludes_project(self, name: str) -> bool:
        """Say whether a project is excluded, by its folder, or by the folder's name where nothing
        else is known of it.
        """
        if os.path.isabs(name):
            return self.excludes_folder(name)
        return bool(name) and any(os.path.basename(folder) == name for folder in self.folders)

    def excludes_agent(self, agent: str) -> bool:
        """Say whether an agent is excluded."""
        return agent in self.agents

    # Telling

    def begin_pause(self, now_s: float, until_s: "float | None" = None) -> PrivateSpan:
        """Pause from now on, in place of a pause that lasts; return it once it is durable. Raises
        OSError.
        """
        self._change(
            lambda spans: [*_end_session_spans(spans, now_s, "", ""), PrivateSpan(now_s, until_s)]
        )
        found = self.pause(now_s)
        return found or PrivateSpan(now_s, until_s)

    def end_pause(self, now_s: float) -> "PrivateSpan | None":
        """End the pause that lasts; return it, or None where there was none. Raises OSError."""
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
        """Let a session be private no longer, where its privacy began later than with its first
        word. Raises OSError.
        """
        if any(
            (s.agent, s.session) == (agent, session) and s.since > 0 and s.holds(now_s)
            for s in self._all()
        ):
            self._change(lambda spans: _end_session_spans(spans, now_s, agent, session))

    def note_reading(self, now_s: float) -> None:
        """Keep that all transcripts were read at a time: lines without a time that follow are of
        later.
        """
        if any(span.until is None or self._read_at < span.until for span in self._all()):
            self._change(lambda spans: spans, read_at=now_s)

    def take_over(self, other: "Privacy") -> None:
        """Withhold what another home withholds too; of a span that both know, the other one knows
        better how it ended.
        """
        theirs = other._all()  # noqa: SLF001 - of this class
        if theirs:
            known = {(one.since, one.agent, one.session) for one in theirs}
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
            found = os.stat(self._file)
        except FileNotFoundError:
            self._stamp, self._spans, self._read_at = (), [], 0.0
            return self._spans
        stamp = found.st_ino, found.st_size, found.st_mtime_ns
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
    """Return what is withheld by the settings `exclude.folders` and `exclude.agents`, both joined
    by commas.
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
    """Let every reader of files in this process leave out what is excluded: the user's settings,
    which no project changes.
    """
    _in_force[:] = [privacy]


def is_excluded(path: str) -> bool:
    """Say whether a file or folder is excluded by the settings in force."""
    return bool(_in_force) and _in_force[0].excludes_path(path)


def _read_private_spans(file: str) -> "tuple[list[PrivateSpan], float]":
    try:
        with open(file, encoding="utf-8") as text:
            row = json.load(text)
        return [PrivateSpan(*one) for one in row["spans"]], float(row["read_at"])
    except (ValueError, KeyError, TypeError):
        return [PrivateSpan(0.0)], 0.0


def _end_session_spans(
    spans: "list[PrivateSpan]", now_s: float, agent: str, session: str
) -> "list[PrivateSpan]":
    """Return spans of which those of a session ('': the pauses) end now where they last."""
    return [
        PrivateSpan(one.since, now_s, agent, session)
        if (one.agent, one.session) == (agent, session) and one.holds(now_s)
        else one
        for one in spans
    ]


def _is_below_folder(path: str, folder: str) -> bool:
    if "*" in folder:
        from fnmatch import fnmatchcase

        return fnmatchcase(path, folder) or fnmatchcase(path, f"{folder}/*")
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")
