"""The daemon's process: threads that capture, observe, sync code and answer, until it is told to stop.

Nothing is lost when it is killed: every step is a transaction of the journal, and the next start goes on from there.
"""

import contextlib
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path

import gieok
from gieok import fs, paths, places
from gieok.app import open_context
from gieok.app.code import ignored_in
from gieok.capabilities.code.index import watched
from gieok.capabilities.code.model import layout
from gieok.capabilities.observe.notes import Mirrored
from gieok.capabilities.observe.sidecar import Sidecar
from gieok.daemon import wire
from gieok.errors import GieokError
from gieok.model.memory import Scope
from gieok.ops import operation
from gieok.ops.code.watch import relevant
from gieok.ops.context import Context
from gieok.ops.encode import encode
from gieok.ports.store import VectorSearch
from gieok.text.redact import redact

#: Between a change of a transcript and reading it; short, because a line costs less than a millisecond to take.
_DEBOUNCE_MS = 60
_TICK_S = 1
#: New folders (an agent that was just installed) and what events did not tell are found within this time.
_IDLE_CHECK_S = 60
_DRAIN_S = 4.0
_LONGEST_PAUSE_S = 300.0
_MOST_LOG_BYTES = 5_000_000


def main() -> int:
    """Run until a signal or a client ends it; 0 also where another daemon runs already."""
    home = paths.home()
    with fs.exclusive(wire.lock_file(home), wait=False) as is_alone:
        if not is_alone:
            return 0
        fs.rotate(paths.log(home), _MOST_LOG_BYTES)
        service = DaemonProcess(home)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: service.stop.set())
        return service.run()


class DaemonProcess:
    """The threads, and what they tell each other."""

    def __init__(self, home: Path) -> None:
        self.stop = threading.Event()
        self._home = home
        self._wake = threading.Event()
        self._ended: set[Scope] = set()
        self._lock = threading.Lock()
        self._parts: dict[str, str] = {}
        self._roots: list[Path] = []
        #: One project at a time: linking takes a processor and memory.
        self._syncing = threading.Lock()

    def run(self) -> int:
        """Start everything, wait for the end, and let what runs come to one."""
        context = open_context({}, wait=self.stop.wait)
        started = context.clock.now().isoformat(timespec="seconds")
        server, _ = wire.listen(self._home, started, gieok.__version__)
        self._say(f"gieok {gieok.__version__} started, process {os.getpid()}")
        threads = [
            threading.Thread(target=self._guarded, args=(name, work), name=name, daemon=True)
            for name, work in (
                ("capture", lambda: self._capture(context)),
                ("observe", lambda: self._observe(context)),
                ("code", lambda: self._code(context)),
                ("answer", lambda: self._answer(server)),
            )
        ]
        for thread in threads:
            thread.start()
        while not self.stop.wait(_TICK_S):
            pass
        self._wake.set()
        deadline = time.monotonic() + _DRAIN_S
        for thread in threads[:-1]:
            thread.join(max(deadline - time.monotonic(), 0))
        server.close()
        wire.forget(self._home)
        self._say("stopped")
        # A model may still be answering: what it says is not needed, and every transaction is whole.
        sys.stdout.flush()
        os._exit(0)

    def _guarded(self, name: str, work: Callable[[], None]) -> None:
        """Run a part again when it fails: a full disk or a locked file must not stop the rest, or this part for ever."""
        pause_s = 1.0
        while not self.stop.is_set():
            try:
                work()
            except Exception as error:  # noqa: BLE001 - the daemon's own loop
                self._note(name, f"failed: {error}")
                self._say(f"{name} failed: {type(error).__name__}: {error}")
                self.stop.wait(pause_s)
                pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)
            else:
                return

    # Capture

    def _capture(self, context: Context) -> None:
        sidecar = context.observe.sidecar()
        fs.make_private(sidecar.spool)
        while not self.stop.is_set():
            self._look(sidecar)
            folders = sidecar.watched()
            self._note("capture", f"watching {len(folders)} folders")
            self._follow(context, [*folders, sidecar.spool])

    def _look(self, sidecar: Sidecar) -> None:
        """Take everything that is new, wherever it is."""
        self._take(sidecar.capture_all())
        self._ends(sidecar.capture_spool())
        self._tell(sidecar.mirror_notes())

    def _follow(self, context: Context, folders: list[Path]) -> None:
        """Take what changes; return after a while, or when the process is to stop, so that everything is looked at anew."""
        sidecar = context.observe.sidecar()
        ticks = 0
        for changed in context.admin.watching.open().changes(folders, _DEBOUNCE_MS, _TICK_S):
            if self.stop.is_set():
                return
            if not changed:
                ticks += 1
                if ticks == 1:
                    self._look(sidecar)  # what changed between the last look and the first event
                known = {*sidecar.watched(), sidecar.spool}
                if ticks >= context.admin.watching.rescan_s or (ticks % _IDLE_CHECK_S == 0 and known != set(folders)):
                    return
                continue
            self._take(sidecar.capture_paths(changed))
            self._tell(sidecar.mirror_notes(changed))
            if any(path.parent == sidecar.spool for path in changed):
                self._ends(sidecar.capture_spool())
            for path, reason in sidecar.capture.captured.troubles.items():
                self._note(path, reason)

    def _tell(self, mirrored: Mirrored | None) -> None:
        """Say what of the user's notes could not be mirrored."""
        if mirrored is None:
            return
        self._note("notes", "; ".join(f"{path}: {why}" for path, why in mirrored.troubles.items()) or "up to date")
        for path in mirrored.left:
            self._say(f"{path} was changed and is left alone")

    def _take(self, messages: int) -> None:
        if messages:
            self._wake.set()

    def _ends(self, scopes: set[Scope]) -> None:
        if scopes:
            with self._lock:
                self._ended |= scopes
            self._wake.set()

    # Observe

    def _observe(self, context: Context) -> None:
        while not self.stop.is_set():
            self._wake.clear()
            with self._lock:
                ended, self._ended = self._ended, set()
            done = sum(
                self._observe_scope(context, scope, scope in ended) for scope in context.memory.journal().scopes()
            )
            if done:
                self._embed(context)
                gc.collect()  # what a run held is large, and the next may be hours away
            waiting = "; ".join(incident.detail for incident in context.memory.journal().incidents())
            self._note("observe", f"waits: {waiting}" if waiting else "up to date")
            self._wake.wait(_IDLE_CHECK_S)

    def _observe_scope(self, context: Context, scope: Scope, ended: bool) -> int:
        sidecar = context.observe.sidecar()
        flush = ended or sidecar.is_idle(scope, timedelta(minutes=context.observe.idle_minutes))
        steps = 0
        while not self.stop.is_set() and sidecar.observe(scope, flush=flush) != "nothing":
            steps += 1
        if sidecar.reflect_if_due(scope) or steps or not sidecar.active_file(scope).exists():
            sidecar.write_active_memory(scope)
        return steps

    def _embed(self, context: Context) -> None:
        """Fill in vectors in a process that ends, because the embedder would keep 300 MB in this one."""
        store = context.memory.store()
        if context.memory.embedder_name == "none" or not isinstance(store, VectorSearch):
            return
        if not any(store.waiting(scope) for scope in context.memory.journal().scopes()):
            return
        if said := self._child("embed"):
            self._say(said)

    def _child(self, function: str, *arguments: str) -> str:
        """Run a function of this module in a process that ends, and return what it prints; it ends where we are to stop.

        It starts in the home folder and without `sys.path[0]`: a project's own files are never imported.
        """
        code = f"from gieok.daemon.process import {function}; {function}()"
        with subprocess.Popen(  # noqa: S603 - fixed program, no shell, functions of this module
            [sys.executable, "-P", "-c", code, *arguments],
            env=os.environ | {places.HOME_VARIABLE: str(self._home)},
            cwd=self._home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
        ) as child:
            while True:
                try:
                    return child.communicate(timeout=_TICK_S)[0].strip()
                except subprocess.TimeoutExpired:
                    if self.stop.is_set():
                        child.terminate()

    # Code

    def _code(self, context: Context) -> None:
        """Keep the projects that were handed over in line, each in a thread: a restless or broken one is its own trouble."""
        running: dict[Path, threading.Thread] = {}
        while not self.stop.is_set():
            self._roots = self._projects()
            for root in self._roots:
                if root not in running or not running[root].is_alive():
                    name, work = watched.part(root), partial(self._keep_in_line, context, root)
                    running[root] = threading.Thread(target=self._guarded, args=(name, work), name=name, daemon=True)
                    running[root].start()
            self._note("code", f"watching {len(self._roots)} projects")
            self.stop.wait(_TICK_S)
        for thread in running.values():
            thread.join()

    def _projects(self) -> list[Path]:
        """Return the projects to watch; one that is gone is dropped."""
        roots = watched.roots(self._home)
        for root in filter(_is_gone, list(roots)):
            watched.remove(self._home, root)
            roots.remove(root)
            self._say(f"{root} is not watched any more: it has no index, `gieok code init` makes one")
        return roots

    def _keep_in_line(self, context: Context, root: Path) -> None:
        """Sync a project once, and then what changes, as long as it is to be watched."""
        if root in self._roots:
            self._watch(context, root)
        with self._lock:
            self._parts.pop(watched.part(root), None)

    def _watch(self, context: Context, root: Path) -> None:
        is_due, quiet_s = True, 0
        # The first answer says that the events are on, so nothing falls between that and the first sync.
        for changed in context.admin.watching.open().changes([root], context.admin.watching.debounce_ms, _TICK_S):
            if self.stop.is_set() or root not in self._roots:
                return
            if is_due:
                self._note(watched.part(root), "watching")
            quiet_s += 0 if changed else _TICK_S
            is_rescan = not changed and quiet_s % context.admin.watching.rescan_s == 0
            if is_due or is_rescan or (changed and _concerns(root, changed)):
                with self._syncing:
                    self._sync(root)
                is_due = False

    def _sync(self, root: Path) -> None:
        """Sync a project in a process that ends, because linking one needs memory that would stay in this one."""
        if self.stop.is_set():
            return
        self._note(watched.part(root), "syncing")
        try:
            found = json.loads(self._child("sync", str(root)))
        except ValueError:
            if self.stop.is_set():
                return
            found = {"error": "the sync ended without an answer"}
        if error := found.get("error"):
            self._say(f"{root}: {error}")
            self._note(watched.part(root), f"failed: {error}")
            return
        note = f"; {found['note']}" if found["note"] else ""
        if count := found["added"] + found["changed"] + found["removed"]:
            self._say(f"{root}: {count} files synced in {found['ms']} ms{note}")
        self._note(watched.part(root), f"up to date {time.strftime('%Y-%m-%d %H:%M:%S')}{note}")

    # Answer

    def _answer(self, server: socket.socket) -> None:
        to = wire.address(self._home)
        while not self.stop.is_set():
            connection, _ = server.accept()
            with connection:
                connection.settimeout(wire.TIMEOUT_S)
                try:
                    row = wire.receive(connection)
                    if to and row.get("token") == to.token:
                        wire.send(connection, self._reply(str(row.get("do"))))
                except (OSError, ValueError):
                    continue

    def _reply(self, what: str) -> dict[str, object]:
        if what == "stop":
            self.stop.set()
        with self._lock:
            return {"ok": True, "parts": dict(self._parts)}

    def _note(self, part: str, text: str) -> None:
        with self._lock:
            self._parts[part] = text

    def _say(self, line: str) -> None:
        with contextlib.suppress(OSError):  # a full disk, a reader that left: no reason to stop
            print(time.strftime("%Y-%m-%d %H:%M:%S"), redact(line), flush=True)  # noqa: T201 - its output is the log


def _is_gone(root: Path) -> bool:
    try:
        layout.index_file(root).stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:  # it cannot be looked at, and may be there (`is_file` says no, of all of them from Python 3.14 on)
        return False
    return False


def _concerns(root: Path, changed: set[Path]) -> bool:
    """Say whether a change may be one of a project's code.

    The index is not opened for it: a connection that outlives its file would take the write-ahead log of the next one along.
    """
    try:
        return bool(relevant(root, changed, ignored_in(root)))
    except GieokError:  # the sync says why
        return True


def embed() -> None:
    """Fill in the vectors that are missing."""
    from gieok.engine.lifecycle import fill_vectors

    context = open_context({})
    store, embedder = context.memory.store(), context.memory.embedder()
    try:
        if embedder is not None and isinstance(store, VectorSearch):
            fill_vectors(store, embedder)
    except GieokError as error:
        print(redact(f"embedding failed: {error}"), flush=True)  # noqa: T201 - see _say


def sync() -> None:
    """Sync the project of the folder that is the first argument; print the result, or what went wrong."""
    try:
        os.chdir(sys.argv[1])
        found = operation("code sync")
        row = encode(found.handler(open_context({}), found.request(trigger="daemon")))
    except (GieokError, OSError) as error:
        hint = f" ({error.hint})" if isinstance(error, GieokError) and error.hint else ""
        row = {"error": f"{error}{hint}"}
    print(json.dumps(row), flush=True)  # noqa: T201 - for the process that started this one
