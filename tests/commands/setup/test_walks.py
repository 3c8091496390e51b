"""However a person walks through `gieok setup`, back and forth, what is saved follows from the path
that they end on.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from contexts import using
from hypothesis import given, settings
from hypothesis import strategies as st

from gieok.commands.setup.changes import SetupChanges, find_setup_changes, is_asked
from gieok.commands.setup.dialogue import Pick, WentBack
from gieok.commands.setup.dialogue_steps import Asking
from gieok.commands.setup.interview import Given, Interview
from gieok.commands.setup.questions import QUESTIONS, STEPS
from gieok.commands.setup.questions.question import AnswerKind
from gieok.commands.setup.terminal import TerminalDialogue
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.home.setup import HomeSetup
from gieok.ports.keys import Trial, Verdict
from gieok.settings.table import OPTIONS

#: Days that are more than those of every other line.
_MORE_THAN_ANY = "99999"
#: Lines that some question takes; the others refuse them.
_LINES = (
    "120",
    "9999",
    "~/vault",
    "http://127.0.0.1:9/v1",
    "small",
    "Gieok/AI",
    "mail.example.org",
    "me@example.org",
    "KEY1",
    "",
)


class _Untried(HomeSetup):
    """A home's own setup, in which everything is said to work: nothing leaves the test."""

    def try_model(self, *_: object) -> Trial:
        return Trial("model", "", Verdict.VALID, "it answered")

    def try_notice(self, *_: object) -> Trial:
        return Trial("notice", "", Verdict.VALID, "told")

    def try_archive(self, *_: object) -> Trial:
        return Trial("archive", "", Verdict.VALID, "there")


class _Person(TerminalDialogue):
    """Somebody who answers by `choose`, and goes back where it gives a number that says so."""

    def __init__(self, choose: Callable[[int], int], backs: int) -> None:
        self._choose = choose
        self._backs = backs

    def begin(self, *_: object) -> None:
        """Say nothing."""

    def say(self, *_: object, **__: object) -> None:
        """Read nothing."""

    def one(self, question: str, picks: Sequence[Pick], default: str) -> str:
        self._perhaps_back()
        assert default in [pick.value for pick in picks]
        return self._of([default, *(pick.value for pick in picks)])

    def many(self, question: str, picks: Sequence[Pick], default: Sequence[str]) -> list[str]:
        self._perhaps_back()
        return [pick.value for pick in picks if self._choose(1)]

    def text(
        self, question: str, default: str, wrong: Callable[[str], str], *, is_secret: bool = False
    ) -> str:
        self._perhaps_back()
        fitting = [line for line in (default, *_LINES) if not wrong(line)]
        return self._of(fitting or [_MORE_THAN_ANY])

    def _perhaps_back(self) -> None:
        if self._backs and self._choose(2) == 0:
            self._backs -= 1
            raise WentBack

    def _of(self, values: Sequence[str]) -> str:
        return values[self._choose(len(values) - 1)]


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Call:
    user = tmp_path_factory.mktemp("user")
    (user / ".claude" / "projects" / "-shop").mkdir(parents=True)
    (user / ".claude" / "projects" / "-shop" / "s.jsonl").write_text("{}\n", encoding="utf-8")
    (user / "vault" / ".obsidian").mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIEOK_HOME", str(user / ".gieok"))
        opened = open_call({}, environment={"HOME": str(user), "PATH": str(user)}, folder=user)
        yield using(opened, setup=_Untried(opened.home))


@pytest.fixture(scope="module")
def fresh(call: Call) -> Interview:
    """Return an interview without answers, which has looked around."""
    return Interview(call)


def _straight(known: Interview, answers: dict[str, Given]) -> SetupChanges:
    """Return what is saved by who answers so, and never goes back."""
    for question in QUESTIONS:
        if is_asked(known, question):
            known = known.with_answers({**known.answers, question.name: answers[question.name]})
    return find_setup_changes(known)


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_what_is_saved_is_what_the_last_path_says(fresh: Interview, data: st.DataObject) -> None:
    def choose(most: int) -> int:
        return data.draw(st.integers(0, most))

    known = Asking(_Person(choose, backs=8), QUESTIONS, STEPS).ask(fresh)
    asked = {question.name for question in QUESTIONS if is_asked(known, question)}
    assert set(known.answers) == asked, "no answer of a path that was left"
    found = find_setup_changes(known)
    assert found == _straight(fresh, dict(known.answers))
    options = {option.name: option for option in OPTIONS}
    for name, text in found.settings.items():
        options[name].parse(text, "setup")
    secrets = {
        q.variable(known) for q in QUESTIONS if q.kind is AnswerKind.SECRET and q.name in asked
    }
    assert set(found.secrets) <= secrets


class _Scripted(_Person):
    """Somebody who takes these answers in order; None goes back."""

    def __init__(self, *answers: str | None) -> None:
        super().__init__(lambda most: 0, 0)
        self._answers = list(answers)
        self.suggested: list[str] = []

    def one(self, question: str, picks: Sequence[Pick], default: str) -> str:
        self.suggested.append(default)
        return self._next(default)

    def many(self, question: str, picks: Sequence[Pick], default: Sequence[str]) -> list[str]:
        return list(default)

    def text(
        self, question: str, default: str, wrong: Callable[[str], str], *, is_secret: bool = False
    ) -> str:
        return self._next(default)

    def _next(self, default: str) -> str:
        answer = self._answers.pop(0) if self._answers else default
        if answer is None:
            raise WentBack
        return answer


def test_a_model_that_was_named_before_going_back_to_rules_is_forgotten(fresh: Interview) -> None:
    person = _Scripted("90", "none", "anthropic", "claude-haiku-4-5", None, None, "rules")
    known = Asking(person, QUESTIONS, STEPS).ask(fresh)
    assert "model_name" not in known.answers
    assert "observe.model" not in find_setup_changes(known).settings


def test_an_answer_is_offered_again_where_the_question_is_the_same_and_nowhere_else(
    fresh: Interview,
) -> None:
    names = ("claude-opus-9", None, None)
    person = _Scripted(
        "90",
        "none",
        "anthropic",
        *names,
        "openai",
        "gpt-5-mini",
        None,
        None,
        "anthropic",
        None,
        "rules",
    )
    Asking(person, QUESTIONS, STEPS).ask(fresh)
    asked = [
        "90",
        "none",
        "rules",
        "claude-haiku-4-5",
        "claude-opus-9",
        "anthropic",  # two steps back: as it was typed
        "gpt-5-mini",
        "gpt-5-mini",
        "openai",
        "claude-haiku-4-5",
        "anthropic",  # the name is asked of another provider than last: no draft
    ]
    assert person.suggested[: len(asked)] == asked


def test_the_path_of_the_home_is_untouched(call: Call) -> None:
    assert not Path(call.home.folder, "config.yaml").exists()
