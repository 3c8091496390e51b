"""What a user puts right of the last turn is heard, whoever said it wrongly."""

import re
from datetime import date

import pytest

from gieok.character.detect.detect import Detection, Spoken, detect_statements
from gieok.character.detect.righted.claim_kinds import CLAIM_KINDS, ClaimKind
from gieok.character.detect.righted.search import iter_righted
from gieok.character.predicates import PREDICATES

_DAY = date(2026, 5, 4)


def _hear(text: str, answers: str, *before: str) -> Detection:
    said = Spoken(text, True, _DAY, answers=answers, earlier=before[-3:], recent=before)
    return detect_statements(said, ())


@pytest.mark.parametrize("kind", CLAIM_KINDS, ids=[kind.predicate for kind in CLAIM_KINDS])
def test_a_kind_of_claim_has_an_example_and_a_counter_example(kind: ClaimKind) -> None:
    words = kind.words.replace("{w}", "부산")
    assert kind.predicate in PREDICATES
    assert re.search(words, kind.example, re.IGNORECASE)
    assert not re.search(words, kind.counter_example, re.IGNORECASE)


@pytest.mark.parametrize(
    ("answers", "text", "predicate", "value"),
    [
        # denied, with the right value beside it
        ("와, 첼로 켠다며!", "첼로 말고 비올라야", "detail", "첼로가 아니라 비올라"),
        ("수민 님, 반가워요", "수민이 아니라 수빈이에요", "name", "수빈"),
        ("How's the hip doing?", "Not the hip, the ankle", "detail", "ankle, not hip"),
        ("The flute, lovely.", "Oboe, not flute. I play it badly", "detail", "Oboe, not flute"),
        # told of something else
        ("전주 사신다고 하셨죠?", "전주는 처가고요 저는 익산 살아요", "lives_in", "익산"),
        ("So you live in Cork?", "Cork's where I was born. I'm in Sligo", "lives_in", "Sligo"),
        ("Is it your elbow?", "It was my cousin's elbow. It's the wrist for me", "detail", "wrist, not elbow"),
        # said again as another value of its kind
        ("너 발 250이라며", "265인데? 누가 그래", "detail", "250이 아니라 265"),
        ("How's Marta keeping?", "Marti. Marta is her aunt", "detail", "Marti, not Marta"),
        ("Ah, Clover's a goat?", "No, I meant the donkey. Clover's a donkey", "detail", "donkey, not goat"),
        ("You hate olives, right?", "No, it's capers I hate", "dislikes", "capers"),
        ("Third floor, isn't it?", "nope, fifth floor", "detail", "fifth, not Third"),
        ("해마를 기르시는군요!", "가오리라니까요ㅋㅋ 해마는 옆방", "detail", "해마가 아니라 가오리"),
        ("민서 님, 축하해요!", "민서가 아니고 민성이에요", "name", "민성"),
        ("Leeds, I thought.", "Hull, madam. Leeds is where the bus stops", "detail", "Hull, not Leeds"),
        ("Celtic man, are you?", "Celtic! Wash your mouth. Hibs till I die", "detail", "Hibs, not Celtic"),
        ("You're living in Oban?", "No, Crieff", "lives_in", "Crieff"),
        # given up for another
        ("The usual stout?", "I've gone off it. I'm on the cider these days", "detail", "cider, not stout"),
    ],
)  # fmt: skip
def test_what_the_character_says_wrongly_is_put_right(
    answers: str, text: str, predicate: str, value: str
) -> None:
    found = [(one.predicate, one.object) for one in _hear(text, answers, "가오리 봐요").findings]
    assert (predicate, value) in found


@pytest.mark.parametrize(
    ("before", "text", "value"),
    [
        ("A dozen goats, nineteen sheep", "no, I tell a lie, twenty-one", "twenty-one"),
        ("수영장 7시에 닫아서 이제 나왔어", "아 정정할게 수영장 8시에 닫아", "8시"),
        ("We rehearse on Mondays", "what I meant was every Tuesday", "Tuesday"),
    ],
)
def test_what_the_user_said_wrongly_is_put_right(before: str, text: str, value: str) -> None:
    found = _hear(text, "Oh, all right.", before)
    assert any(value in one.object for one in found.findings)


def test_what_the_user_cites_of_themselves_is_put_right_though_it_is_long_ago() -> None:
    found = _hear("correction, I told you Biscuit's 6, but the vet says 8", "I see.")
    assert [one.object for one in found.findings] == ["Biscuit's 8"]


def test_a_sentence_of_some_turns_ago_is_put_right_where_it_is_named() -> None:
    before = ("The plumber comes on Monday", "cold today", "the cat is asleep", "rain again")
    text = "scratch that about the plumber, it's Wednesday"
    (righted,) = iter_righted(text, "Rain it is.", before[-3:], before)
    assert (righted.wrong, righted.right) == ("Monday", "Wednesday")
    assert not list(iter_righted("it's Wednesday", "Rain it is.", before[-3:], before))


def test_what_is_said_of_kin_is_put_right_as_of_them() -> None:
    (found,) = _hear("고등학교 말고 대학교라니까요", "아드님이 고등학교 선생님이시군요.").findings
    assert found.object == "아드님: 고등학교가 아니라 대학교"


@pytest.mark.parametrize(
    ("answers", "text"),
    [
        # the character speaks of itself, or of somebody else
        ("난 커피가 좋아.", "커피 말고 차 마셔 봐"),
        ("언니도 망원동에 살아?", "망원동 아니고 망미동이야"),
        ("I like my tea strong.", "not tea, weather"),
        # no right value, or none that is one
        ("너 첼로 켠다며", "첼로 말고 싶다고 했어"),
        ("You hate olives, right?", "No, I don't know where you got that"),
        ("Do you play the flute?", "not the flute, no"),
        # a question, an idea
        ("전주 사신다고 하셨죠?", "전주가 아니라 익산이라고요?"),
        ("So you live in Cork?", "maybe not Cork, maybe Sligo"),
        # another number of something else
        ("You said you're 54.", "30 people are coming to the party"),
        ("Tell me more.", "My brother would have something to say."),
    ],
)
def test_what_puts_nothing_right_is_no_correction(answers: str, text: str) -> None:
    assert not list(iter_righted(text, answers, ()))


def test_a_long_message_is_no_correction_and_takes_no_time() -> None:
    answers = "You work in Ennis, don't you? 강아지 이름은 보리라며?"
    for said in ("가", "'", "Not Ennis, "):
        assert not list(iter_righted(said * 50_000, answers, ()))


def test_the_name_of_somebody_else_becomes_nobody_elses() -> None:
    answers = "수지 님, 예쁜 이름이에요."
    found = _hear("수지는 우리 처제고 집사람은 수진", answers, "수진 씨라고 불러요").findings
    assert ("detail", "수지가 아니라 수진") in [(one.predicate, one.object) for one in found]
    assert "name" not in [one.predicate for one in found]


def test_starfish_are_no_lyrics() -> None:
    assert not _hear("저는 불가사리를 좋아해요", "").gate
    assert _hear("이거 노래 가사야", "").gate
