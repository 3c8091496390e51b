"""What the hook writes: a log line per failure, a line of counters per call, a file per transcript
that waits to be read.

All of it local, private (0600), and without a word of any prompt or memory.
"""

import json
import os
import time
import zlib

from gieok import fs

_LOG_BYTES = 1_000_000
_COUNTER_BYTES = 8_000_000
_LINE_CHARS = 20_000


def log_hook_line(home: str, line: str) -> None:
    """Append one line to the log; errors of the file system are ignored, because the hook fails
    open.
    """
    try:
        line = _without_secrets(" ".join(line[:_LINE_CHARS].split()))[:500]
        fs.append_private_text(
            os.path.join(home, "logs", "hook.log"), f"{_format_trail_time()} {line}\n", _LOG_BYTES
        )
    except OSError:
        pass


def count_hook_call(home: str, row: dict[str, object]) -> None:
    """Append one call's counters: event, agent, session, levels, milliseconds."""
    session = str(row.get("session", ""))
    # no id as agents make them: it only has to be told from others
    if session.strip("0123456789abcdef-"):
        row = {**row, "session": f"{zlib.crc32(session.encode('utf-8', 'replace')):08x}"}
    try:
        text = json.dumps({"at": round(time.time() * 1000), **row}, ensure_ascii=False) + "\n"
        fs.append_private_text(os.path.join(home, "hook", "calls.jsonl"), text, _COUNTER_BYTES)
    except OSError:
        pass


def _without_secrets(line: str) -> str:
    try:
        from gieok.text.redact import redact  # few calls have anything to log
    # the hook may run as somebody who cannot read it: what failed is told, and not with what
    except ImportError:
        return ": ".join(line.split(": ")[:2])
    return redact(line)


def spool_transcript(home: str, row: dict[str, object]) -> str:
    """Keep one small file that says which transcript waits to be observed, durably; return its
    path. Raises OSError.

    The reader removes it once the journal holds what it points to.
    """
    file = os.path.join(home, "spool", f"{time.time_ns():020d}-{os.getpid()}.json")
    text = json.dumps({**row, "at": _format_trail_time()}, ensure_ascii=False)
    fs.replace_private(file, text.encode("utf-8", "backslashreplace"))
    return file


def _format_trail_time() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
