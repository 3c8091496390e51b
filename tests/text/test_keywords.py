"""Keyword tokens: a word is found whatever stands at its end, however it was typed."""

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gieok.text.keywords import is_statement, keyword_text, keyword_tokens, query_tokens

_TEXTS = st.text(
    st.sampled_from("결제는했다어디인가 aBcZ019_-./?!\n\t漢字かなé\u0301\u1112\u1161İßﬁ😀\x00")
    | st.characters(codec="utf-8"),
    max_size=60,
)


@pytest.mark.parametrize(
    "inflected", ["결제는", "결제를", "결제했다", "결제가", "결제에서는", "재결제"]
)
def test_a_korean_word_is_found_under_any_particle_and_ending(inflected: str) -> None:
    assert set(query_tokens("결제")) <= set(keyword_tokens(inflected))


@pytest.mark.parametrize("word", ["결제했다", "한글 메모", "강릉"])
def test_decomposed_korean_has_the_tokens_of_composed(word: str) -> None:
    assert keyword_tokens(unicodedata.normalize("NFD", word)) == keyword_tokens(word)


def test_a_particle_does_not_hide_a_latin_word() -> None:
    assert "herm" in keyword_tokens("Hermes는")
    assert list(query_tokens("Hermes는")) == ["herm"]


@pytest.mark.parametrize(
    ("identifier", "tokens"),
    [
        ("parseInvoiceDate", ["parseinvoicedate", "pars", "invoic", "date"]),
        ("refund_policy", ["refund_policy", "refund", "polici"]),
        ("HTTPServer2", ["httpserver2", "http", "server", "2"]),
        ("10GB", ["10gb", "10", "gb"]),
        ("30분", ["30", "분", "30분"]),
        ("2026-10-14-incident.md", ["2026", "10", "14", "incid", "md"]),
        ("src/gieok/config.yaml", ["src", "gieok", "config", "yaml"]),
        ("payments", ["payment"]),
        ("東京都", ["東京", "京都"]),
        ("漢", ["漢"]),
        ("___", ["___"]),
    ],
)
def test_names_are_found_whole_and_by_their_parts(identifier: str, tokens: list[str]) -> None:
    assert keyword_tokens(identifier) == tokens


def test_stop_words_are_left_out_unless_nothing_else_is_there() -> None:
    assert list(query_tokens("what is the boiler")) == ["boiler"]
    assert list(query_tokens("what is it")) == ["what", "is", "it"]
    assert list(query_tokens("deploy server", frozenset(["server"]))) == ["deploy"]


@pytest.mark.parametrize(
    "question", ["보일러는 무엇인가?", "보일러는 어디에 있는가", "보일러의 것은 무엇이라고?"]
)
def test_asking_words_are_not_looked_for(question: str) -> None:
    assert list(query_tokens(question)) == keyword_tokens("보일러")


@pytest.mark.parametrize("word", ["정산했나", "정산인가", "정산을", "정산하나요"])
def test_an_asking_ending_is_cut_but_two_syllables_stay(word: str) -> None:
    tokens = list(query_tokens(word))
    assert tokens[0] == "정산"
    assert set(tokens) <= set(keyword_tokens(word))


def test_a_statement_is_looked_for_as_it_stands() -> None:
    assert list(query_tokens("고양이를 입양했다.")) == keyword_tokens("고양이를 입양했다.")


@pytest.mark.parametrize(
    "text", ["결제했다.", "The cat sleeps.", "보일러를 고쳤어요", "오늘은 쉼 없음"]
)
def test_a_statement_is_told_from_a_question(text: str) -> None:
    assert is_statement(text)


@pytest.mark.parametrize(
    "text", ["결제했나?", "boiler", "무엇인가", "Where is it.", "", "결제한다고?"]
)
def test_a_question_or_a_name_is_no_statement(text: str) -> None:
    assert not is_statement(text)


@pytest.mark.parametrize("unit", ["a", "가", "漢", "é"])
def test_a_very_long_word_has_few_tokens_and_is_found_by_itself(unit: str) -> None:
    word = unit * 1_000_000
    assert 1 <= len(keyword_tokens(word)) < 64
    assert set(query_tokens(word)) == set(keyword_tokens(word))


@settings(derandomize=True, deadline=None, max_examples=300)
@given(_TEXTS)
def test_a_query_asks_for_something_whenever_its_text_has_a_token(text: str) -> None:
    assert bool(query_tokens(text)) == bool(keyword_tokens(text))


@settings(derandomize=True, deadline=None, max_examples=300)
@given(_TEXTS)
def test_tokens_are_words_without_spaces_and_the_same_every_time(text: str) -> None:
    tokens = keyword_tokens(text)
    assert " ".join(tokens) == keyword_text(text)
    assert all(token and not any(char.isspace() for char in token) for token in tokens)
    assert keyword_tokens(unicodedata.normalize("NFD", text)) == tokens


def test_accents_do_not_hide_a_word() -> None:
    assert keyword_tokens("Café École") == keyword_tokens("cafe ecole")


def test_marks_inside_a_sign_end_a_token() -> None:
    assert keyword_tokens("제1⑴항 v⒈") == ["제", "1", "1", "항", "v1", "v", "1"]


@given(st.text(max_size=40))
def test_every_token_is_of_letters_digits_and_underscores(text: str) -> None:
    assert all(re.fullmatch(r"\w+", token) for token in keyword_tokens(text))


@pytest.mark.parametrize(
    "text",
    [
        "지난 회의 요약해줘.",
        "배포 날짜 알려주세요",
        "Tell me about the outage.",
        "Please list the risks.",
    ],
)
def test_a_request_is_no_statement(text: str) -> None:
    assert not is_statement(text)


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("500번으로 연락", "500번"),
        ("3개월 동안", "3개월"),
        ("12시에 회의", "12시"),
        ("1,000원", "1000원"),
        ("회의는 12 시에", "12시"),
        ("3시간 걸린다", "3시간"),
    ],
)
def test_a_number_with_its_counter_is_a_token(text: str, token: str) -> None:
    assert token in keyword_tokens(text)
    assert token in query_tokens(f"{token}?")


@pytest.mark.parametrize(
    ("text", "token"), [("$500", "500번"), ("3시간", "3시"), ("1500번", "500번"), ("2.5개", "5개")]
)
def test_another_number_or_counter_is_another_token(text: str, token: str) -> None:
    assert token not in keyword_tokens(text)
