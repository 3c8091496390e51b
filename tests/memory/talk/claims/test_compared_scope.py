"""What is kept of a compared scope: the file's form, its versions, and findings of documents."""

import json
from pathlib import Path

import pytest
from tests.support.talk import SHOP

from gieok.memory.talk.cancelled_changes import TakenBack
from gieok.memory.talk.claims.claim import Claim, ClaimEnd, ClaimLink
from gieok.memory.talk.claims.compared_scope import (
    ComparedScope,
    Findings,
    read_compared_scope,
    write_compared_scope,
)
from gieok.places.home import replaced_file

_A, _B = Claim("a", 1, 2, 3, 4, 5), Claim("b", 6, 7, 8, 9, 10)
_C = Claim("c", 6, 7, 8, 9, 10)
_FOUND = Findings(
    links=[ClaimLink(_A, _B, takes_back=True, at=11)],
    ends=[ClaimEnd(_A, None, 12)],
    taken_back=[TakenBack("a", 1, "b", 2, 13)],
    likely=[ClaimLink(_B, _A, takes_back=False, at=14)],
)
#: As it stands on disk; another version number where the same statements are judged differently.
_KEPT = [
    10,
    {"a": "hash"},
    [["a", 1, 2, 3, 4, 5, "b", 6, 7, 8, 9, 10, True, 11]],
    [["a", 1, 2, 3, 4, 5, 12]],
    [["a", 1, "b", 2, 13]],
    [["b", 6, 7, 8, 9, 10, "a", 1, 2, 3, 4, 5, False, 14]],
]


def _locate(home: Path) -> Path:
    file = Path(f"{replaced_file(str(home), str(SHOP))}.links")
    file.parent.mkdir(exist_ok=True)
    return file


def test_a_scope_is_kept_whole(tmp_path: Path) -> None:
    state = ComparedScope({"a": "hash"}, _FOUND)
    write_compared_scope(tmp_path, SHOP, state)
    assert json.loads(_locate(tmp_path).read_text(encoding="utf-8")) == _KEPT
    assert read_compared_scope(tmp_path, SHOP) == state


@pytest.mark.parametrize(("version", "is_read"), [(2, False), (3, True), (9, True), (11, False)])
def test_what_an_earlier_version_found_holds_until_it_is_compared_anew(
    tmp_path: Path, version: int, *, is_read: bool
) -> None:
    _locate(tmp_path).write_text(json.dumps([version, *_KEPT[1:]]), encoding="utf-8")
    expected = (
        ComparedScope({"a": ""}, _FOUND) if is_read else ComparedScope({}, Findings([], [], [], []))
    )
    assert read_compared_scope(tmp_path, SHOP) == expected


def test_a_file_without_likely_links_is_read(tmp_path: Path) -> None:
    _locate(tmp_path).write_text(json.dumps([3, *_KEPT[1:5]]), encoding="utf-8")
    assert read_compared_scope(tmp_path, SHOP).found == _FOUND._replace(likely=[])


def test_what_was_found_between_documents_needs_both_of_them() -> None:
    assert _FOUND.of_documents({"a", "b"}) == _FOUND
    assert _FOUND.of_documents({"a"}) == _FOUND._replace(links=[], likely=[])
    assert _FOUND.of_documents({"b"}) == Findings([], [], [], [])
    assert _FOUND.without("c") == _FOUND
    assert _FOUND.without("b") == _FOUND._replace(links=[], likely=[])
    assert _FOUND.without("a") == Findings([], [], [], [])


def test_of_links_from_a_claim_to_a_line_the_last_is_kept() -> None:
    first = ClaimLink(_A, _B, takes_back=False, at=1)
    links = [
        first,
        first._replace(old=_A._replace(start=8)),
        first._replace(new=_B._replace(line=7)),
        first._replace(new=_C),
        first._replace(new=_B._replace(start=0), at=2),
    ]
    ends = [
        ClaimEnd(_A, None, 1),
        ClaimEnd(_A._replace(start=8), None, 2),
        ClaimEnd(_A._replace(length=9), None, 3),
    ]
    settled = Findings(links, ends, [*_FOUND.taken_back, *_FOUND.taken_back], links).settle()
    assert settled.links == settled.likely == [links[-1], *links[1:-1]]
    assert settled.ends == [ends[2], ends[1]]
    assert settled.taken_back == _FOUND.taken_back
