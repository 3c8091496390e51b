"""What the hook leaves behind: a line a failure, a line a call (counters), a file a transcript that waits to be read.

All of it local, private (0600), and without a word of any prompt or memory.
"""

import json
import os
import time
import zlib

_LOG_BYTES = 1_000_000
_COUNTER_BYTES = 8_000_000
_LINE_CHARS = 20_000


def log(home: str, line: str) -> None:
    """Append one line to the log; a full disk or a missing home is nobody's business here."""
    try:
        line = _without_secrets(" ".join(line[:_LINE_CHARS].split()))[:500]
        _append(os.path.join(home, "logs", "hook.log"), f"{_now()} {line}\n", _LOG_BYTES)
    except OSError:
        pass


def count(home: str, row: dict[str, object]) -> None:
    """Append one call's counters: event, agent, session, levels, milliseconds."""
    session = str(row.get("session", ""))
    if session.strip("0123456789abcdef-"):  # no id as agents make them: it only has to be told from others
        row = {**row, "session": f"{zlib.crc32(session.encode('utf-8', 'replace')):08x}"}
    try:
        text = json.dumps({"at": round(time.time() * 1000), **row}, ensure_ascii=False) + "\n"
        _append(os.path.join(home, "hook", "calls.jsonl"), text, _COUNTER_BYTES)
    except OSError:
        pass


def _without_secrets(line: str) -> str:
    try:
        from gieok.text.redact import redact  # few calls have anything to log
    except ImportError:  # the hook may run as somebody who cannot read it: what failed is told, and not with what
        return ": ".join(line.split(": ")[:2])
    return redact(line)


def _append(file: str, text: str, most_bytes: int) -> None:
    """Append in one write, so that processes never mix their lines; a file that is too large becomes the old one."""
    _private_folder(os.path.dirname(file))
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(handle, text.encode("utf-8", "backslashreplace"))
        large = os.fstat(handle).st_size > most_bytes
    finally:
        os.close(handle)
    if large:
        os.replace(file, file + ".1")


def spool(home: str, row: dict[str, object]) -> str:
    """Keep one small file that says which transcript waits to be observed, durably; return its path. Raises OSError.

    It is written under another name, synced, and renamed, so that a reader never sees half of it. The reader removes it
    once the journal holds what it points to.
    """
    folder = os.path.join(home, "spool")
    _private_folder(folder)
    name = f"{time.time_ns():020d}-{os.getpid()}.json"
    file, partial = os.path.join(folder, name), os.path.join(folder, f".{name}.tmp")
    handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(handle, json.dumps({**row, "at": _now()}, ensure_ascii=False).encode("utf-8", "backslashreplace"))
        os.fsync(handle)
    finally:
        os.close(handle)
    os.replace(partial, file)
    return file


def _private_folder(folder: str) -> None:
    """Make a folder and those above it, each 0700: `makedirs` would give the mode to the last one only."""
    if not os.path.isdir(folder):
        _private_folder(os.path.dirname(folder))
        try:  # noqa: SIM105 - see log
            os.mkdir(folder, 0o700)
        except FileExistsError:  # another process was faster
            pass


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
