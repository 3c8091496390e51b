"""Asks the questions of a table in order, with a way back, and tries the answers."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from gieok.commands.command import printable
from gieok.commands.home.keys import VERDICTS, find_verdict_sign
from gieok.commands.setup.changes import is_asked, run_setup_trial
from gieok.commands.setup.dialogue import FREE, Pick, WentBack
from gieok.commands.setup.interview import Given, Interview
from gieok.commands.setup.questions.question import AnswerKind, SetupQuestion
from gieok.ports.keys import Trial, Verdict
from gieok.text.messages import Words, in_language

if TYPE_CHECKING:
    from gieok.commands.setup.terminal import TerminalDialogue

_AGAIN, _KEEP = "again", "keep"
#: What to do at once; the hints of trials are for a person who is not being asked.
_ADVICE = {
    Verdict.INVALID: Words("the key is another: copy it again, whole"),
    Verdict.QUOTA: Words("the key is right; look at the account, or wait"),
    Verdict.FAILED: Words("look at the model's name, or take another"),
    Verdict.UNREACHABLE: Words("look at the network, the address and the model"),
}


class _Draft(NamedTuple):
    """Answer that was given, with the look of its question at the time."""

    look: tuple[object, ...]
    given: Given


class Asking:
    """One pass over the questions of a table; `titles` is step → title.

    The known answers are those on the path taken: where the person went back, later answers are
    dropped. A dropped answer is kept as a draft, and offered again where the question is the same.
    """

    def __init__(
        self,
        dialogue: "TerminalDialogue",
        questions: Sequence[SetupQuestion],
        titles: Mapping[int, Words],
    ) -> None:
        self._dialogue = dialogue
        self._questions = questions
        self._titles = titles
        self._step = 0
        #: Answered questions to go back to, each with its answer.
        self._path: list[tuple[int, Given]] = []
        self._drafts: dict[str, _Draft] = {}

    def ask(self, known: Interview) -> Interview:
        """Return the interview with every answer.

        Raises Cancelled.
        """
        at, before = 0, known.answers
        while at < len(self._questions):
            question = self._questions[at]
            if not is_asked(known, question):
                at += 1
                continue
            self._enter(known, question.step)
            try:
                answer = self._asked(known, question)
                self._path.append((at, answer))
                known = known.with_answers({**before, **self._answers()})
                self._dialogue.say(
                    f"  · {question.words.say(known.call.lang)} "
                    f"{format_setup_answer(known, question)}"
                )
                at = self._next(known, at)
            except WentBack:
                at = self._path.pop()[0] if self._path else at
                self._step = min(self._step, self._questions[at].step)
            known = known.with_answers({**before, **self._answers()})
        return known

    def _answers(self) -> dict[str, Given]:
        return {self._questions[at].name: answer for at, answer in self._path}

    def _asked(self, known: Interview, question: SetupQuestion) -> Given:
        """Ask one question; an earlier draft is the default that Enter takes."""
        look, draft = _build_question_look(known, question), self._drafts.get(question.name)
        default = (
            draft.given if draft is not None and draft.look == look else question.default(known)
        )
        answer = _ask_setup_question(known, self._dialogue, question, default)
        self._drafts[question.name] = _Draft(look, answer)
        return answer

    def _enter(self, known: Interview, step: int) -> None:
        """Show the title of a step that begins, and of skipped steps without questions."""
        steps = len(self._titles)
        for number in range(self._step + 1, step + 1):
            title = (
                f"{number}/{steps}  {self._titles[number].say(known.call.lang)}"
                if steps > 1
                else ""
            )
            self._dialogue.say(title or self._titles[number].say(known.call.lang), is_title=True)
            if number < step:
                self._dialogue.say(known.words("  nothing to set up"))
        self._step = step

    def _next(self, known: Interview, at: int) -> int:
        """Run trials that are complete now; return the index of the next question.

        Raises WentBack.
        """
        trial = self._questions[at].trial
        later = (q for q in self._questions[at + 1 :] if q.trial == trial and is_asked(known, q))
        if not trial or next(later, None):
            return at + 1
        self._dialogue.say(known.words("  trying …"), is_passing=True)
        trials = run_setup_trial(known, trial)
        for outcome in trials:
            for line in trial_lines(known, outcome, advice=_ADVICE if trial != "notice" else {}):
                self._dialogue.say(line)
        if all(outcome.verdict is Verdict.VALID for outcome in trials):
            return at + 1
        picks = [
            Pick(_AGAIN, known.words("answer again")),
            Pick(_KEEP, known.words("keep it all the same")),
        ]
        if self._dialogue.one(known.words("That did not work."), picks, _AGAIN) == _KEEP:
            return at + 1
        first = self._first(
            trial, is_key_wrong=any(outcome.verdict is Verdict.INVALID for outcome in trials)
        )
        self._path = [(place, answer) for place, answer in self._path if place < first]
        return first

    def _first(self, trial: str, *, is_key_wrong: bool) -> int:
        """Return the question to repeat after a trial.

        This is the key's question where the key is wrong, else the first question of the trial.
        """
        places = [place for place, _ in self._path if self._questions[place].trial == trial]
        secret = [place for place in places if self._questions[place].kind is AnswerKind.SECRET]
        return secret[0] if secret and is_key_wrong else places[0]


def _build_question_look(known: Interview, question: SetupQuestion) -> tuple[object, ...]:
    """Return what identifies a question: its picks, its default, and where a secret goes."""
    picks = tuple(pick.value for pick in question.picks(known))
    return picks, question.default(known), question.variable(known)


def _ask_setup_question(
    known: Interview, dialogue: "TerminalDialogue", question: SetupQuestion, before: Given
) -> Given:
    words = question.words.say(known.call.lang)
    for line in question.note(known):
        dialogue.say(f"  {line}")
    if question.kind is AnswerKind.MANY:
        return tuple(
            dialogue.many(words, question.picks(known), before if isinstance(before, tuple) else ())
        )
    default = before if isinstance(before, str) else ""
    if question.kind is AnswerKind.ONE:
        picks = list(question.picks(known))
        if not picks:
            return _ask_text_line(known, dialogue, question, default)
        if question.free:
            picks.append(Pick(FREE, question.free.say(known.call.lang)))
        values = [pick.value for pick in picks]
        if question.free and default and default not in values:
            picks.insert(0, Pick(default, default))  # as it was typed before
            values.insert(0, default)
        chosen = dialogue.one(words, picks, default if default in values else values[0])
        return _ask_text_line(known, dialogue, question, "") if chosen == FREE else chosen
    return _ask_text_line(
        known, dialogue, question, "" if question.kind is AnswerKind.SECRET else default
    )


def _ask_text_line(
    known: Interview, dialogue: "TerminalDialogue", question: SetupQuestion, default: str
) -> str:
    words, is_secret = question.words.say(known.call.lang), question.kind is AnswerKind.SECRET
    return dialogue.text(
        words, default, lambda text: question.wrong(known, text), is_secret=is_secret
    ).strip()


def format_setup_answer(known: Interview, question: SetupQuestion) -> str:
    """Return an answer as a person reads it; a secret is never shown."""
    answer = known.answers[question.name]
    if question.kind is AnswerKind.SECRET:
        return known.words("given") if answer else known.words("as it is")
    labels = {pick.value: pick.label for pick in question.picks(known)}
    values = answer if isinstance(answer, tuple) else (answer,)
    label_text = ", ".join(labels.get(value, value) for value in values)
    return known.shown_path(label_text) if label_text else known.words("none")


def trial_lines(
    known: Interview, trial: Trial, advice: Mapping[Verdict, Words] = MappingProxyType({})
) -> list[str]:
    """Return the outcome of a trial, and what to do about it.

    `advice` is used where it has an entry for the outcome, else the trial's own hint.
    """
    lang = known.call.lang
    if trial.verdict is Verdict.VALID:
        return [f"  ✓ {trial.name}: {printable(in_language(trial.said, lang))}"]
    remedy = (
        advice[trial.verdict].say(lang)
        if trial.verdict in advice
        else in_language(trial.hint, lang)
    )
    hint = [f"  → {printable(remedy)}"] if remedy else []
    verdict, outcome = VERDICTS[trial.verdict].say(lang), printable(in_language(trial.said, lang))
    return [f"  {find_verdict_sign(trial.verdict)} {trial.name}: {verdict}: {outcome}", *hint]
