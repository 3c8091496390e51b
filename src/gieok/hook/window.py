"""Texts already in an agent's context: this session's injections, and instruction files.

Nothing is injected twice. The record is kept by session, bounded and private (0600) in the home
folder; a compaction empties the record, because it empties the context. `gieok why --last` shows
the last injection from here. Imported by the hook: see the package.
"""

import json
import os
import re
import zlib

from gieok import fs
from gieok.agents.table import SESSION_START
from gieok.text.inert import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from gieok.hook.inject import InjectedMemory, Injection
    from gieok.model.retrieval import FoundPassage

FOLDER = os.path.join("hook", "sessions")
#: Limits of the record of a session, and of the number of sessions: an agent's context holds no
#: more, and nobody asks about older sessions.
_MOST_CHARS = 120_000
_MOST_SESSIONS = 40
#: Injections before the last one that are kept of a session, for a person who looks through them.
_MOST_EARLIER, _MOST_EARLIER_CHARS = 12, 40_000
#: How many times as high the odds are that a rule is broken for another reminder of it, and the
#: chance that counts as sure.
_CLEARLY, _SUREST = 3.0, 0.99
#: An instruction file longer than this does not fit into any context.
_MOST_FILE_BYTES = 200_000
#: A text shorter than this occurs in every other text.
_SHORTEST = 8
_NO_WORD = re.compile(r"(?:&(?:lt|gt|quot|amp);|[\W_])+")
#: Claude Code puts the file behind `@path` into the context too.
_INCLUDED = re.compile(r"^[ \t]*@(\S+)[ \t]*$", re.MULTILINE)


class ContextWindow:
    """Texts that an agent has in its context in one session."""

    def __init__(self, home: str, agent: str, session: str) -> None:
        self._home = home
        self._file = session_file(home, agent, session)
        self.agent, self.session = agent, session
        row = _read_window_file(self._file) if session else {}
        self._handles: dict[str, bool] = {
            str(k): bool(v) for k, v in _coerce_to_kind(dict, row.get("handles")).items()
        }
        #: Unix seconds; everything said in this session since then is in the context.
        self.since_s = float(_coerce_to_kind(float, row.get("since")))
        #: Whether the text of the session's start was injected, and the context still holds it.
        self.is_begun = row.get("begun") is True
        #: What the person is to be told with the next prompt; '' for nothing.
        self.notice = str(row.get("notice") or "")
        #: Rules of which the agent was reminded beside a tool's use, and that its context holds:
        #: handle → the highest chance at which it was.
        self.reminded = _read_reminders(row)
        self._texts = _list_injected_texts(row)
        self._letters: list[str] = []

    def read(self, files: "list[str]") -> None:
        """Add the texts of instruction files, and of the files that they include."""
        for file in files:
            text = _read_instruction_file(file)
            included = [
                os.path.join(os.path.dirname(file), os.path.expanduser(name))
                for name in _INCLUDED.findall(text)
            ]
            self._texts += filter(None, (text, *map(_read_instruction_file, included)))

    def add_text(self, text: str) -> None:
        """Add a text that is put into the context by this call."""
        self._texts.append(text)

    def leave_notice(self, notice: str) -> None:
        """Keep what the person is to be told with the next prompt; '' forgets it."""
        if self.session:
            self._change(lambda row: row | {"notice": notice})

    def holds(self, memory: "InjectedMemory") -> bool:
        """Say whether the context holds a memory already, at least as fully as it would be
        shown.
        """
        if memory.handle in self._handles and self._handles[memory.handle] >= (
            memory.is_sure or bool(memory.who)
        ):
            return True
        words = strip_to_letters(memory.text)
        return len(words) >= _SHORTEST and any(words in text for text in self._list_letters())

    def _list_letters(self) -> "list[str]":
        """Return the letters of the texts; a tool's use, which asks for none, pays for none."""
        self._letters += map(strip_to_letters, self._texts[len(self._letters) :])
        return self._letters

    def may_remind(self, handle: str, chance: float) -> bool:
        """Return whether the agent may be reminded of a rule that a use breaks with some chance.

        It may where it was not, or where the odds are now at least three times as high: a use that
        is only near to a rule does not use up the reminder of one that breaks it.
        """
        said = self.reminded.get(handle)
        return said is None or _find_odds(chance) >= _CLEARLY * _find_odds(said)

    def was_said_here(self, key: str, moment_s: float) -> bool:
        """Say whether a turn belongs to this session and is still in the context.

        The turn is given by its key and by the time when its conversation began.
        """
        return bool(self.session) and f"/{self.session}#" in key and moment_s >= self.since_s

    def was_lost(self, passage: "FoundPassage") -> bool:
        """Say whether a passage is talk of this session that its context holds no more."""
        is_own = bool(self.session) and f"/{self.session}#" in passage.key
        return is_own and passage.said_at.timestamp() < self.since_s

    def is_here(self, session: str, moment_s: float) -> bool:
        """Say whether a message belongs to this session and is still in the context."""
        return bool(self.session) and session == self.session and moment_s >= self.since_s

    def keep(
        self,
        event: str,
        injection: "Injection",
        at_s: float,
        *,
        stays: bool = True,
        reminded: "tuple[str, float] | None" = None,
        **more: object,
    ) -> None:
        """Record an injection; `stays` says whether it remains in the context after this prompt.

        `reminded` is the rule that it reminds of and the chance that the use breaks it. Errors of
        the file system are ignored: at worst the next prompt repeats the injection.
        """
        begins = stays and event == SESSION_START and not self.is_begun
        self.is_begun = self.is_begun or begins
        if not self.session or not (injection.text or begins):
            return
        handles = {m.handle: m.is_sure or bool(m.who) for m in injection.memories if m.handle}
        last = {
            "at": at_s,
            "event": event,
            "text": injection.text,
            "tokens": injection.tokens,
            "memories": [memory.fields() for memory in injection.memories],
            **more,
        }

        def add(row: "dict[str, Any]") -> "dict[str, Any]":
            row["begun"] = row.get("begun") is True or begins
            if not injection.text:
                return row
            if stays:
                row["injected"] = _keep_newest_texts([*_list_injected_texts(row), injection.text])
                row["handles"] = _coerce_to_kind(dict, row.get("handles")) | handles
            if reminded:
                row["reminded"] = _read_reminders(row) | dict([reminded])
            if isinstance(row.get("last"), dict):
                row["earlier"] = _select_newest_injections(
                    [row["last"], *_coerce_to_kind(list, row.get("earlier"))]
                )
            row["last"] = last
            return row

        self._change(add)

    def empty(self, at_s: float) -> None:
        """Forget all injections: the context was compacted, or began anew."""
        self._handles, self.is_begun, self.reminded = {}, False, {}
        self._texts, self._letters = [], []
        emptied = {"injected": [], "handles": {}, "begun": False, "reminded": {}, "since": at_s}
        if self.session:
            self._change(lambda row: row | emptied)

    def _change(self, change: "Callable[[dict[str, Any]], dict[str, Any]]") -> None:
        """Change the record as it is on disk now.

        Another prompt of the session may have been answered since the record was read.
        """
        folder = os.path.dirname(self._file)
        try:
            with fs.lock_resource(self._home, folder):
                row = _read_window_file(self._file)
                is_new = not row
                row = change(
                    {
                        "since": self.since_s,
                        "injected": [],
                        "handles": {},
                        "last": None,
                        "earlier": [],
                    }
                    | row
                )
                row |= {"agent": self.agent, "session": self.session}
                fs.replace_private(
                    self._file,
                    json.dumps(row, ensure_ascii=False).encode("utf-8", "backslashreplace"),
                )
                if is_new:
                    _prune_session_files(folder)
        except OSError:
            return


def _find_odds(chance: float) -> float:
    bounded = min(max(chance, 1 - _SUREST), _SUREST)
    return bounded / (1 - bounded)


def _read_reminders(row: "dict[str, Any]") -> "dict[str, float]":
    """Return rule → chance; one of an earlier release, which kept no chance, was surely said."""
    kept = row.get("reminded")
    if isinstance(kept, dict):
        return {str(handle): float(chance) for handle, chance in kept.items()}
    return {str(handle): _SUREST for handle in _coerce_to_kind(list, kept)}


def _list_injected_texts(row: "dict[str, Any]") -> "list[str]":
    """Return the texts injected since the session began or was compacted, the newest last."""
    return [text for text in _coerce_to_kind(list, row.get("injected")) if isinstance(text, str)]


def _keep_newest_texts(texts: "list[str]") -> "list[str]":
    """Return the newest texts, up to the limit that is kept."""
    while sum(map(len, texts)) > _MOST_CHARS:
        del texts[0]
    return texts


def session_file(home: str, agent: str, session: str) -> str:
    """Return the file of a session's record.

    Its name is a hash, because session ids may be anything.
    """
    data = f"{agent}\0{session}".encode("utf-8", "surrogatepass")
    return os.path.join(home, FOLDER, f"{zlib.crc32(data):08x}{zlib.adler32(data):08x}.json")


def sessions(home: str) -> "list[dict[str, Any]]":
    """Return the records of all sessions, the one with the last injection first."""
    folder = os.path.join(home, FOLDER)
    names = os.listdir(folder) if os.path.isdir(folder) else []
    rows = [
        row for name in names if (row := _read_window_file(os.path.join(folder, name))).get("last")
    ]
    return sorted(rows, key=lambda row: -float(row["last"].get("at", 0)))


def _select_newest_injections(earlier: "list[dict[str, Any]]") -> "list[dict[str, Any]]":
    """Return the newest injections, up to the limit that is kept."""
    newest, chars = [], 0
    for injection in earlier[:_MOST_EARLIER]:
        chars += len(str(injection.get("text", "")))
        if chars > _MOST_EARLIER_CHARS:
            break
        newest.append(injection)
    return newest


def _coerce_to_kind(kind: "type[Any]", value: object) -> "Any":  # noqa: ANN401 - of that kind
    return value if isinstance(value, kind) else kind()


def _read_window_file(file: str) -> "dict[str, Any]":
    try:
        with open(file, encoding="utf-8") as opened:
            row = json.load(opened)
    except (OSError, ValueError):
        return {}
    return row if isinstance(row, dict) else {}


def _read_instruction_file(file: str) -> str:
    try:
        with open(file, "rb") as opened:
            return opened.read(_MOST_FILE_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def strip_to_letters(text: str) -> str:
    """Return the letters and digits of a text.

    Wrapping, marks and escapes then make no difference.
    """
    return _NO_WORD.sub("", visible(text).casefold())


def _prune_session_files(folder: str) -> None:
    """Remove the files of sessions that were not used for longest."""
    files = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".json")]
    if len(files) > _MOST_SESSIONS:
        files.sort(key=os.path.getmtime)
        for file in files[: len(files) - _MOST_SESSIONS]:
            os.unlink(file)
