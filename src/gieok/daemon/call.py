"""A call of an operation as it travels to the daemon, and its answer back."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gieok import __version__
from gieok.daemon import wire
from gieok.errors import TRACEBACK_VARIABLE, GieokError

#: Variables that libraries read of the whole process: a caller with others there answers itself.
_OF_THE_PROCESS = ("HOME", "TZ", "SUDO_UID")
_PREFIXES = ("PG", "SSL_CERT_", "GIT_")


class Call(NamedTuple):
    """What is asked, and by whom: `values` are the operation's parameters; the rest as in `ops.run` and `Caller`."""

    operation: str
    values: Mapping[str, object]
    surface: str
    folder: str
    environment: Mapping[str, str]
    flags: Mapping[str, str] = {}
    #: Interface language where the settings leave it open.
    lang: str = "en"
    #: Language of the text; '' for that of the settings.
    text_lang: str = ""
    colour: bool = False
    verbatim: bool = False


class DaemonLost(GieokError):
    """The daemon ended, or could not be understood, after it began a call that writes."""

    code = "error"
    hint = "look whether it was done before you repeat it; `gieok logs` shows why the daemon ended"


def ask(
    home: Path, call: Call, *, writes: bool, say: Callable[[str], None], tell: Callable[[str], None]
) -> dict[str, Any] | None:
    """Return the daemon's answer (`ops.run.Answer` by name); None where the caller answers itself.

    That is where no daemon runs, it is of another version, it is busy, or it ended in the middle of a call that only reads.
    `say` and `tell` as in `Context`. Raises DaemonLost.
    """
    to = wire.address(home)
    if to is None or to.version != __version__ or call.environment.get(TRACEBACK_VARIABLE):
        return None
    has_begun = False
    try:
        for row in wire.converse(to, {"do": "call", **call._asdict()}):
            if "answer" in row:
                answer: dict[str, Any] | None = row["answer"]
                return answer
            has_begun = has_begun or bool(row.get("begun"))
            if "say" in row:
                say(row["say"])
            if "tell" in row:
                tell(row["tell"])
    except (OSError, ValueError) as error:
        if has_begun and writes:
            raise DaemonLost(f"the daemon ended in the middle of {call.operation!r}: {error}") from error
    return None


def is_of(environment: Mapping[str, str], ours: Mapping[str, str]) -> bool:
    """Say whether a process may answer for a caller: what is read of the process's own environment is the same."""
    return _of_the_process(environment) == _of_the_process(ours)


def _of_the_process(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if name in _OF_THE_PROCESS or name.startswith(_PREFIXES) or name.lower().endswith("_proxy")
    }
