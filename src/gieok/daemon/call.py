"""A call of an operation as it travels to the daemon, and its answer back.

The prompt hook calls too: standard library, and none of it that is slow to import.
"""

from collections import namedtuple
from collections.abc import Callable, Mapping

from gieok import __version__
from gieok.daemon import wire
from gieok.errors import TRACEBACK_VARIABLE, GieokError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

#: Variables that libraries read of the whole process: a caller with others there answers itself.
_OF_THE_PROCESS = ("HOME", "TZ", "SUDO_UID")
_PREFIXES = ("PG", "SSL_CERT_", "GIT_")


#: Asks nothing that is injected anywhere, but opens the store and the model.
WAKING = "gieok, what is remembered?"
_WAKE_S = 0.2
#: The share of the time left that the daemon may take, and that it may spend on questions: words
#: must still fit in.
_DAEMONS_SHARE = 0.7
#: The surface of the prompt hook, which is on no operation's list: it calls one, and what that uses
#: is the daemon's own.
HOOK = "hook"


class DaemonCall(
    namedtuple(  # noqa: PYI024 - `typing` is slow
        "Call",
        "operation values surface folder environment flags lang text_lang colour verbatim",
        defaults=({}, "en", "", False, False),
    )
):
    """What is asked, and by whom: `values` are the operation's parameters; the rest as in `ops.run`
    and `Caller`.

    `lang` is the interface language where the settings leave it open, `text_lang` that of the text
    ('': as in the settings).
    """

    __slots__ = ()


class DaemonLost(GieokError):
    """The daemon ended, or could not be understood, after it began a call that writes."""

    code = "error"
    hint = "look whether it was done before you repeat it; `gieok logs` shows why the daemon ended"


def ask_daemon(
    home: "Path | str",
    call: DaemonCall,
    *,
    writes: bool,
    say: Callable[[str], None] = lambda line: None,
    tell: Callable[[str], None] = lambda line: None,
    within_s: float = 0,
) -> "dict[str, Any] | None":
    """Return the daemon's answer (`ops.run.Answer` by name); None where the caller answers itself.

    That is where no daemon runs, it is of another version, it is busy, it ended in the middle of a
    call that only reads, or did not answer within so many seconds (0: it may take its time). `say`
    and `tell` as in `Context`. Raises DaemonLost.
    """
    to = wire.address(home)
    if to is None or to.version != __version__ or call.environment.get(TRACEBACK_VARIABLE):
        return None
    has_begun = False
    try:
        for row in wire.converse(to, {"do": "call", **call._asdict()}, within_s):
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
            raise DaemonLost(
                f"the daemon ended in the middle of {call.operation!r}: {error}"
            ) from error
    return None


def ask_prompt(
    home: "Path | str",
    prompt: str,
    scopes: "list[str]",
    folder: str,
    environment: Mapping[str, str],
    left_s: float,
    agent: str = "",
    session: str = "",
) -> "dict[str, Any] | None":
    """Return what the daemon puts before a prompt (`ops.prompt.recall` as JSON); None where it does
    not say so in time.

    `left_s` is what the hook has left, of which words must still have some.
    """
    within_s = _DAEMONS_SHARE * left_s
    if within_s <= 0:
        return None
    values = {
        "prompt": [prompt],
        "agent": agent,
        "session": session,
        "scopes": ",".join(scopes),
        "within_ms": max(1, int(_DAEMONS_SHARE * 1000 * within_s)),
    }
    answer = ask_daemon(
        home,
        DaemonCall("recall", values, HOOK, folder, environment),
        writes=False,
        within_s=within_s,
    )
    found: dict[str, Any] | None = answer["data"] if answer and not answer["failure"] else None
    return found


def wake(home: "Path | str", environment: Mapping[str, str], folder: str) -> bool:
    """Let the daemon open what a recall needs, without waiting for it; False where none of this
    version answers.
    """
    to = wire.address(home)
    if to is None or to.version != __version__:
        return False
    asked = DaemonCall("recall", {"prompt": [WAKING]}, HOOK, folder, environment)
    try:
        next(wire.converse(to, {"do": "call", **asked._asdict()}, _WAKE_S))
    except (OSError, ValueError):
        return False
    return True


def is_answerable_for(call: DaemonCall, ours: Mapping[str, str]) -> bool:
    """Say whether a process may answer for a caller: what is read of the process's own environment
    is the same.

    A hook runs where the agent does, which sets proxies and variables of Git that no recall uses:
    user and zone are enough.
    """
    prefixes = () if call.surface == HOOK else _PREFIXES
    return _of_the_process(call.environment, prefixes) == _of_the_process(ours, prefixes)


def _of_the_process(environment: Mapping[str, str], prefixes: tuple[str, ...]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if name in _OF_THE_PROCESS
        or (prefixes and (name.startswith(prefixes) or name.lower().endswith("_proxy")))
    }
