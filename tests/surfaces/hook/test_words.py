"""What words alone may say: never sure on one shared stem, and at least a title where a tag or a
title is named.
"""

import pytest


@pytest.fixture
def tagged(place):
    place.remember("Use ruff and nothing else.", category="decision", tags="linter, style")
    place.remember(
        "Our full suite of services runs in Frankfurt since the migration.", category="decision"
    )
    place.remember(
        "Headings are written in capital letters.", title="Heading case", category="preference"
    )
    place.remember(
        "Deploys go out on Tuesday mornings.", title="Deploy window", category="constraint"
    )
    return place


@pytest.mark.parametrize(
    "prompt", ["linter 추가해줘", "linter를 추가해 주세요", "please set up a linter for me"]
)
def test_a_tag_that_a_prompt_names_brings_at_least_the_title(tagged, prompt: str) -> None:
    assert "Use ruff" in tagged.hook("prompt", tagged.payload(prompt)).context


def test_a_title_that_a_prompt_names_brings_at_least_the_title(tagged) -> None:
    assert (
        "Deploy window"
        in tagged.hook(
            "prompt", tagged.payload("add a note on the deploy window to the wiki")
        ).context
    )


def test_one_shared_stem_is_never_sure(tagged) -> None:
    shown = tagged.hook("prompt", tagged.payload("run the test suite")).context
    assert "current" not in shown
    assert "memory-context" not in shown or "unsure" in shown


@pytest.mark.parametrize(
    "prompt",
    [
        "continue please",
        "계속해줘",
        "try again please",
        "ok do it now",
        "응 그렇게 해줘",
        "go ahead and finish it",
        "그거 다시 해봐",
        "yes, keep going",
        "make it a bit shorter",
        "마저 진행해줘",
        "좋아 이어서 해줘",
        "undo that last one",
        "what is the capital of Peru",
        "explain monads to me",
        "HTTP 404가 뭐야?",
        "difference between TCP and UDP?",
    ],
)
def test_a_prompt_of_this_session_or_of_the_world_gets_nothing(tagged, prompt: str) -> None:
    tagged.remember("Please continue to use the old API, try it again in May.", category="decision")
    tagged.remember(
        "계속 쓰던 서버 그대로 쓴다. 404 페이지는 디자인 팀이 맡는다.", category="decision"
    )
    assert tagged.hook("prompt", tagged.payload(prompt)).context == ""


def test_what_is_asked_of_the_world_is_answered_where_memory_has_a_lead(tagged) -> None:
    assert (
        "Tuesday"
        in tagged.hook(
            "prompt", tagged.payload("what is the deploy window on Tuesday mornings?")
        ).context
    )
