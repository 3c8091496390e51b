"""What already stands in an agent's context: what was injected in this session, and its own instruction files.

Nothing is injected twice. Kept by session, bounded and private (0600) in the home folder; a compaction empties it, because it
empties the context. `gieok why --last` shows the last injection from here. Imported by the hook: see the package.
"""

import json
import os
import re
import zlib

from gieok import fs
from gieok.agents.table import SESSION_START
from gieok.capabilities.prompt.inject import InjectedMemory, Injection
from gieok.text.inert import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FOLDER = os.path.join("hook", "sessions")
#: What is kept of a session, and how many sessions: an agent's context holds no more, and nobody asks about older ones.
_MOST_CHARS = 120_000
_MOST_SESSIONS = 40
#: Injections before the last that are kept of a session, for a person who looks through them.
_MOST_EARLIER, _MOST_EARLIER_CHARS = 12, 40_000
#: A file of instructions longer than this is no one's context.
_MOST_FILE_BYTES = 200_000
#: Less than this stands in every text.
_SHORTEST = 8
_NO_WORD = re.compile(r"(?:&(?:lt|gt|quot|amp);|[\W_])+")
#: Claude Code puts the file behind `@path` into the context too.
_INCLUDED = re.compile(r"^[ \t]*@(\S+)[ \t]*$", re.MULTILINE)


class Window:
    """What an agent has before it in one session."""

    def __init__(self, home: str, agent: str, session: str) -> None:
        self._file = session_file(home, agent, session)
        self.agent, self.session = agent, session
        row = _read(self._file) if session else {}
        #: Texts as they were injected since the session began or was compacted, the last one last.
        self._injected: list[str] = [text for text in _of(list, row.get("injected")) if isinstance(text, str)]
        self._handles: dict[str, bool] = {str(k): bool(v) for k, v in _of(dict, row.get("handles")).items()}
        #: Unix seconds; what was said in this session since then is in the context.
        self.since_s = float(_of(float, row.get("since")))
        #: Whether the session was told what it begins with, and its context still holds that.
        self.is_begun = row.get("begun") is True
        self._texts = [letters(text) for text in self._injected]

    def read(self, files: "list[str]") -> None:
        """Take what stands in files of instructions, and in those that they include."""
        for file in files:
            text = _text(file)
            included = [
                os.path.join(os.path.dirname(file), os.path.expanduser(name)) for name in _INCLUDED.findall(text)
            ]
            self._texts += [letters(part) for part in (text, *map(_text, included)) if part]

    def holds(self, memory: InjectedMemory) -> bool:
        """Say whether a memory stands there already, at least as fully as it would be shown."""
        if memory.handle in self._handles and self._handles[memory.handle] >= (memory.is_sure or bool(memory.who)):
            return True
        words = letters(memory.text)
        return len(words) >= _SHORTEST and any(words in text for text in self._texts)

    def was_said_here(self, key: str, moment_s: float) -> bool:
        """Say whether a turn (its key, and when its conversation began) is of this session and still in the context."""
        return bool(self.session) and f"/{self.session}#" in key and moment_s >= self.since_s

    def is_here(self, session: str, moment_s: float) -> bool:
        """Say whether a message of a session is of this one and still in the context."""
        return bool(self.session) and session == self.session and moment_s >= self.since_s

    def keep(self, event: str, injection: Injection, at_s: float, *, stays: bool = True, **more: object) -> None:
        """Keep what was injected now; whether it `stays` in the context behind this prompt.

        Errors of the file system are ignored: the next prompt repeats it at worst.
        """
        if not self.session:
            return
        was_begun, self.is_begun = self.is_begun, self.is_begun or (stays and event == SESSION_START)
        if not injection.text:
            if self.is_begun != was_begun:
                self._write(self.since_s, None)
            return
        if stays:
            self._injected.append(injection.text)
            self._handles |= {m.handle: m.is_sure or bool(m.who) for m in injection.memories if m.handle}
        while sum(map(len, self._injected)) > _MOST_CHARS:
            del self._injected[0]
        last = {
            "at": at_s, "event": event, "text": injection.text, "tokens": injection.tokens,
            "memories": [memory.fields() for memory in injection.memories], **more,
        }  # fmt: skip
        self._write(self.since_s, last)

    def empty(self, at_s: float) -> None:
        """Forget what was injected: the context was compacted, or began anew."""
        self._injected, self._handles, self.is_begun = [], {}, False
        if self.session:
            self._write(at_s, None)

    def _write(self, since_s: float, last: "dict[str, Any] | None") -> None:
        before = _read(self._file)
        earlier = _of(list, before.get("earlier"))
        if last and isinstance(before.get("last"), dict):
            earlier = _bounded([before["last"], *earlier])
        row = {
            "agent": self.agent, "session": self.session, "since": since_s, "injected": self._injected,
            "handles": self._handles, "begun": self.is_begun, "last": last or before.get("last"), "earlier": earlier,
        }  # fmt: skip
        try:
            is_new = not os.path.exists(self._file)
            fs.replace_private(self._file, json.dumps(row, ensure_ascii=False).encode("utf-8", "backslashreplace"))
            if is_new:
                _prune(os.path.dirname(self._file))
        except OSError:
            return


def session_file(home: str, agent: str, session: str) -> str:
    """Return where a session is kept; its identifier may be anything, so its name is a sum."""
    data = f"{agent}\0{session}".encode("utf-8", "surrogatepass")
    return os.path.join(home, FOLDER, f"{zlib.crc32(data):08x}{zlib.adler32(data):08x}.json")


def sessions(home: str) -> "list[dict[str, Any]]":
    """Return what is kept of every session, the one with the last injection first."""
    folder = os.path.join(home, FOLDER)
    names = os.listdir(folder) if os.path.isdir(folder) else []
    rows = [row for name in names if (row := _read(os.path.join(folder, name))).get("last")]
    return sorted(rows, key=lambda row: -float(row["last"].get("at", 0)))


def _bounded(earlier: "list[dict[str, Any]]") -> "list[dict[str, Any]]":
    """Return the newest injections, as many as are kept."""
    kept, chars = [], 0
    for one in earlier[:_MOST_EARLIER]:
        chars += len(str(one.get("text", "")))
        if chars > _MOST_EARLIER_CHARS:
            break
        kept.append(one)
    return kept


def _of(kind: "type[Any]", value: object) -> "Any":  # noqa: ANN401 - of that kind
    return value if isinstance(value, kind) else kind()


def _read(file: str) -> "dict[str, Any]":
    try:
        with open(file, encoding="utf-8") as opened:
            row = json.load(opened)
    except (OSError, ValueError):
        return {}
    return row if isinstance(row, dict) else {}


def _text(file: str) -> str:
    try:
        with open(file, "rb") as opened:
            return opened.read(_MOST_FILE_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def letters(text: str) -> str:
    """Return the letters and digits of a text: neither wrapping nor marks nor escapes make another text of it."""
    return _NO_WORD.sub("", visible(text).casefold())


def _prune(folder: str) -> None:
    """Remove the files of sessions that were not used for longest."""
    files = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".json")]
    if len(files) > _MOST_SESSIONS:
        files.sort(key=os.path.getmtime)
        for file in files[: len(files) - _MOST_SESSIONS]:
            os.unlink(file)
