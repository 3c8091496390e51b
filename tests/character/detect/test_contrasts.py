"""A correction is heard, however it is said; what only contrasts other things corrects nothing."""

import pytest
from character_talk import BOND, CharacterTalk

#: What was said before, the correction, and what then holds: subject, predicate and value.
_HEARD = [
    ("나는 간호사로 일해", "간호사 아니고 조산사라니까", ("user", "job", "조산사")),
    ("나 망원동에 살아", "망원동이 아니라 망미동이야", ("user", "lives_in", "망미동")),
    ("우리 고양이 이름은 두부야", "두부 말고 두유라고", ("user", "pet", "두유 (고양이)")),
    ("내 생일은 4월 12일이야", "12일이 아니고 21일이거든", ("user", "birthday", "4월 21일")),
    ("나 새우 알레르기 있어", "새우가 아니라 게라니까", ("user", "allergy", "게 알레르기")),
    ("내 이름은 서연이야", "서연 아니야, 서윤이야", ("user", "name", "서윤")),
    ("I live in Oban", "not Oban, I said Cobham", ("user", "lives_in", "Cobham")),
    ("I work as a plumber", "i'm a painter, not a plumber", ("user", "job", "painter")),
    ("my dog is called Biscuit", "it's B-i-s-q-u-i-t", ("user", "pet", "Bisquit (dog)")),
    ("my birthday is May 4", "sorry, i meant May 14", ("user", "birthday", "May 14")),
]


def _holding(talk: CharacterTalk) -> set[tuple[str, str, str]]:
    facts = talk.characters.memories(BOND).facts
    return {(one.subject, one.predicate, one.object) for one in facts if one.is_current}


@pytest.mark.parametrize(("before", "correction", "holds"), _HEARD)
def test_a_correction_takes_the_place_of_what_was_wrong(
    talk: CharacterTalk, before: str, correction: str, holds: tuple[str, str, str]
) -> None:
    talk.say(before)
    assert _holding(talk)
    talk.later(1)
    talk.say("c: 그랬구나", correction)
    assert _holding(talk) == {holds}
    assert len(talk.characters.memories(BOND).facts) == 1, "it never was otherwise"


def test_a_fact_turns_out_to_be_of_somebody_else(talk: CharacterTalk) -> None:
    talk.say("I work as a plumber", "c: hard work!", "no, my brother's a plumber")
    assert ("user", "job", "plumber") not in _holding(talk)
    assert {(one[0], one[1]) for one in _holding(talk)} == {("brother", "job")}


def test_what_was_corrected_comes_back_where_the_correction_is_withdrawn(
    talk: CharacterTalk,
) -> None:
    talk.say("나는 간호사로 일해", "간호사 아니고 조산사라니까")
    last = talk.characters.context(BOND, "").window[-1]
    talk.characters.withdraw(BOND, [last.id])
    assert _holding(talk) == {("user", "job", "간호사")}


@pytest.mark.parametrize(
    ("before", "contrast"),
    [
        ("나는 커피를 좋아해", "커피 말고 차 줘"),
        ("나는 간호사로 일해", "선생님 아니고 간호사라니까"),
        ("나는 간호사로 일해", "간호사 아니고서야 누가 알겠어"),
        ("나 망원동에 살아", "오늘은 망원동 말고 성수동에서 보자"),
        ("I live in Oban", "it's not the money, it's the people"),
        ("I live in Oban", "she said not yet, but soon"),
    ],
)
def test_what_contrasts_other_things_corrects_nothing(
    talk: CharacterTalk, before: str, contrast: str
) -> None:
    talk.say(before)
    held = _holding(talk)
    talk.say(contrast)
    assert held <= _holding(talk)
