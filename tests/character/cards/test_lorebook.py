"""An entry of a lorebook is told where its keys were said, as its decorators say, and nothing a
stranger writes takes long.
"""

import json
from random import Random

import pytest

from gieok.character.cards.card import card_from
from gieok.character.cards.entry_matcher import LoreTalk, find_active_entries, may_be_recalled
from gieok.character.cards.lorebook import Lorebook, lorebook_of
from gieok.errors import BadRequest

_SELECTIVE = {"selective": True, "secondary_keys": ["red", "blue"]}


def _logic(number: int) -> dict[str, object]:
    """Return selective keys with a logic, as SillyTavern writes them into a card."""
    return {**_SELECTIVE, "extensions": {"selectiveLogic": number}}


def _book(*entries: dict[str, object], **more: object) -> Lorebook:
    return lorebook_of(
        {"entries": [{"content": f"text {n}", **one} for n, one in enumerate(entries)], **more}
    )


def _told(
    book: Lorebook, *texts: str, replies: int | None = None, random: Random | None = None
) -> list[int]:
    found = find_active_entries(book, LoreTalk(texts, replies), random or Random(0))
    return [one.entry.number for one in found]


@pytest.mark.parametrize(
    ("entry", "said", "is_told"),
    [
        ({"keys": ["책방"]}, "어제 책방에서 봤어", True),
        ({"keys": ["Cat"]}, "my CAT sleeps", True),
        ({"keys": ["cat"]}, "a category, and concat", False),
        ({"keys": ["cat"]}, "a category, and a cat", True),
        ({"keys": ["Cat"], "case_sensitive": True}, "a cat", False),
        ({"keys": ["cat"]}, "cat은 어디?", True),
        ({"key": "cat, dog"}, "the dog", True),
        ({"keys": ["cat"], "selective": True, "secondary_keys": ["red", "blue"]}, "a cat", False),
        (
            {"keys": ["cat"], "selective": True, "secondary_keys": ["red", "blue"]},
            "a blue cat",
            True,
        ),
        ({"keys": ["cat"], "secondary_keys": ["red"]}, "a cat", True),
        ({"keys": [], "constant": True}, "hm", True),
        ({"keys": [], "constant": True, "enabled": False}, "hm", False),
        ({"keys": ["cat"], "content": "  "}, "cat", False),
        ({"keys": ["cat"], "content": "@@exclude_keys dog\nx"}, "cat and dog", False),
        ({"keys": ["cat"], "content": "@@additional_keys red\nx"}, "cat", False),
        ({"keys": [], "content": "@@activate\nx"}, "hm", True),
        ({"keys": ["cat"], "content": "@@dont_activate\nx"}, "cat", False),
        ({"keys": ["/(c|k)ats?/i"], "use_regex": True}, "Kats", True),
        ({"keys": [r"\bcat\b"], "use_regex": True}, "a cat", True),
        ({"keys": ["/(a+)+$/"], "use_regex": True}, "aaaa", False),
        ({"keys": ["/((/"], "use_regex": True}, "((", False),
        # what is no pattern is plain words: SillyTavern writes use_regex into every entry
        ({"keys": ["(("], "use_regex": True}, "((", True),
        ({"keys": ["C++"], "use_regex": True}, "I write C++ here", True),
        ({"keys": ["cat"], "use_regex": True}, "a category", False),
        ({"keys": ["/cats?/"], "use_regex": False}, "two cats", True),
        ({"keys": ["/king.*dragon/i"]}, "The King and the old Dragon", True),
        ({"keys": [r"/\w+ of \w+/"]}, "the queen of spades", True),
        ({"keys": ["/Cat/"], "case_sensitive": True}, "a cat", False),
        ({"keys": ["cat"], **_SELECTIVE, "use_regex": True}, "a cat", False),
        ({"keys": ["cat"], **_SELECTIVE, "use_regex": True}, "a red cat", True),
        ({"keys": ["cat"], **_logic(1)}, "a red cat", True),
        ({"keys": ["cat"], **_logic(1)}, "a red and blue cat", False),
        ({"keys": ["cat"], **_logic(2)}, "a green cat", True),
        ({"keys": ["cat"], **_logic(2)}, "a blue cat", False),
        ({"keys": ["cat"], **_logic(3)}, "a blue cat", False),
        ({"keys": ["cat"], **_logic(3)}, "a blue and red cat", True),
        ({"keys": ["Cat"], "extensions": {"case_sensitive": True}}, "a cat", False),
        ({"keys": ["cat"], "extensions": {"match_whole_words": False}}, "a category", True),
        ({"keys": ["cat"], "matchWholeWords": False}, "a category", True),
        ({"keys": ["cat"], "extensions": {"probability": 0, "useProbability": True}}, "cat", False),
        ({"keys": ["cat"], "extensions": {"probability": 0, "useProbability": False}}, "cat", True),
        ({"keys": ["cat"], "probability": 100, "useProbability": True}, "cat", True),
        ({"keys": ["cat"], "probability": 10**400, "useProbability": True}, "cat", True),
        ({"keys": ["cat"], "extensions": {"scan_depth": 0}}, "cat", False),
    ],
)
def test_keys_and_what_goes_with_them(entry: dict[str, object], said: str, is_told: bool) -> None:
    assert bool(_told(_book(entry), said)) is is_told


def test_decorators_are_taken_off_and_unknown_ones_give_way_to_the_next() -> None:
    head = (
        "@@risu_only 3\n@@@also_unknown 4\n@@@depth 5\n@@@depth 6\n\n@@role assistant\n@@role "
        "user\n@@depth no\n\n"
    )
    entry = {"content": f"{head}Hello\n@@depth 1"}
    (found,) = _book(entry).entries
    assert (found.depth, found.role, found.text) == (5, "assistant", "Hello\n@@depth 1")


def test_a_position_goes_before_a_depth() -> None:
    (found,) = _book({"content": "@@position after_desc\n@@depth 3\nx"}).entries
    assert (found.position, found.depth) == ("after_desc", None)


def test_only_the_last_messages_are_looked_at() -> None:
    book = _book(
        {"keys": ["cat"]},
        {"keys": ["cat"], "content": "@@scan_depth 3\nx"},
        {"keys": ["cat"], "content": "@@keep_activate_after_match\nx"},
        scan_depth=2,
    )
    assert _told(book, "cat") == [0, 1, 2]
    assert _told(book, "a", "b", "cat") == [1, 2]
    assert _told(book, "a", "b", "c", "cat") == [2]


def test_replies_are_counted_where_they_are_known() -> None:
    book = _book(
        {"constant": True, "content": "@@activate_only_after 3\nx"},
        {"constant": True, "content": "@@activate_only_every 2\nx"},
    )
    assert _told(book, "hm", replies=1) == []
    assert _told(book, "hm", replies=3) == [0]
    assert _told(book, "hm", replies=4) == [0, 1]
    assert _told(book, "hm") == [0, 1]


def test_an_entry_may_bring_another_where_the_book_says_so() -> None:
    entries = (
        {"keys": ["cat"], "content": "a cat of Leith"},
        {"keys": ["leith"], "content": "a harbour"},
    )
    assert _told(_book(*entries, recursive_scanning=True), "cat") == [0, 1]
    assert _told(_book(*entries), "cat") == [0]


def test_a_book_in_the_form_of_world_info_is_read() -> None:
    rows = {
        "0": {
            "key": ["cat"],
            "keysecondary": ["red"],
            "selective": True,
            "content": "x",
            "disable": False,
            "order": 7,
        }
    }
    (entry,) = lorebook_of({"entries": rows}).entries
    assert (entry.keys, entry.secondary, entry.order) == (("cat",), ("red",), 7.0)


def test_an_entry_with_a_probability_is_told_so_often() -> None:
    book = _book({"keys": ["cat"], "extensions": {"probability": 30, "useProbability": True}})
    random = Random(7)
    assert sum(bool(_told(book, "cat", random=random)) for _ in range(1_000)) == 336


def test_an_author_keeps_an_entry_from_being_brought_and_from_bringing() -> None:
    leith = {"keys": ["leith"], "content": "a harbour"}
    kept = _book(
        {"keys": ["cat"], "content": "a cat of Leith"},
        {**leith, "extensions": {"exclude_recursion": True}},
        recursive_scanning=True,
    )
    assert _told(kept, "cat") == [0]
    quiet = {"keys": ["cat"], "content": "a cat of Leith", "preventRecursion": True}
    assert _told(_book(quiet, leith, recursive_scanning=True), "cat") == [0]


def test_an_entry_is_recalled_by_meaning_only_where_its_author_set_no_conditions() -> None:
    plain, selective = _book(
        {"keys": ["cat"]}, {"keys": ["cat"], "selective": True, "secondary_keys": ["red"]}
    ).entries
    talk = LoreTalk(("something alike",))
    assert (may_be_recalled(plain, talk), may_be_recalled(selective, talk)) == (True, False)


def test_a_book_of_risuai_is_read() -> None:
    rows = [{"key": "cat, dog", "secondkey": "red", "selective": True, "content": "x"}]
    (entry,) = lorebook_of({"type": "risu", "data": rows}).entries
    assert (entry.keys, entry.secondary) == (("cat", "dog"), ("red",))


@pytest.mark.parametrize(
    "odd",
    [
        [],
        "x",
        {"entries": 4},
        {"entries": [1, None, {}]},
        {"entries": [{"keys": 5, "content": 7, "priority": "x", "insertion_order": True}]},
    ],
)
def test_what_is_odd_is_no_error(odd: object) -> None:
    data = json.dumps({"name": "a", "character_book": odd}).encode()
    assert all(not one.is_enabled for one in card_from(data).book.entries)


def test_too_many_keys_are_refused() -> None:
    with pytest.raises(BadRequest, match="20,000 keys"):
        _book({"keys": ["a"] * 20_001})


def test_a_pattern_that_would_not_end_is_not_tried() -> None:
    many = [{"keys": [f"key{n}-{k}" for k in range(3)]} for n in range(4_000)]
    hostile = [
        {"keys": ["(a|a)(a|a)(a|a)(a|a)b", "a?a?a?a?a?b", "/(.*)*x/", "(a+)+b"], "use_regex": True}
    ] * 300
    book = _book(*many, *hostile, recursive_scanning=True, scan_depth=100)
    assert _told(book, *["a" * 2_000] * 100) == []
