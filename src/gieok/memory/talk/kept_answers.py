"""Answers of a model that are kept, so that the same question is asked once.

A model may stop working while it is asked, and whoever asks may have to stop waiting for it: both
leave a question without an answer.
"""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from gieok.errors import EmbedderFailed

_QuestionT = TypeVar("_QuestionT", bound=Hashable)
_AnswerT = TypeVar("_AnswerT")


class KeptAnswers(Generic[_QuestionT, _AnswerT]):
    """Answers of one model by their questions.

    `ask_model` is None where there is no model. `missed` counts the questions that were to be asked
    after `close`.
    """

    def __init__(self, ask_model: Callable[[_QuestionT], _AnswerT] | None) -> None:
        self._ask_model = ask_model
        self._known: dict[_QuestionT, _AnswerT] = {}
        self._is_closed = False
        self.missed = 0

    def __len__(self) -> int:
        """Return the number of questions that were asked."""
        return len(self._known)

    @property
    def can_answer(self) -> bool:
        """Say whether there is a model, and it works."""
        return self._ask_model is not None

    def close(self) -> None:
        """Ask the model for nothing more: only kept answers are returned."""
        self._is_closed = True

    def find(self, question: _QuestionT) -> _AnswerT | None:
        """Return the answer to a question; None without a model, or where it cannot run."""
        if self._ask_model is None:
            return None
        if question not in self._known:
            if self._is_closed:
                self.missed += 1
                return None
            try:
                self._known[question] = self._ask_model(question)
            except EmbedderFailed:
                self._ask_model = None
                return None
        return self._known[question]
