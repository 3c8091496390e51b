from gieok.errors import EmbedderFailed
from gieok.memory.talk.kept_answers import KeptAnswers


class _Model:
    """Model that counts the letters of a word, and fails on the word `fail`."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def count(self, word: str) -> int:
        self.asked.append(word)
        if word == "fail":
            raise EmbedderFailed("no weights")
        return len(word)


def test_a_question_is_asked_once() -> None:
    model = _Model()
    answers = KeptAnswers(model.count)
    assert [answers.find("two"), answers.find("seven"), answers.find("two")] == [3, 5, 3]
    assert model.asked == ["two", "seven"]
    assert len(answers) == 2


def test_a_closed_model_answers_what_it_was_asked_before_and_counts_the_rest() -> None:
    answers = KeptAnswers(_Model().count)
    answers.find("two")
    answers.close()
    assert [answers.find("two"), answers.find("seven"), answers.find("one")] == [3, None, None]
    assert answers.missed == 2
    assert answers.can_answer


def test_a_model_that_fails_is_asked_no_more() -> None:
    model = _Model()
    answers = KeptAnswers(model.count)
    assert [answers.find("two"), answers.find("fail"), answers.find("two")] == [3, None, None]
    assert model.asked == ["two", "fail"]
    assert not answers.can_answer
    assert not answers.missed


def test_without_a_model_there_is_no_answer() -> None:
    answers: KeptAnswers[str, int] = KeptAnswers(None)
    assert answers.find("two") is None
    assert not answers.can_answer
