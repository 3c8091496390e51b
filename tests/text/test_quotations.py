import pytest

from gieok.text.quotations import find_quotations, quotes_speech


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ('she said "move it to friday" to me', ["move it to friday"]),
        ("그는 “금요일로 옮기자”라고 했다", ["금요일로 옮기자"]),
        ('call it "A", never "B" or "C"', []),
        ('"하루"는 쓰지 말고 "1일"로 통일', []),
        ('"1일" 말고 "금요일마다 보내 줘"라고', ["금요일마다 보내 줘"]),
        ('no "Co-Authored-By" please', ["Co-Authored-By"]),
        ("문서에 '직접 수정하지 마시오'라고 적어", ["직접 수정하지 마시오"]),
        ("I don't know, he's 한국 사람 and doesn't", []),
    ],
)
def test_words_between_two_short_quotations_are_not_quoted(text: str, quoted: list[str]) -> None:
    assert [pair["words"] for pair in find_quotations(text)] == quoted


def test_one_word_in_marks_is_a_name_and_several_are_somebodys_words() -> None:
    assert quotes_speech('the page says "always deploy"')
    assert not quotes_speech('no "Co-Authored-By" in commit messages')
