"""Files that say which claims hold no more, and on which something was said later."""

import json
from collections.abc import Sequence
from pathlib import Path

from gieok import fs
from gieok.memory.talk.claims.claim import ClaimEnd
from gieok.model.memory import Scope
from gieok.places.home import CLAIM_FIELDS, replaced_file
from gieok.ports.store import Documents
from gieok.text.claim_share import is_whole_claim
from gieok.text.handles import line_check


def write_claim_rows(file: Path, rows: Sequence[tuple[ClaimEnd, str]]) -> None:
    """Write the rows that readers need: the claim, what was said later, and since when.

    The later claim is given as scope, key, line, place in the line and checksum of its words.
    """
    records: list[tuple[object, ...]] = []
    for row, whose in rows:
        by = (
            (whose, row.by.key, row.by.line, row.by.start, row.by.length, row.by.check)
            if row.by
            else ("", "", 0, 0, 0, 0)
        )
        records.append((*row.old[:5], *by, row.at))
    if not records and not file.exists():
        return
    text = json.dumps(records)
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        fs.make_private(file.parent)
        fs.replace_private(file, text)


def ended_lines(
    store: Documents, home: Path, scope: Scope, now_s: float
) -> frozenset[tuple[str, int]]:
    """Return the lines of a scope that hold no more as (key, number), from the last comparison.

    A line with other claims still holds.
    """
    try:
        rows = json.loads(Path(replaced_file(str(home), scope.path)).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return frozenset()
    ended = [row[:5] for row in rows if len(row) == CLAIM_FIELDS and row[-1] <= now_s]
    texts = {d.key: d.text.split("\n") for d in store.get(scope, sorted({row[0] for row in ended}))}
    ended_places = set()
    for key, number, start, length, check in ended:
        line = (texts.get(key, []) + [""] * number)[number - 1]
        words = line[start : start + length]
        if line_check(words) == check and is_whole_claim(words, line):
            ended_places.add((key, number))
    return frozenset(ended_places)
