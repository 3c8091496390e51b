"""Marks that Gieok writes into texts of memory are read in the reader's language."""

import pytest

from gieok.text.own_marks import translate_own_marks


@pytest.mark.parametrize(
    ("text", "korean"),
    [
        (
            "월세는 다음달부터 60이다 (2026-12-01 to 2026-12-31)",
            "월세는 다음달부터 60이다 (2026-12-01 – 2026-12-31)",
        ),
        ("청구서는 28일 (corrected on 2026-11-28)", "청구서는 28일 (2026-11-28에 고침)"),
        (
            "다음 주에 낸다 (2026-12-01 to 2026-12-07) (corrected on 2026-11-28)\n그대로",
            "다음 주에 낸다 (2026-12-01 – 2026-12-07) (2026-11-28에 고침)\n그대로",
        ),
        ("문 여는 날 (2026-12-01 to 2026-12-31)이 길다", None),
        ("User: 안녕", None),
    ],
)
def test_marks_are_translated_and_words_of_a_person_are_not(text: str, korean: str | None) -> None:
    assert translate_own_marks(text, "ko") == (korean or text)
    assert translate_own_marks(text, "en") == text


def test_the_speakers_of_turns_are_named_in_the_language_of_the_reader() -> None:
    said = "User: 이름은 User: 로 해\nAssistant: 네."
    assert translate_own_marks(said, "ko", is_spoken=True) == (
        "사용자: 이름은 User: 로 해\n에이전트: 네."
    )
    assert translate_own_marks(said, "en", is_spoken=True) == said
