"""What is told of one relative in the words that one uses of oneself is a fact of that relative."""

import pytest
from character_talk import BOND, CharacterTalk


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("내 동생은 대학생이야", ("동생", "job", "대학생")),
        ("아빠는 버스 기사로 일해", ("아빠", "job", "버스 기사")),
        ("누나는 통영에 살아", ("누나", "lives_in", "통영")),
        ("아내가 간호사야", ("아내", "job", "간호사")),
        ("나는 간호사야", ("user", "job", "간호사")),
        ("내 직업은 간호사야", ("user", "job", "간호사")),
    ],
)
def test_a_fact_is_of_the_relative_whom_the_sentence_is_about(
    talk: CharacterTalk, said: str, fact: tuple[str, str, str]
) -> None:
    talk.say(said)
    facts = talk.characters.memories(BOND).facts
    told = {one[:3] for one in ((f.subject, f.predicate, f.object) for f in facts)}
    assert fact in told
    assert not any(
        one[0] == "user" and fact[0] != "user" for one in told - {fact} if one[1] == "job"
    )


@pytest.mark.parametrize(
    "said", ["친구들이 간호사야", "걔는 통영에 살아", "엄마가 교사였으면 좋겠어"]
)
def test_what_is_told_of_no_one_relative_is_no_fact(talk: CharacterTalk, said: str) -> None:
    talk.say(said)
    assert not [one for one in talk.characters.memories(BOND).facts if one.predicate != "friend"]


def test_what_is_known_of_a_relative_is_told_with_its_words(talk: CharacterTalk) -> None:
    talk.say("아빠는 버스 기사로 일해")
    assert "버스 기사라고 했던 것 같아 (“아빠는 버스 기사로 일해”)" in talk.told(
        "아빠 무슨 일 하시지?"
    )
