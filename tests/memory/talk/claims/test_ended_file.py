"""Rows of claims that hold no more, and the lines that they end."""

import json
from pathlib import Path

import pytest
from tests.support.talk import SHOP, build_key, build_turns

from gieok.memory.talk.claims.claim import Claim, ClaimEnd
from gieok.memory.talk.claims.ended_file import ended_lines, write_claim_rows
from gieok.places.home import replaced_file
from gieok.testing.memory_store import MemoryStore
from gieok.text.handles import line_check

_LINES = ("The lamp is on.", "The port is 1111. The name of the gateway is Ana.")


def _build_claim(line: int, words: str, *, check: int | None = None) -> Claim:
    text = f"User: {_LINES[line - 1]}" if line <= len(_LINES) else words
    return Claim(
        key=build_key("a"),
        line=line,
        start=text.index(words),
        length=len(words),
        check=line_check(words) if check is None else check,
        at=7,
    )


def test_a_row_names_both_claims_and_holds_no_text(tmp_path: Path) -> None:
    old, new = Claim("a", 1, 2, 3, 4, 5), Claim("b", 6, 7, 8, 9, 10)
    file = tmp_path / "lasting" / "rows"
    write_claim_rows(file, [(ClaimEnd(old, new, 11), "whose"), (ClaimEnd(old, None, 12), "whose")])
    assert json.loads(file.read_text(encoding="utf-8")) == [
        ["a", 1, 2, 3, 4, "whose", "b", 6, 7, 8, 9, 11],
        ["a", 1, 2, 3, 4, "", "", 0, 0, 0, 0, 12],
    ]


def test_a_file_is_written_where_its_rows_change_and_never_begun_empty(tmp_path: Path) -> None:
    file = tmp_path / "lasting" / "rows"
    write_claim_rows(file, [])
    assert not file.exists()
    row = ClaimEnd(Claim("a", 1, 2, 3, 4, 5), None, 6), ""
    write_claim_rows(file, [row])
    first = file.stat().st_ino
    write_claim_rows(file, [row])
    assert file.stat().st_ino == first, "the same rows are not written again"
    write_claim_rows(file, [])
    assert json.loads(file.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("claim", "now_s", "lines"),
    [
        (_build_claim(1, _LINES[0]), 7, {1}),
        (_build_claim(1, _LINES[0]), 6, set()),
        (_build_claim(2, _LINES[1]), 7, {2}),
        (_build_claim(2, "The port is 1111."), 7, set()),
        (_build_claim(1, _LINES[0], check=3), 7, set()),
        (_build_claim(3, _LINES[0]), 7, set()),
    ],
    ids=["whole", "not yet", "line", "sentence", "other words by now", "no line"],
)
def test_a_line_holds_no_more_where_all_that_it_says_ended(
    tmp_path: Path, claim: Claim, now_s: int, lines: set[int]
) -> None:
    store = MemoryStore()
    store.put([build_turns("a", 1, *_LINES)])
    file = Path(replaced_file(str(tmp_path), str(SHOP)))
    write_claim_rows(file, [(ClaimEnd(claim, None, 7), "")])
    assert ended_lines(store, tmp_path, SHOP, now_s) == {(build_key("a"), n) for n in lines}


def test_rows_of_an_earlier_release_and_of_documents_that_are_gone_end_nothing(
    tmp_path: Path,
) -> None:
    store = MemoryStore()
    assert ended_lines(store, tmp_path, SHOP, 9) == frozenset()
    file = Path(replaced_file(str(tmp_path), str(SHOP)))
    write_claim_rows(file, [(ClaimEnd(_build_claim(1, _LINES[0]), None, 7), "")])
    assert ended_lines(store, tmp_path, SHOP, 9) == frozenset()
    store.put([build_turns("a", 1, *_LINES)])
    (row,) = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps([[*row[:-1], "", row[-1]]]), encoding="utf-8")
    assert ended_lines(store, tmp_path, SHOP, 9) == frozenset()
