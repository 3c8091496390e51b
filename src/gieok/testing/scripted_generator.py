"""A language model whose answers are written down beforehand."""

from collections.abc import Callable, Sequence

from gieok.ports.models import Generated, Prompt

Answer = str | Exception | Callable[[Prompt], str]


class ScriptedGenerator:
    """`Generator` for tests: gives the answers in turn (the last one stays), raises those that are
    errors, keeps prompts.
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
