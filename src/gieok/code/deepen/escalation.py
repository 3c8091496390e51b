"""Rules that escalate a change to the strong model.

The rules write `escalation/pending.json`, which stays until the escalation is handled.
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from gieok import fs
from gieok.code.index import ownership
from gieok.code.model import layout
from gieok.code.model.tuning import EscalationRules

_FILE = "escalation/pending.json"
_LOCK = "escalation/.lock"
_RECORD = "looks"
_LARGEST_BYTES = 1_000_000
#: Most new modules, and most new classes, that are named one by one.
_MOST_NAMED = 10


class Escalation(NamedTuple):
    """Change that waits for the strong model: since when, for which reasons, and its files."""

    since: str
    reasons: tuple[str, ...]
    files: tuple[str, ...]


def reasons_of_sync(
    rules: EscalationRules,
    *,
    new_modules: Sequence[str],
    new_classes: Sequence[str],
    files: int,
    depth_before: int,
    depth_after: int,
) -> list[str]:
    """Return the rules that a sync triggers."""
    reasons = []
    if _is_reached(rules.new_modules, len(new_modules)):
        reasons += [f"new module {path}" for path in new_modules[:_MOST_NAMED]]
    if _is_reached(rules.new_classes, len(new_classes)):
        reasons += [f"new class {key}" for key in new_classes[:_MOST_NAMED]]
    if _is_reached(rules.files, files):
        reasons.append(f"{files} files changed at once")
    if _is_reached(rules.import_depth, abs(depth_after - depth_before)):
        reasons.append(f"the depth of imports went from {depth_before} to {depth_after}")
    return reasons


def _is_reached(least: int, count: int) -> bool:
    """Say whether a count reaches the least of a rule; a rule of 0 is off."""
    return 0 < least <= count


def reasons_of_validation(
    rules: EscalationRules, quality: int, earlier: Sequence[Mapping[str, object]]
) -> list[str]:
    """Return the rules that a validation triggers; `earlier` are the log's rows, the newest
    last.
    """
    reasons = [f"quality {quality} is below {rules.quality}"] if quality < rules.quality else []
    count = rules.failed_validations
    last = [row.get("status") for row in earlier][-count:] if count else []
    if count and len(last) == count and all(status == "failed" for status in last):
        reasons.append(f"{count} validations in a row failed")
    return reasons


def read_pending(root: Path) -> Escalation | None:
    """Return the pending escalation, or None."""
    content = _read_pending_bytes(root)
    return None if content is None else _parse_escalation(content)


def begin_look(home: Path, root: Path) -> Escalation | None:
    """Return what a look that nobody asked for may be paid for, and note that it was tried.

    None where nothing waits, where the waiting file was not written by this home alone (a
    repository may bring one), and where a look for these reasons was tried before.
    """
    with fs.exclusive(root / layout.FOLDER / _LOCK):
        content, record = _read_pending_bytes(root), _read_record(home, root)
        waiting = None if content is None else _parse_escalation(content)
        if content is None or waiting is None or _digest_content(content) not in record.written:
            return None
        tried = _digest_content(json.dumps([waiting.since, *waiting.reasons]).encode())
        if tried == record.tried:
            return None
        _write_record(home, root, record._replace(tried=tried))
        return waiting


def add_escalation(
    home: Path, root: Path, reasons: Sequence[str], files: Sequence[str], at: str
) -> None:
    """Add reasons to the pending escalation."""
    if not reasons:
        return
    with fs.exclusive(root / layout.FOLDER / _LOCK):
        before = read_pending(root) or Escalation(at, (), ())
        after = Escalation(before.since, (*before.reasons, *reasons), (*before.files, *files))
        _write_escalation(home, root, after)


def clear(home: Path, root: Path, seen: Escalation) -> None:
    """Remove the handled reasons; reasons that were added meanwhile stay."""
    with fs.exclusive(root / layout.FOLDER / _LOCK):
        now = read_pending(root) or Escalation("", (), ())
        fresh = tuple(reason for reason in now.reasons if reason not in seen.reasons)
        if fresh or not set(now.files) <= set(seen.files):
            _write_escalation(home, root, now._replace(reasons=fresh or now.reasons))
        else:
            (root / layout.FOLDER / _FILE).unlink(missing_ok=True)


def _read_pending_bytes(root: Path) -> bytes | None:
    try:
        return fs.read_regular_file(root / layout.FOLDER / _FILE, _LARGEST_BYTES)
    except OSError:
        return None


def _parse_escalation(content: bytes) -> Escalation | None:
    try:
        row = json.loads(content)
    except ValueError:
        return None
    if not isinstance(row, dict):
        return None
    return Escalation(
        str(row.get("since", "")),
        _parse_text_list(row.get("reasons")),
        _parse_text_list(row.get("files")),
    )


def _write_escalation(home: Path, root: Path, waiting: Escalation) -> None:
    """Write the pending escalation; call it under its lock.

    The home keeps the digest of what it writes, of the file before too, so that a kill in between
    makes no file a foreign one. What is added to a foreign file stays foreign.
    """
    row = {
        "since": waiting.since,
        "reasons": list(dict.fromkeys(waiting.reasons)),
        "files": sorted(set(waiting.files)),
    }
    text = json.dumps(row, indent=1) + "\n"
    before, record = _read_pending_bytes(root), _read_record(home, root)
    if before is None or _digest_content(before) in record.written:
        own = (_digest_content(text.encode()),)
        kept = () if before is None else (_digest_content(before),)
        _write_record(home, root, record._replace(written=(*kept, *own)))
    layout.write_code_file(root, _FILE, text)


def _digest_content(content: bytes) -> str:
    return sha256(content).hexdigest()


class _Record(NamedTuple):
    """What this home keeps of a project's escalations: digests.

    `written` are those of the files that it wrote last, `tried` that of the reasons for which a
    look was tried that nobody asked for.
    """

    written: tuple[str, ...] = ()
    tried: str = ""


def _read_record(home: Path, root: Path) -> _Record:
    try:
        row = json.loads(ownership.find_index_record(home, root, _RECORD).read_bytes())
        return _Record(_parse_text_list(row["written"]), str(row["tried"]))
    except (OSError, ValueError, LookupError, TypeError):
        return _Record()


def _write_record(home: Path, root: Path, record: _Record) -> None:
    file = ownership.find_index_record(home, root, _RECORD)
    fs.replace_private(file, json.dumps(record._asdict()))


def _parse_text_list(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()
