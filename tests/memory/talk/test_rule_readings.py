"""Which lines the reader takes for rules: each is read once, and no text of it is kept."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.support.silent_reader import SilentReader
from tests.support.talk import build_block, build_key

from gieok.errors import EmbedderFailed
from gieok.memory.talk import promotion, rule_readings
from gieok.model.memory import Entry, Scope
from gieok.places.home import build_readings_file, rules_file
from gieok.ports.models import RuleKind, RuleStretch
from gieok.testing.memory_store import MemoryStore
from gieok.text.handles import line_check

_SHOP = Scope("project:shop-1")
_AT = datetime(2026, 11, 20, 10, tzinfo=UTC)
_LEFT = "the badge print is broken again. leave the publishing to me, it cannot be undone"
_WORDS = "leave the publishing to me"


class _Reader(SilentReader):
    """Takes what it is told for rules, and keeps what it was asked."""

    def __init__(self, words: str = _WORDS, chance: float = rule_readings.SAID) -> None:
        self.words, self.chance = words, chance
        self.is_broken = False
        self.asked: list[tuple[str, str]] = []

    def find_rules(self, text: str, before: str = "") -> list[RuleStretch]:
        if self.is_broken:
            raise EmbedderFailed("the reader failed: {error}", error="test")
        self.asked.append((text, before))
        start = text.find(self.words)
        end = start + len(self.words)
        return [RuleStretch(start, end, RuleKind.NEVER, self.chance)] if start >= 0 else []


def _turns(session: str, *lines: str) -> Entry:
    return build_block(_SHOP, build_key(session), *lines, at=_AT)


def _settle(store: MemoryStore, home: Path, reader: _Reader) -> None:
    while promotion.update_promotions(store, home, reader=reader, now=_AT):
        pass


def _rules(home: Path) -> list[tuple[str, int, list[list[int]]]]:
    file = Path(rules_file(str(home), str(_SHOP)))
    rows = json.loads(file.read_text()) if file.exists() else []
    return [(key, line, [place[:2] for place in places]) for _, _, key, line, _, places in rows]


def test_a_rule_that_no_pattern_knows_is_told_with_its_sentence(tmp_path: Path) -> None:
    store = MemoryStore()
    store.put([_turns("s", f"User: {_LEFT}", "Assistant: OK.", "User: thanks, looks good")])
    _settle(store, tmp_path, _Reader())
    start = _LEFT.index(_WORDS)
    assert _rules(tmp_path) == [(build_key("s"), 1, [[start, len(_LEFT)]])]


def test_a_message_of_which_only_the_permission_is_marked_tells_its_rule() -> None:
    said = "terraform plan as often as you like but apply goes through me"
    allowed = RuleStretch(start=0, end=14, kind=RuleKind.ALLOWED, chance=1.0)
    assert rule_readings.list_said_rules(said, "", [allowed]) == [said]
    beside = RuleStretch(start=40, end=61, kind=RuleKind.DO, chance=1.0)
    assert rule_readings.list_said_rules(said, "", [allowed, beside]) == []


def test_an_unsure_stretch_is_no_rule(tmp_path: Path) -> None:
    store = MemoryStore()
    words = "publishing is a thing of mine"
    store.put([_turns("s", f"User: the badge print is broken again. {words}")])
    _settle(store, tmp_path, _Reader(words, rule_readings.SAID - 0.01))
    assert _rules(tmp_path) == []


@pytest.mark.parametrize(
    ("chance", "joint"),
    [
        (rule_readings.POSSIBLE - 0.01, rule_readings.POSSIBLE),
        (rule_readings.POSSIBLE, rule_readings.SAID),
        (0.99, 0.99),
    ],
)
def test_a_form_makes_a_rule_possible_and_a_possible_one_sure(chance: float, joint: float) -> None:
    (stretch,) = rule_readings.read_stretches(_Reader(chance=chance), _LEFT)
    assert stretch.chance == joint
    is_whole = chance < rule_readings.POSSIBLE
    words = "leave the publishing to me, it cannot be undone" if is_whole else _WORDS
    assert _LEFT[stretch.start : stretch.end] == words


def test_a_form_that_the_reader_does_not_mark_may_state_a_rule() -> None:
    said = "Fix the footer. I'd rather you didn't delete any objects yourself, thanks"
    (stretch,) = rule_readings.read_stretches(_Reader("nothing of it"), said)
    assert said[stretch.start :].startswith("I'd rather")
    assert (stretch.kind, stretch.chance) == (RuleKind.NEVER, rule_readings.POSSIBLE)
    assert rule_readings.find_doubtful_sentence(said, stretch) == said[stretch.start :]
    assert rule_readings.find_said_sentence(said, stretch) == ""


def test_a_polite_request_with_a_question_mark_may_state_a_rule() -> None:
    said = "could you please stay away from the legacy folder?"
    (stretch,) = rule_readings.read_stretches(_Reader("nothing of it"), said)
    assert rule_readings.find_doubtful_sentence(said, stretch) == said


def test_a_sentence_that_also_allows_something_is_left_to_the_reader() -> None:
    allowed = RuleStretch(start=0, end=8, kind=RuleKind.ALLOWED, chance=0.3)

    class Allowing(SilentReader):
        def find_rules(self, text: str, before: str = "") -> list[RuleStretch]:
            return [allowed]

    said = "Plan all you like, but leave the deploys to me"
    assert rule_readings.read_stretches(Allowing(), said) == [allowed]


def test_a_line_is_read_once_though_its_session_goes_on(tmp_path: Path) -> None:
    store, reader = MemoryStore(), _Reader()
    store.put([_turns("s", f"User: {_LEFT}")])
    _settle(store, tmp_path, reader)
    store.put([_turns("s", f"User: {_LEFT}", "Assistant: Shall I tag it?", "User: no, I will")])
    _settle(store, tmp_path, reader)
    assert reader.asked == [(_LEFT, ""), ("no, I will", "Shall I tag it?")]
    assert len(_rules(tmp_path)) == 1


def test_what_is_kept_holds_no_text_and_goes_with_its_line(tmp_path: Path) -> None:
    store = MemoryStore()
    store.put([_turns("s", f"User: {_LEFT}"), _turns("t", "User: the lamp is green")])
    _settle(store, tmp_path, _Reader())
    (file,) = (tmp_path / "lasting").glob("*.read")
    assert "publishing" not in file.read_text()
    check = line_check(f"User: {_LEFT}")
    assert rule_readings.load_readings(tmp_path, str(_SHOP)).find_stretches(build_key("s"), check)
    store.forget(_SHOP, [build_key("s")])
    _settle(store, tmp_path, _Reader())
    assert str(check) not in file.read_text()


def test_many_lines_are_read_a_part_at_a_time_and_words_stand_in_till_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rule_readings, "_MOST_LINES", 1)
    store = MemoryStore()
    said = (
        "Customer data never leaves the eu region."  # a rule by its words, and not by this reader
    )
    for number in range(4):
        store.put([_turns(f"s{number}", f"User: {said}")])
    reader = _Reader()
    assert promotion.update_promotions(store, tmp_path, reader=reader, now=_AT)
    assert len(reader.asked) == 1
    assert _rules(tmp_path)
    _settle(store, tmp_path, reader)
    assert len(reader.asked) == 4
    assert _rules(tmp_path) == []


def test_where_the_reader_fails_words_decide(tmp_path: Path) -> None:
    store, reader = MemoryStore(), _Reader()
    reader.is_broken = True
    said = "Customer data never leaves the eu region."
    store.put([_turns("s", f"User: {said}"), _turns("t", f"User: {_LEFT}")])
    _settle(store, tmp_path, reader)
    assert [key for key, _, _ in _rules(tmp_path)] == [build_key("s")]
    reader.is_broken = False
    _settle(store, tmp_path, reader)
    assert [key for key, _, _ in _rules(tmp_path)] == [build_key("t")]


def test_a_line_on_which_the_reader_fails_holds_up_no_other(tmp_path: Path) -> None:
    class _Failing(_Reader):
        def find_rules(self, text: str, before: str = "") -> list[RuleStretch]:
            self.is_broken = "lamp" in text
            return super().find_rules(text, before)

    store = MemoryStore()
    store.put([_turns("z", "User: the lamp is green"), _turns("s", f"User: {_LEFT}")])
    _settle(store, tmp_path, _Failing())
    assert [key for key, _, _ in _rules(tmp_path)] == [build_key("s")]


def test_without_a_reader_nothing_of_it_is_left(tmp_path: Path) -> None:
    store = MemoryStore()
    store.put([_turns("s", f"User: {_LEFT}")])
    _settle(store, tmp_path, _Reader())
    assert _rules(tmp_path)
    promotion.update_promotions(store, tmp_path, reader=None, now=_AT)
    assert _rules(tmp_path) == []
    assert not list((tmp_path / "lasting").glob("*.read"))


def test_other_weights_read_anew(tmp_path: Path) -> None:
    store, reader = MemoryStore(), _Reader()
    store.put([_turns("s", f"User: {_LEFT}")])
    _settle(store, tmp_path, reader)
    reader.rules_model, reader.words, reader.chance = "other", "badge print", 1.0
    _settle(store, tmp_path, reader)
    assert [places for _, _, places in _rules(tmp_path)] == [[[0, _LEFT.index(" leave")]]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "you can leave the publishing to me again or do it yourself",
            "leave the publishing to me",
        ),
        ("should I leave the publishing to me?", "leave the publishing to me"),
        ('the poster says "leave the publishing to me"', "leave the publishing to me"),
        ("if we had two shops we'd leave the publishing to her", "leave the publishing to her"),
        ("write a script that merges duplicate guests", "merges duplicate guests"),
        ("중복된 손님 합치는 스크립트 써줘", "중복된 손님 합치는"),
        ("창고 열쇠는 왼쪽 서랍이야 까먹지 마", "까먹지 마"),
    ],
    ids=["lifted", "asked", "quoted", "supposed", "wanted", "wanted in Korean", "reminded"],
)
def test_what_lifts_asks_quotes_supposes_or_orders_work_is_no_rule(text: str, words: str) -> None:
    start = text.index(words)
    stretch = RuleStretch(start, start + len(words), RuleKind.NEVER, 1.0)
    assert rule_readings.find_said_sentence(text, stretch) == ""


@pytest.mark.parametrize(
    ("text", "chance", "is_doubtful"),
    [
        ("leave the publishing to me", 1.0, False),
        ("leave the publishing to me", 0.6, True),
        ("leave the publishing to me", 0.4, False),
        ("leave the publishing to me, okay, is that clear?", 1.0, True),
        ("leave the publishing to me while I'm reviewing it", 1.0, True),
        ("leave the publishing to me while I'm reviewing it", 0.6, False),
        ("you can leave the publishing to me again or do it yourself", 0.6, False),
        ('the poster says "leave the publishing to me"', 0.6, False),
    ],
    ids=["sure", "unsure", "unlikely", "asked", "for a moment", "both", "lifted", "quoted"],
)
def test_one_doubt_makes_a_doubtful_rule_and_two_make_none(
    text: str, chance: float, is_doubtful: bool
) -> None:
    start = text.index(_WORDS)
    stretch = RuleStretch(start, start + len(_WORDS), RuleKind.NEVER, chance)
    found = rule_readings.find_doubtful_sentence(text, stretch)
    assert found == (text if is_doubtful else "")
    allowed = stretch._replace(kind=RuleKind.ALLOWED)
    assert rule_readings.find_doubtful_sentence(text, allowed) == ""


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("releases are Priya's", False),
        ("we moved the builds to hosted machines", False),
        ("서버 백업은 창고로 올리고 있어", False),
        ("로그인이 또 안 돼", False),
        ("releases are Priya's, ask her", True),
        ("로그인 서버는 껐다 켜면 안 돼", True),
    ],
)
def test_words_that_bound_nothing_state_a_rule_only_where_the_reader_is_certain(
    text: str, bounds: bool
) -> None:
    certain = RuleStretch(0, len(text), RuleKind.NEVER, rule_readings.CERTAIN)
    nearly = certain._replace(chance=rule_readings.CERTAIN - 0.0001)
    maybe = certain._replace(chance=rule_readings.POSSIBLE)
    assert rule_readings.find_said_sentence(text, certain) == text
    assert rule_readings.find_said_sentence(text, nearly) == (text if bounds else "")
    assert rule_readings.find_doubtful_sentence(text, maybe) == (text if bounds else "")


@pytest.mark.parametrize("content", ["null", "[1, []]", '[1, "none", {"a": 3}]', "{"])
def test_a_damaged_file_is_as_none(tmp_path: Path, content: str) -> None:
    file = Path(build_readings_file(str(tmp_path), str(_SHOP)))
    file.parent.mkdir()
    file.write_text(content)
    assert rule_readings.load_readings(tmp_path, str(_SHOP)).find_stretches("a", 1) is None


def test_beside_a_permission_the_rule_of_a_short_message_is_told() -> None:
    words = "가게 홈페이지 올리는 건 내가 할게. 미리보기는 맘대로 띄워"
    start = words.index("미리보기")
    marked = RuleStretch(start=start, end=len(words), kind=RuleKind.ALLOWED, chance=0.999)
    assert rule_readings.list_said_rules(words, "", [marked]) == [
        "가게 홈페이지 올리는 건 내가 할게.",
        "미리보기는 맘대로 띄워",
    ]


def test_a_stretch_over_two_sentences_states_the_rules_of_both() -> None:
    words = "fine, merge it. don't roll it out today. never deploy on Fridays, the shop is shut"
    start, end = words.index("don't"), words.index(", the shop")
    marked = RuleStretch(start, end, RuleKind.NEVER, 0.999)
    parts = rule_readings.split_at_sentences(words, marked)
    assert [words[part.start : part.end].strip() for part in parts] == [
        "don't roll it out today.",
        "never deploy on Fridays",
    ]
    edge = marked._replace(end=words.index(" deploy on"))
    assert len(rule_readings.split_at_sentences(words, edge)) == 1
    assert rule_readings.split_at_sentences(words, parts[1]) == [parts[1]]


def test_where_the_reader_finds_none_a_plain_rule_that_stands_alone_is_told() -> None:
    alone, beside = (
        "스테이징에서 실결제 금지",
        "스테이징에서 실결제 금지. 결제 모듈에 환불 추가해줘",
    )
    assert rule_readings.list_said_rules(alone, "", []) == [alone]
    assert rule_readings.list_said_rules(beside, "", []) == []
    assert rule_readings.list_said_rules("never push to main lol, said nobody", "", []) == []
