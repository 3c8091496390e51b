"""Question of `gieok setup`: the base class of all questions, and the kinds that many are of."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import ClassVar

from gieok.commands.setup.dialogue import Pick
from gieok.commands.setup.interview import NO, YES, Given, Interview
from gieok.text.messages import Words

#: No key is longer; what is longer was copied from somewhere else.
_LONGEST_SECRET = 10_000


class AnswerKind(Enum):
    """Kind of an answer: one of several, several of them, a line, or a hidden line."""

    ONE = "one"
    MANY = "many"
    TEXT = "text"
    SECRET = "secret"  # noqa: S105 - a kind of answer


class SetupQuestion:
    """Question of the table; a subclass says what is different about it.

    A question keeps nothing: each method takes the interview with the answers so far.
    """

    #: Its name in `--answers` too.
    name: ClassVar[str]
    step: ClassVar[int]
    kind: ClassVar[AnswerKind]
    words: ClassVar[Words]
    #: Label of a pick that asks for a line; None: the picks are all there is.
    free: ClassVar[Words | None] = None
    #: Settings that the answer decides: where variables fix them all, the question is not asked.
    decides: ClassVar[tuple[str, ...]] = ()
    #: `model`, `notice` or `archive`: the trial runs once the last applicable question of its step
    #: is answered.
    trial: ClassVar[str] = ""

    def applies(self, known: Interview) -> bool:
        """Return whether the question is asked after the answers so far."""
        del known
        return True

    def note(self, known: Interview) -> Sequence[str]:
        """Return lines that are shown before the question."""
        del known
        return ()

    def picks(self, known: Interview) -> Sequence[Pick]:
        """Return the answers to choose from."""
        del known
        return ()

    def values(self, known: Interview) -> Sequence[str]:
        """Return the answers that a file may name: those to choose from, unless a class adds."""
        return [pick.value for pick in self.picks(known)]

    def default(self, known: Interview) -> Given:
        """Return the answer that Enter takes."""
        del known
        return ""

    def wrong(self, known: Interview, text: str) -> str:
        """Return what is wrong with a line that was typed; '' for nothing."""
        del known, text
        return ""

    def settings(self, known: Interview) -> Mapping[str, str]:
        """Return the settings that the answer sets, as name → text."""
        del known
        return {}

    def variable(self, known: Interview) -> str:
        """Return the variable that keeps the answer, where the answer is a secret; else ''."""
        del known
        return ""


class SettingQuestion(SetupQuestion):
    """Question whose answer is the text of one setting, which `decides` names."""

    def default(self, known: Interview) -> Given:
        """Return the setting as it is now."""
        return known.setting(self.decides[0])

    def settings(self, known: Interview) -> Mapping[str, str]:
        """Return the setting with the answer as its text."""
        return {self.decides[0]: known.text(self.name).strip()}


class YesNoQuestion(SetupQuestion):
    """Question that is answered by yes or no; Enter takes yes."""

    kind = AnswerKind.ONE

    def picks(self, known: Interview) -> Sequence[Pick]:
        """Return yes and no."""
        return [Pick(YES, known.words("yes")), Pick(NO, known.words("no"))]

    def default(self, known: Interview) -> Given:
        """Return yes."""
        del known
        return YES


class SecretQuestion(SetupQuestion):
    """Question for a key or a password, which is not shown while it is typed."""

    kind = AnswerKind.SECRET
    #: Variable that keeps the secret; '' where it depends on the answers (`variable`).
    secret: ClassVar[str] = ""

    def variable(self, known: Interview) -> str:
        """Return the variable that keeps the secret; '' where none is needed."""
        del known
        return self.secret

    def find_place(self, known: Interview) -> str:
        """Return where the secret is set by now; '' where it is not."""
        variable = self.variable(known)
        return known.access.has_secret(variable) if variable else ""

    def wrong(self, known: Interview, text: str) -> str:
        """Return what is wrong with the format of a secret; an empty line is right."""
        value = text.strip()
        has_space = any(char.isspace() for char in value)
        if value and (has_space or not value.isprintable() or len(value) > _LONGEST_SECRET):
            return known.words("a key has no spaces or line breaks: copy it again")
        return ""
