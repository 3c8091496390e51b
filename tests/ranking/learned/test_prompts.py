"""A prompt that what was told may bear on is told from one about the world or the code at hand."""

from pathlib import Path

from gieok.models.local.runtime import E5Embedder
from gieok.ranking.learned.prompts import asks_memory

#: Neither in the words nor in the subjects of those that the head was fitted on.
_OF_MEMORY = (
    "which log level did we agree on?",
    "who signs the contracts these days?",
    "what was the deadline for the tax forms?",
    "우리 회의록 어디에 두기로 했더라",
    "내 여권 언제 만료돼?",
    "알림 문구 누가 정해?",
)
_OF_OTHERS = (
    "implement a binary search",
    "what is a closure in Swift?",
    "this import is circular, break it",
    "루비에서 심볼이 뭐야",
    "이 변수 이름 바꿔줘",
    "메모리 누수 찾아줘",
)


def test_most_prompts_are_judged_right_in_both_languages(models: Path) -> None:
    embedder = E5Embedder(models)
    judged = [
        asks_memory(embedder.embed_query(prompt), embedder.model) > -0.15
        for prompt in (*_OF_MEMORY, *_OF_OTHERS)
    ]
    right = [said is (number < len(_OF_MEMORY)) for number, said in enumerate(judged)]
    assert sum(right) >= 10
    assert sum(judged[: len(_OF_MEMORY)]) >= 5, "to miss is worse than to look"


def test_of_another_model_nothing_is_known() -> None:
    assert asks_memory(b"\0" * 1536, "other@1") == 0.0
