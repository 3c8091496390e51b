"""Rules that escalate a change to the strong model.

The rules write `escalation/pending.json`, which stays until the escalation is handled.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gieok import fs
from gieok.code.model import layout
from gieok.code.model.tuning import EscalationRules

_FILE = "escalation/pending.json"
_LOCK = "escalation/.lock"
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
    try:
        row = json.loads(fs.read_regular_file(root / layout.FOLDER / _FILE, _LARGEST_BYTES))
    except (OSError, ValueError):
        return None
    if not isinstance(row, dict):
        return None
    return Escalation(
        str(row.get("since", "")),
        _parse_text_list(row.get("reasons")),
        _parse_text_list(row.get("files")),
    )


def add_escalation(root: Path, reasons: Sequence[str], files: Sequence[str], at: str) -> None:
    """Add reasons to the pending escalation."""
    if not reasons:
        return
    with fs.exclusive(root / layout.FOLDER / _LOCK):
        before = read_pending(root) or Escalation(at, (), ())
        _write_escalation(root, before.since, [*before.reasons, *reasons], [*before.files, *files])


def _write_escalation(root: Path, since: str, reasons: Sequence[str], files: Sequence[str]) -> None:
    row = {"since": since, "reasons": list(dict.fromkeys(reasons)), "files": sorted(set(files))}
    layout.write_code_file(root, _FILE, json.dumps(row, ensure_ascii=False, indent=1) + "\n")


def _parse_text_list(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def clear(root: Path, seen: Escalation) -> None:
    """Remove the handled reasons; reasons that were added meanwhile stay."""
    with fs.exclusive(root / layout.FOLDER / _LOCK):
        now = read_pending(root) or Escalation("", (), ())
        fresh = [reason for reason in now.reasons if reason not in seen.reasons]
        if fresh or not set(now.files) <= set(seen.files):
            _write_escalation(root, now.since, fresh or now.reasons, now.files)
        else:
            (root / layout.FOLDER / _FILE).unlink(missing_ok=True)
