"""Korean questions on English code: terms, endings, compounds, and what is said where a word is not
known.
"""

import pytest
from tests.code.test_query import Make

from gieok.code.ask.query import search_symbols
from gieok.code.model import korean_terms


@pytest.mark.parametrize(
    ("question", "english"),
    [
        ("쿠키를 설정하는 곳이 어디야?", "cookie set"),
        ("요청본문 파싱", "request body parse"),
        ("시간초과를 처리하는 미들웨어", "timeout handle middleware"),
        ("시간 초과를 처리하는 미들웨어", "timeout handle middleware"),
        ("클라이언트 IP를 알아내는 코드", "IP client"),
        ("키를 지우는 곳", "key delete"),
        ("키우는 강아지", ""),
        ("where is the cookie set", ""),
    ],
)
def test_a_korean_question_is_read_in_english(question: str, english: str) -> None:
    assert korean_terms.in_english(question) == english


def test_other_words_count_less_than_those_of_the_question() -> None:
    tokens = korean_terms.tokens("요청 저장")
    assert tokens["request"] == tokens["save"] > tokens["req"] == tokens["store"] > 0
    assert max(tokens.values()) < 1
    assert korean_terms.tokens("save the request") == {}


def test_no_term_stands_twice_in_a_row_and_every_row_has_a_term() -> None:
    for spellings, english in korean_terms._iter_term_rows():
        assert all(spellings)
        assert len({*spellings}) == len(spellings)
        assert len({*english}) == len(english)


_CODE = {
    "net.py": "def client_ip(request):\n    return request.remote\n\n\ndef "
    "save_uploaded_file(file, "
    "to):\n    file.copy(to)\n\n\n"
    "def bake(cake):\n    return cake\n"
}


def test_korean_finds_english_code_without_vectors(indexed: Make) -> None:
    made = indexed(_CODE)
    assert (
        search_symbols(made, None, "클라이언트 IP를 알아내는 곳", 3).answers[0].symbol.name
        == "client_ip"
    )
    assert (
        search_symbols(made, None, "업로드한 파일을 저장하는 함수", 3).answers[0].symbol.name
        == "save_uploaded_file"
    )
    assert search_symbols(made, None, "업로드한 파일을 저장하는 함수", 3).degraded is None


def test_words_that_are_not_understood_are_named_where_there_are_no_vectors(indexed: Make) -> None:
    made = indexed(_CODE)
    found = search_symbols(made, None, "강아지를 산책시키는 곳", 3)
    assert found.degraded == (
        "words only: nothing holds 강아지를, 산책시키는, and no English word for it is known; vectors "
        "find by meaning"
    )
    assert "강아지" not in (search_symbols(made, None, "파일을 저장하는 곳", 3).degraded or "")
