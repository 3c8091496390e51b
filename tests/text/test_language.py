"""Korean or English."""

import pytest

from gieok.text.language import detect_text_language


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("결제 서버", "ko"),
        ("결제 API", "ko"),
        ("the invoice parser 결제", "en"),
        ("", "en"),
        ("1234", "en"),
    ],
)
def test_the_language_is_told_by_letters(text: str, expected: str) -> None:
    assert detect_text_language(text) == expected
