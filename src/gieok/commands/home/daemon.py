"""`gieok up` and `gieok down`: the daemon, the one process that keeps memory up to date."""

from dataclasses import dataclass
from datetime import datetime

from gieok.commands.command import Effect, Style, command
from gieok.commands.encode import Hidden, mark_encoded_getter
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.processes.client import Daemon
from gieok.text.messages import Words


@dataclass(frozen=True, slots=True)
class UpResult:
    """Running daemon, and whether this call started it."""

    pid: int
    started: bool
    #: Start time of the daemon, in ISO format.
    since: str
    found: Hidden[bool] = True


def render_daemon_start(result: UpResult, style: Style) -> str:
    """Say that the daemon runs."""
    pid, since = result.pid, _format_wall_time(result.since)
    if result.started:
        return style.say("started (process {pid})", pid=pid)
    return style.say("runs already (process {pid}, since {since})", pid=pid, since=since)


def _format_wall_time(moment: str) -> str:
    """Return an ISO time as local clock time; '' and other texts stay unchanged."""
    try:
        return f"{datetime.fromisoformat(moment).astimezone():%Y-%m-%d %H:%M}"
    except ValueError:
        return moment


@command(
    "up",
    Words("Start the daemon, which keeps memory up to date"),
    present=render_daemon_start,
    examples=("gieok up",),
    effect=Effect.WRITE,
)
def start_home_daemon(call: Call) -> UpResult:
    """Start the daemon unless it runs already."""
    running, started = _require_daemon_control(call).start()
    return UpResult(running.pid, started, running.started_at)


def _require_daemon_control(call: Call) -> Daemon:
    if call.home.daemon is None:
        raise BadRequest(
            "this process cannot start or stop a daemon", hint="run `gieok up` on the command line"
        )
    return call.home.daemon


@dataclass(frozen=True, slots=True)
class DownResult:
    """Whether a daemon ran."""

    found: Hidden[bool]

    @property
    @mark_encoded_getter
    def stopped(self) -> bool:
        """Say whether a daemon ran."""
        return self.found


def render_daemon_stop(result: DownResult, style: Style) -> str:
    """Say that the daemon has stopped."""
    words = Words("stopped") if result.found else Words("no daemon runs")
    return words.say(style.lang)


@command(
    "down",
    Words("Stop the daemon"),
    present=render_daemon_stop,
    examples=("gieok down",),
    effect=Effect.WRITE,
)
def stop_home_daemon(call: Call) -> DownResult:
    """Stop the daemon."""
    return DownResult(_require_daemon_control(call).stop())
