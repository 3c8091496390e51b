"""Files that the hook writes: failure log, counters of calls, spooled transcripts.

The log has a line per failure, the counters a line per call, and each transcript that waits to be
observed has a file. All of it is local, private (0600), and without a word of any prompt or memory.
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
    """Append one line to the log.

    Errors of the file system are ignored, because the hook fails open.
    """
    try:
        line = _without_secrets(" ".join(line[:_LINE_CHARS].split()))[:500]
        fs.append_private_text(
            os.path.join(home, "logs", "hook.log"), f"{_format_trail_time()} {line}\n", _LOG_BYTES
        )
    except OSError:
        pass


def count_hook_call(home: str, row: dict[str, object], *, wait: bool = True) -> None:
    """Append one call's counters: event, agent, session, levels, milliseconds.

    With `wait` off, the call is not counted while the file is being rewritten.
    """
    session = str(row.get("session", ""))
    # no UUID as agents make them: the name only has to be unique
    if session.strip("0123456789abcdef-"):
        row = {**row, "session": f"{zlib.crc32(session.encode('utf-8', 'replace')):08x}"}
    try:
        text = json.dumps({"at": round(time.time() * 1000), **row}, ensure_ascii=False) + "\n"
        fs.append_private_text(
            os.path.join(home, "hook", "calls.jsonl"), text, _COUNTER_BYTES, wait=wait
        )
    except OSError:
        pass


def _without_secrets(line: str) -> str:
    try:
        from gieok.text.redact import redact  # few calls have anything to log
    # the hook may run as a user who cannot read the file: the log names the failed step, and not
    # its data
    except ImportError:
        return ": ".join(line.split(": ")[:2])
    return redact(line)


def spool_transcript(home: str, row: dict[str, object]) -> str:
    """Write durably a small file that names a transcript to observe; return the file's path.

    The reader removes the file once the journal holds the transcript's messages. Raises OSError.
    """
    file = os.path.join(home, "spool", f"{time.time_ns():020d}-{os.getpid()}.json")
    text = json.dumps({**row, "at": _format_trail_time()}, ensure_ascii=False)
    fs.replace_private(file, text.encode("utf-8", "backslashreplace"))
    return file


def _format_trail_time() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
