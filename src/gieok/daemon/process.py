"""The daemon's process: threads that follow files, observe and answer, until it is stopped.

Nothing is lost when the process is killed: every step is a transaction of the journal, and the next
start goes on from there.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

import gieok
from gieok import fs, paths
from gieok.commands.home import jobs
from gieok.daemon import child
from gieok.daemon.answers import answering, warm_resident
from gieok.daemon.board import Board
from gieok.daemon.http_child import Serving
from gieok.daemon.memory import MemoryFiles
from gieok.daemon.projects import Projects
from gieok.daemon.schedules import Schedules
from gieok.daemon.seeds import Seeds
from gieok.daemon.server import Server
from gieok.daemon.transcripts import Transcripts
from gieok.errors import BadConfig, GieokError
from gieok.flow.lifecycle import fill_lines, fill_vectors
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.home.resident import Resident
from gieok.ports.store import LineSearch, Store, VectorSearch
from gieok.process_zone import set_process_zone
from gieok.processes import autostart, wire
from gieok.processes.child import run_in_child
from gieok.settings.values import load_effective_settings

_TICK_S = 1
_DRAIN_S = 4.0
#: The embedder takes 75 MB, and a scope of 100,000 passages as much; both are loaded in less than
#: half a second.
_IDLE_S = 1800.0
#: Up to so many passages, a few seconds of conversation, are embedded in this process; a child
#: process takes .7 s of CPU to begin.
_LITTLE = 64
#: How long after vectors could not be made anew it is tried again.
_UPGRADE_AGAIN = timedelta(hours=1)
#: Settings that each prompt reads, and those among them that parts of the process read too.
_OF_PROMPTS, _OF_CAPTURE = "hook.", ("hook.action",)
#: After so many seconds without a message, lasting memories are judged.
_QUIET_S = 20.0
#: How long nothing is looked for where nothing waits.
_LOOK_AGAIN_S = 30.0


def main() -> int:
    """Run the daemon until a signal or a client ends it; return the exit status.

    The status is 0 also where another daemon runs already.
    """
    home = paths.locate_home()
    is_idle = autostart.IDLE in sys.argv
    if is_idle and not home.is_dir():  # it was erased meanwhile, and the lock would make it again
        return 0
    with fs.exclusive(wire.find_daemon_lock(home), wait=False) as is_alone:
        # A daemon that a session start began may reach the lock after `gieok down`.
        if not is_alone or (is_idle and autostart.is_kept_down(str(home))):
            return 0
        settings = load_effective_settings({}, troubles=[])
        fs.rotate_log_file(
            paths.locate_daemon_log(home),
            1_000_000 * settings.number("logs.max_mb"),
            settings.integer("logs.keep"),
        )
        os.chdir(home)  # a session start leaves us in the agent's folder
        service = DaemonProcess(home)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: service.end())
        return service.run()


def load_process_settings() -> Mapping[str, object] | None:
    """Return the settings for which the process starts anew; None while one of them is wrong.

    With None the former settings stay in force. Each prompt reads its own settings, so that a
    folder that is kept out of prompts does not take the pages away meanwhile.
    """
    try:
        settings = load_effective_settings({}).values
    except BadConfig:
        return None
    return {
        name: setting
        for name, setting in settings.items()
        if name in _OF_CAPTURE or not name.startswith(_OF_PROMPTS)
    }


class DaemonProcess:
    """The daemon's parts, each in its own thread."""

    def __init__(self, home: Path) -> None:
        self.board = Board()
        self._home = home
        self._resident = Resident(follows=True)
        #: Read before the call is opened, so that settings that change meanwhile count as a
        #: change.
        self._settings = load_process_settings()
        self._is_renewed = False
        self._call = open_call({}, wait=self.board.stop.wait)
        set_process_zone(self._call.home.settings.text("zone"))
        self._serving = Serving(home, self._opened, self.board)
        #: Set when passages may wait for their vectors.
        self._unembedded = threading.Event()
        self._upgrade_at: datetime | None = None

    def run(self) -> int:
        """Start the parts, wait for the end, and finish running calls."""
        board, call = self.board, self._call
        started = call.clock.now().isoformat(timespec="seconds")
        listening, address = wire.listen(self._home, started, gieok.__version__)
        server = Server(listening, address.token, self._control, board.touch)
        transcripts = Transcripts(call, board, self._unembedded.set)
        memory = MemoryFiles(call, board, self._unembedded.set)
        board.say(f"gieok {gieok.__version__} started, process {os.getpid()}")
        # Started before the slow parts, so that a prompt that comes now is answered by meaning.
        board.start("warm", self._warm)
        parts = [
            board.start("capture", transcripts.follow),
            board.start("memory", memory.follow),
            board.start("turns", transcripts.derive),
            board.start("observe", transcripts.observe),
            board.start("vectors", self._keep_vectors),
            board.start("code", Projects(call, board).keep),
            board.start("seeds", Seeds(call, board, self._unembedded.set).keep),
            board.start("schedules", Schedules(self._opened, board).keep),
            board.start(
                "validation",
                Schedules(self._opened, board, jobs.LONG_JOBS, part="validation").follow,
            ),
        ]
        parts.append(board.start("serving", self._serving.keep))
        is_configured = call.home.settings.flag("serve.with_daemon")
        if is_configured or self._serving.was_wanted():
            self._serving.want(is_configured=is_configured)
        board.start("answer", lambda: server.serve(answering(self._resident)))
        idle_s = (
            3600 * self._call.home.settings.number("daemon.idle_hours")
            if autostart.IDLE in sys.argv
            else 0.0
        )
        while not board.stop.wait(_TICK_S):
            if self._resident.release(_IDLE_S):
                board.note("model", "let go: nobody asked for half an hour")
            if idle_s and board.idle_s > idle_s:
                board.say("nobody needs this process: ended")
                board.stop.set()
            if load_process_settings() not in (self._settings, None):
                self._is_renewed = True
                board.say("the settings changed: starting anew")
                board.stop.set()
        transcripts.wake()
        self._serving.wake()
        self._unembedded.set()
        deadline = time.monotonic() + _DRAIN_S
        server.drain(_DRAIN_S)
        for part in parts:
            part.join(max(deadline - time.monotonic(), 0))
        listening.close()
        wire.remove_daemon_address(self._home)
        board.say("stopped")
        # A model may still be answering: its answer is not needed, and every transaction is whole.
        sys.stdout.flush()
        if self._is_renewed:
            wire.mark_renewal(self._home)
            # Restart this very program.
            os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606
        os._exit(0)

    def _warm(self) -> None:
        try:
            if warm_resident(self._resident, self._home):
                self.board.note("model", "loaded")
        # if a model cannot be loaded or a store is not reachable, prompts report it
        except GieokError as error:
            self.board.say(f"not everything is open for the first prompt: {error}")

    def end(self) -> None:
        """End for good, also where the process is about to restart itself."""
        self._is_renewed = False
        self.board.stop.set()

    def _opened(self) -> Call:
        """Return a call with the current settings and keys."""
        return open_call({}, resident=self._resident, wait=self.board.stop.wait)

    def _keep_vectors(self) -> None:
        """Make vectors whenever passages wait, in a separate thread.

        Embedding everything on the disk may take minutes.
        """
        home, board = self._call.home, self.board
        store, is_new = home.store, True
        while (
            home.embedder_name != "none"
            and isinstance(store, VectorSearch)
            and not board.stop.is_set()
        ):
            self._unembedded.clear()
            waiting = sum(map(store.waiting, store.scopes()))
            is_upgrade = self._has_earlier_vectors()
            if waiting or is_upgrade:
                board.note(
                    "vectors",
                    "made anew for a newer model" if is_upgrade else f"{waiting:,} passages wait",
                )
                is_much = is_upgrade or waiting > _LITTLE or _wait_many_lines(store)
                self._embed(store, is_little=not is_much)
            has_failed = is_upgrade and self._has_earlier_vectors()
            if has_failed:  # the log says why; every message would begin it again
                self._upgrade_at = self._call.clock.now() + _UPGRADE_AGAIN
            board.note("vectors", "of an earlier release" if has_failed else "up to date")
            is_new = is_new or bool(waiting) or is_upgrade
            if not is_new:
                self._await_passages(store)
                continue
            if self._unembedded.wait(_QUIET_S):
                continue
            # New messages come every few seconds; judging which last is only needed by the next
            # session.
            is_new = self._settle(store)

    def _await_passages(self, store: Store) -> None:
        """Wait for something to embed: what a command of another process wrote tells nobody."""
        while not self._unembedded.wait(_LOOK_AGAIN_S):
            if isinstance(store, VectorSearch) and any(map(store.waiting, store.scopes())):
                return

    def _has_earlier_vectors(self) -> bool:
        """Say whether the vectors are of an earlier release of the model, to be made anew now."""
        if self._upgrade_at and self._call.clock.now() < self._upgrade_at:
            return False
        embedder = self._opened().home.open_embedder()
        try:
            return embedder is not None and embedder.is_upgrade
        except GieokError:  # what embeds says so
            return False

    def _settle(self, store: Store) -> bool:
        """Judge which memories last, and which older ones they replace; return whether more
        wait.
        """
        rewrite = self._call.home.sidecar.write_active_memory
        return self._opened().home.settle_statements(rewrite, store)

    def _embed(self, store: VectorSearch, *, is_little: bool) -> None:
        """Embed the waiting passages.

        A few turns are embedded with the model that searches use; more in a child process, whose
        memory is freed at its end.
        """
        embedder = self._opened().home.open_embedder() if is_little else None
        if embedder is not None:
            while not self.board.stop.is_set() and fill_vectors(store, embedder, batches=1):
                pass
            while not self.board.stop.is_set() and fill_lines(store, embedder, batches=1):
                pass
        elif message := run_in_child(
            self._home, self.board.stop.is_set, child.embed_missing_vectors
        ):
            self.board.say(message)

    def _control(self, what: str) -> Mapping[str, object]:
        if what == "stop":
            self.end()
        elif what == "serve":
            self._serving.want()
        return {"ok": True, "parts": self.board.parts}


def _wait_many_lines(store: object) -> bool:
    """Say whether more lines wait for vectors than a process with prompts to answer embeds."""
    return isinstance(store, LineSearch) and len(store.missing_lines(_LITTLE + 1)) > _LITTLE
