"""Claims of the events that a host fired: one call of the hook answers an event.

A host that reads the hook files of several agents calls Gieok for each file, at the same time. The
record is one small file, private (0600), with checksums alone.
"""

import json
import os
import zlib

from gieok import fs

#: Seconds within which the same event of a session is one event.
_SAME_EVENT_S = 10.0


def claim_event(home: str, fired: "tuple[str, ...]", now_s: float) -> bool:
    """Return whether no call has claimed an event, and claim it.

    `fired` names the event: agent, session, event and prompt. Where the record cannot be written,
    each call answers.
    """
    file = _build_claims_path(home)
    key = zlib.crc32("\0".join(fired).encode("utf-8", "surrogatepass"))
    try:
        with fs.lock_resource(home, file):
            claimed = [row for row in _read_claims(file) if 0 <= now_s - row[1] < _SAME_EVENT_S]
            if any(row[0] == key for row in claimed):
                return False
            fs.replace_private(file, json.dumps([*claimed, [key, now_s]]))
    except OSError:
        pass
    return True


def forget_claims(home: str) -> None:
    """Forget every claim, so that the next call answers whatever was answered before."""
    try:
        os.unlink(_build_claims_path(home))
    except OSError:
        return


def _build_claims_path(home: str) -> str:
    return os.path.join(home, "hook", "fired.json")


def _read_claims(file: str) -> "list[tuple[int, float]]":
    try:
        with open(file, encoding="utf-8") as opened:
            return [(int(key), float(at)) for key, at in json.load(opened)]
    except (OSError, ValueError, TypeError):
        return []
