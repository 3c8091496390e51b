"""Words of a question are found in a text in whatever form they have there."""

import pytest

from gieok.text.marks import count_question_words, split_at_question_words


@pytest.mark.parametrize(
    ("question", "text", "marked"),
    [
        # a stem need not begin its word
        ("staging database port", "Port 5432 of the staging database.", "Port staging database"),
        ("how often are payments retried", "We retry each payment.", "retry payment"),
        ("deploy", "The deployments of deploy_key", "deployments deploy_key"),
        ("전세 만기", "전세 계약은 만기가 있다.", "전세 만기"),
        ("Redis 설정", "redis를 설정한다", "redis 설정"),
        # a word that only begins alike, and one inside another
        ("stage", "The stairs and the backstage", ""),
        ("", "nothing is asked", ""),
    ],
)
def test_words_of_a_question_are_marked_by_stem_and_beginning(
    question: str, text: str, marked: str
) -> None:
    parts = split_at_question_words(text, question)
    assert "".join(parts) == text
    assert parts[1::2] == marked.split()
    assert count_question_words(text, question) == len({*marked.lower().split()})
