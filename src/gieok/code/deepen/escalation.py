"""Rules that escalate a change to the strong model.

The rules write `escalation/pending.json`, which stays until the escalation is handled.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from gieok import fs
from gieok.code.model import layout

_FILE = "escalation/pending.json"
_LOCK = "escalation/.lock"
_MANY_FILES = 10
_LOW_QUALITY = 80
_FAILURES = 3
_DEPTH_CHANGE = 2


def reasons_of_sync(
    *,
    new_modules: Sequence[str],
    new_classes: Sequence[str],
    files: int,
    depth_before: int,
    depth_after: int,
) -> list[str]:
    """Return the rules that a sync triggers."""
    reasons = [f"new module {path}" for path in new_modules[:_MANY_FILES]]
    reasons += [f"new class {key}" for key in new_classes[:_MANY_FILES]]
    if files > _MANY_FILES:
        reasons.append(f"{files} files changed at once")
    if abs(depth_after - depth_before) >= _DEPTH_CHANGE:
        reasons.append(f"the depth of imports went from {depth_before} to {depth_after}")
    return reasons


def reasons_of_validation(quality: int, earlier: Sequence[Mapping[str, object]]) -> list[str]:
    """Return the rules that a validation triggers; `earlier` are the log's rows, the newest
    last.
    """
    reasons = [f"quality {quality} is below {_LOW_QUALITY}"] if quality < _LOW_QUALITY else []
    last = [row.get("status") for row in earlier][-_FAILURES:]
    if len(last) == _FAILURES and all(status == "failed" for status in last):
        reasons.append(f"{_FAILURES} validations in a row failed")
    return reasons


def pending(root: Path) -> dict[str, object] | None:
    """Return the pending escalation, or None."""
    try:
        escalation = json.loads((root / layout.FOLDER / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return escalation if isinstance(escalation, dict) else None


def add_escalation(root: Path, reasons: Sequence[str], files: Sequence[str], at: str) -> None:
    """Add reasons to the pending escalation."""
    if not reasons:
        return
    with fs.exclusive(root / layout.FOLDER / _LOCK):
        before = pending(root) or {}
        merged = [*_parse_text_list(before.get("reasons")), *reasons]
        _write_escalation(
            root, before.get("since", at), merged, [*_parse_text_list(before.get("files")), *files]
        )


def _write_escalation(
    root: Path, since: object, reasons: Sequence[str], files: Sequence[str]
) -> None:
    row = {"since": since, "reasons": list(dict.fromkeys(reasons)), "files": sorted(set(files))}
    layout.write_code_file(root, _FILE, json.dumps(row, ensure_ascii=False, indent=1) + "\n")


def _parse_text_list(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def clear(root: Path, seen: Mapping[str, object]) -> None:
    """Remove the handled reasons; reasons that were added meanwhile stay."""
    with fs.exclusive(root / layout.FOLDER / _LOCK):
        now = pending(root) or {}
        reasons, files = (_parse_text_list(now.get(name)) for name in ("reasons", "files"))
        fresh = [
            reason for reason in reasons if reason not in _parse_text_list(seen.get("reasons"))
        ]
        if fresh or not set(files) <= set(_parse_text_list(seen.get("files"))):
            _write_escalation(root, now.get("since"), fresh or reasons, files)
        else:
            (root / layout.FOLDER / _FILE).unlink(missing_ok=True)
