"""A language model with scripted answers."""

from collections.abc import Callable, Sequence

from gieok.ports.models import Generated, Prompt

Answer = str | Exception | Callable[[Prompt], str]


class ScriptedGenerator:
    """`Generator` for tests, with scripted answers.

    It gives the answers in turn (the last one is repeated), raises those that are errors, and
    records the prompts.
    """

    model = "scripted:1"

    def __init__(self, *answers: Answer) -> None:
        self.answers: Sequence[Answer] = answers
        self.prompts: list[Prompt] = []

    def generate(self, prompt: Prompt) -> Generated:
        """Return the next answer."""
        self.prompts.append(prompt)
        answer = self.answers[min(len(self.prompts), len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return Generated(answer(prompt) if callable(answer) else answer)
