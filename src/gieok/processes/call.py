"""A call of an operation as it is sent to the daemon, and the answer.

The prompt hook imports this module: standard library, and only modules that import fast.
"""

from collections import namedtuple
from collections.abc import Callable, Mapping

from gieok import __version__
from gieok.errors import TRACEBACK_VARIABLE, GieokError
from gieok.processes import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

#: Variables that libraries read from the whole process: a caller with other values answers itself.
_OF_THE_PROCESS = ("HOME", "TZ", "SUDO_UID")
_PREFIXES = ("PG", "SSL_CERT_", "GIT_")


#: A prompt whose answer is not used, but which opens the store and the model.
WAKING = "gieok, what is remembered?"
_WAKE_S = 0.2
#: The share of the remaining time that the daemon may use, also for questions: keyword search must
#: still fit into the rest.
_DAEMONS_SHARE = 0.7
#: The surface of the prompt hook. No operation lists it: the hook calls one operation, and what the
#: operation reads of the process is the daemon's own.
HOOK = "hook"


class DaemonCall(
    namedtuple(  # noqa: PYI024 - `typing` is slow
        "Call",
        "operation values surface folder environment flags lang text_lang colour verbatim",
        defaults=({}, "en", "", False, False),
    )
):
    """A call with its caller: `values` are the operation's parameters.

    The other fields are as in `commands.run` and `Caller`. `lang` is the interface language where
    the settings leave it open, `text_lang` the language of the text ('': as in the settings).
    """

    __slots__ = ()


class DaemonLost(GieokError):
    """Error where the daemon ended, or its answer was invalid, after it began a call that
    writes.
    """

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
    """Return the daemon's answer (`commands.run.OperationAnswer` by name), or None.

    With None the caller answers itself: no daemon runs, it has another version, it is busy, it
    ended in the middle of a call that only reads, or it did not answer within `within_s` seconds
    (0: no limit). `say` and `tell` as in `Call`. Raises DaemonLost.
    """
    to = _find_daemon(home)
    if to is None or call.environment.get(TRACEBACK_VARIABLE):
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
                "the daemon ended in the middle of {operation!r}: {error}",
                operation=call.operation,
                error=error,
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
    """Return the text that the daemon puts before a prompt, as JSON; None where it is too late.

    The JSON is that of `commands.prompt.recall`. `left_s` are the seconds that the hook has left;
    a part of them must remain for keyword search.
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
        # A copy: `os.environ` is no JSON.
        DaemonCall("recall", values, HOOK, folder, dict(environment)),
        writes=False,
        within_s=within_s,
    )
    data: dict[str, Any] | None = answer["data"] if answer and not answer["failure"] else None
    return data


# A `namedtuple`, because importing `typing` is slow.
class JudgedUse(namedtuple("JudgedUse", "handle outcome chance")):  # noqa: PYI024
    """Rule that a tool's use breaks by its sense, by its handle; what it does, and how surely."""

    __slots__ = ()


def ask_rules(
    home: "Path | str",
    use: Mapping[str, object],
    handles: "list[str]",
    folder: str,
    environment: Mapping[str, str],
    within_s: float,
) -> list[JudgedUse] | None:
    """Return the rules that a tool's use breaks by its sense, the strongest first.

    `use` are parameters of `rules try`, `folder` is where the tool runs. None where no daemon
    answers in time, or does not judge.
    """
    values = {**use, "among": ",".join(handles)}
    answer = ask_daemon(
        home,
        DaemonCall(
            operation="rules try",
            values=values,
            surface=HOOK,
            folder=folder,
            environment=dict(environment),
        ),
        writes=False,
        within_s=within_s,
    )
    if not answer or answer["failure"] or answer["data"].get("withheld"):
        return None
    rows = [answer["data"], *(answer["data"].get("also") or ())]
    return [
        JudgedUse(row["handle"], row["outcome"], float(row.get("sureness") or 1.0))
        for row in rows
        if row.get("handle")
    ]


def wake(home: "Path | str", environment: Mapping[str, str], folder: str) -> bool:
    """Let the daemon open the store and the model that a recall needs, without waiting.

    Returns False where no daemon of this version answers.
    """
    to = _find_daemon(home)
    if to is None:
        return False
    call = DaemonCall("recall", {"prompt": [WAKING]}, HOOK, folder, dict(environment))
    try:
        next(wire.converse(to, {"do": "call", **call._asdict()}, _WAKE_S))
    except (OSError, ValueError):
        return False
    return True


def is_daemon_listening(home: "Path | str") -> bool:
    """Return whether a daemon of this version listens, whether or not it answers in time."""
    to = _find_daemon(home)
    return to is not None and wire.is_listening(to, _WAKE_S)


def _find_daemon(home: "Path | str") -> wire.DaemonAddress | None:
    """Return where a daemon of this version answers; None where there is none."""
    to = wire.address(home)
    return to if to is not None and to.version == __version__ else None


def is_answerable_for(call: DaemonCall, ours: Mapping[str, str]) -> bool:
    """Return whether this process may answer for a caller.

    It may where the variables that libraries read from the environment of the whole process are
    equal. For a hook, user and zone are enough: a hook runs in the environment of the agent, which
    sets proxies and variables of Git that no recall uses.
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
