"""Events that a host fired: of the calls of the hook for one event, one answers.

A host that reads the hook files of several agents calls Gieok for each file, at the same time. The
record is one small file, private (0600), with checksums alone.
"""

import json
import os
import time
import zlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: Seconds within which the same event of a session is one event, by the time that the host gives.
_SAME_EVENT_S = 2.0
_MOST_CLAIMS = 50
#: How often, and after which pause, a file is tried that another call holds.
_TRIES, _PAUSE_S = 20, 0.01
#: A larger number counts milliseconds.
_MOST_SECONDS = 1e11
#: Fields that tell two events of the same kind apart.
_TELLING = ("prompt", "source", "turn_id", "turnId", "prompt_id", "promptId")


class FiredEvent:
    """Event of a host; calls with the same names and about the same time are of one event.

    Where the record cannot be read or written, no call knows of another.
    """

    def __init__(self, home: str, names: "Sequence[str]", at_s: float) -> None:
        self._home = home
        self._file = _find_record(home)
        self._key = zlib.crc32("\0".join(names).encode("utf-8", "surrogatepass"))
        self._at_s = at_s

    def claim_event(self) -> bool:
        """Return whether no call has claimed the event, and claim it."""
        return self._write_claim(is_claim=True)

    def withdraw_claim(self) -> None:
        """Give the event back, so that another call may answer it."""
        self._write_claim(is_claim=False)

    def is_claimed(self) -> bool:
        """Return whether a call has claimed the event."""
        return any(self._is_row(row) for row in _read_claims(self._file))

    def waits_claimed(self) -> bool:
        """Return whether a call has claimed the event, or does within a moment."""
        for _ in range(_TRIES):
            if self.is_claimed():
                return True
            time.sleep(_PAUSE_S)
        return False

    def _write_claim(self, *, is_claim: bool) -> bool:
        """Write or remove the claim; return whether there was none, or nobody knows."""
        if not os.path.isdir(self._home):
            return True
        from gieok import fs  # few calls have an event to claim

        try:
            for _ in range(_TRIES):
                with fs.lock_resource(self._home, self._file, wait=False) as is_free:
                    if is_free:
                        return self._change_claims(is_claim=is_claim)
                time.sleep(_PAUSE_S)
        except OSError:
            pass
        return True

    def _change_claims(self, *, is_claim: bool) -> bool:
        from gieok import fs

        rows = _read_claims(self._file)
        others = [row for row in rows if not self._is_row(row)]
        if is_claim and len(others) < len(rows):
            return False
        own = [(self._key, self._at_s)] if is_claim else []
        fs.replace_private(self._file, json.dumps([*others, *own][-_MOST_CLAIMS:]))
        return True

    def _is_row(self, row: "tuple[int, float]") -> bool:
        return row[0] == self._key and abs(row[1] - self._at_s) <= _SAME_EVENT_S


def list_telling_values(payload: "Mapping[str, object]") -> "list[str]":
    """Return what tells an event from others of its kind: prompt, source, and the turn."""
    return [str(payload.get(name) or "") for name in _TELLING]


def read_fired_time(payload: "Mapping[str, object]", now_s: float) -> float:
    """Return the Unix seconds at which the host says that it fired an event; `now_s` without it."""
    written = payload.get("timestamp")
    if isinstance(written, int | float) and not isinstance(written, bool):
        return written / 1000 if written > _MOST_SECONDS else float(written)
    if isinstance(written, str):
        from datetime import datetime

        try:
            return datetime.fromisoformat(written).timestamp()
        except (ValueError, OverflowError, OSError):
            pass
    return now_s


def forget_claims(home: str) -> None:
    """Forget every claim, so that the next call answers whatever was answered before."""
    try:
        os.unlink(_find_record(home))
    except OSError:
        return


def _find_record(home: str) -> str:
    return os.path.join(home, "hook", "fired.json")


def _read_claims(file: str) -> "list[tuple[int, float]]":
    try:
        with open(file, encoding="utf-8") as opened:
            return [(int(key), float(at)) for key, at in json.load(opened)]
    except (OSError, ValueError, TypeError):
        return []
