"""`gieok setup`: six steps of questions, saved at once or not at all; then first actions."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NamedTuple

from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Hidden
from gieok.commands.setup import answers
from gieok.commands.setup.afterwards import Afterwards, Deed
from gieok.commands.setup.changes import SetupChanges, find_setup_changes
from gieok.commands.setup.dialogue import Cancelled, Pick, WentBack
from gieok.commands.setup.dialogue_steps import Asking
from gieok.commands.setup.interview import NO, YES, Given, Interview
from gieok.commands.setup.questions import QUESTIONS, STEPS
from gieok.commands.setup.questions.after import AFTER, AFTER_TITLE
from gieok.commands.setup.questions.question import AnswerKind, SetupQuestion, YesNoQuestion
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.text.messages import Words, in_language

if TYPE_CHECKING:
    from gieok.commands.setup.terminal import TerminalDialogue

#: Answer in the file that is no question of the table: the first question.
_ASK = "ask"
_SAVE, _CANCEL = "save", "cancel"
_USUAL_TITLE = {1: Words("Settings")}


@dataclass(frozen=True, slots=True)
class SetupResult:
    """Saved settings (name → text; variables without values), their files, and the actions done."""

    settings: dict[str, str]
    secrets: tuple[str, ...]
    files: tuple[str, ...]
    done: tuple[Deed, ...]
    told: Hidden[tuple[str, ...]] = ()
    answer: Hidden[str] = ""
    #: Link to the home page that admits a browser once; '' where it was not asked for.
    page: Hidden[str] = ""
    #: A person at the terminal has read everything but the answer already.
    was_asked: Hidden[bool] = False

    @property
    def found(self) -> bool:
        """Return whether every chosen action was done."""
        return all(deed.ok for deed in self.done)


def render_setup(result: SetupResult, style: Style) -> str:
    """Show what was saved and done without a dialogue, what was found, and what to do next."""
    lines = []
    if not result.was_asked:
        lines += [f"  {name}: {printable(text) or '–'}" for name, text in result.settings.items()]
        lines += [*result.told, *(deed_line(deed, style.lang) for deed in result.done)]
        lines += [result.answer] if result.answer else []
    return "\n".join([*lines, *_format_next_commands(style), *_format_page(result.page, style)])


def _format_next_commands(style: Style) -> list[str]:
    return [
        style.say("\nNext:"),
        style.say('  gieok "…"          ask your memory; in a project, about it'),
        style.say('  gieok remember "…" keep something'),
        style.say("  gieok status       see what is remembered, how fresh"),
        style.say("  gieok doctor       prove that every part works"),
        style.say("  gieok setup        change any of this again"),
    ]


def _format_page(link: str, style: Style) -> list[str]:
    """Return the last lines: the address of the home page, or how to get one."""
    if not link:
        return [style.say("  gieok open         see your home page in the browser")]
    note = style.say("works once, within five minutes; `gieok open` makes another")
    return ["", style.say("Your home page:"), f"  {style.dim(note)}", link]


@command(
    "setup",
    Words("Set everything up, one question after the other: agents, notes, model"),
    present=render_setup,
    when_stopped=Words(""),
    effect=Effect.WRITE,
    examples=("gieok setup", "gieok setup --yes", "gieok setup --answers answers.yaml"),
)
def set_up_gieok(
    call: Call,
    *,
    yes: Annotated[bool, Parameter(Words("take every default, ask nothing"))] = False,
    answers: Annotated[
        str,
        Parameter(
            Words("a YAML file of answers (docs/setup.md); what it leaves out is the default")
        ),
    ] = "",
) -> SetupResult:
    """Collect every answer, save them, then run the chosen actions.

    Raises BadRequest; KeyboardInterrupt where the person cancels.
    """
    if yes or answers:
        return _set_up_from_answers(call, answers)
    if call.ask is None:
        raise BadRequest(
            "setup asks questions, and there is no terminal",
            hint=(
                "`gieok setup --yes` takes every default, `gieok setup --answers FILE` reads "
                "answers (docs/setup.md)"
            ),
        )
    # prompt_toolkit takes 150 ms to import: only who is asked waits for it
    from gieok.commands.setup.terminal import TerminalDialogue

    return set_up_by_dialogue(call, TerminalDialogue())


def _set_up_from_answers(call: Call, answer_file: str) -> SetupResult:
    table = (*QUESTIONS, *AFTER)
    file = call.caller.path(answer_file) if answer_file else None
    raw = answers.read_answer_file(file, table, (_ASK,)) if file else {}
    known = answers.fill_in_answers(Interview(call), raw, table, QUESTIONS)
    lines = answers.check_trials(known, QUESTIONS, raw)
    setup_changes = find_setup_changes(known)
    files = (
        known.access.save(setup_changes.settings, setup_changes.secrets) if setup_changes else ()
    )
    afterwards = Afterwards(known)
    deeds = (*(afterwards.restarted() if setup_changes else ()), *afterwards.deeds())
    answer = "\n".join(afterwards.answer(str(raw[_ASK]))) if raw.get(_ASK) else ""
    return SetupResult(
        settings=dict(setup_changes.settings),
        secrets=tuple(setup_changes.secrets),
        files=tuple(files),
        done=deeds,
        told=tuple(lines),
        answer=answer,
        page=afterwards.page,
    )


def set_up_by_dialogue(call: Call, dialogue: "TerminalDialogue") -> SetupResult:
    """Ask a person everything, save the answers, then offer the first actions.

    Raises KeyboardInterrupt where the person cancels.
    """
    known = Interview(call)
    dialogue.begin(
        known.words("Gieok: set up"),
        known.words("enter next · shift-tab back · esc cancel"),
        known.words("← back"),
        known.words("(space: tick)"),
    )
    try:
        if not known.machine.agents:  # who has notes alone is asked for them next
            known = Asking(dialogue, (_UsualQuestion(),), _USUAL_TITLE).ask(known)
        if known.text(_UsualQuestion.name) != YES:
            known = Asking(dialogue, (*QUESTIONS, _ReviewQuestion()), STEPS).ask(known)
    except Cancelled:
        dialogue.say(known.words("cancelled; nothing was changed"))
        raise KeyboardInterrupt from None
    setup_changes = find_setup_changes(known)
    files = (
        known.access.save(setup_changes.settings, setup_changes.secrets) if setup_changes else ()
    )
    for file in files:
        dialogue.say(known.words("  ✓ saved: {shown_path}", shown_path=known.shown_path(file)))
    offers = _offer_next_steps(
        known, dialogue, Afterwards(known).restarted() if setup_changes else ()
    )
    return SetupResult(
        settings=dict(setup_changes.settings),
        secrets=tuple(setup_changes.secrets),
        files=tuple(files),
        done=offers.deeds,
        answer=offers.answer,
        page=offers.page,
        was_asked=True,
    )


class _OfferOutcome(NamedTuple):
    """Actions that were done, the answer to the first question, and the home page's link."""

    deeds: tuple[Deed, ...]
    answer: str = ""
    page: str = ""


def _offer_next_steps(
    known: Interview, dialogue: "TerminalDialogue", first: Iterable[Deed]
) -> _OfferOutcome:
    """Run the first actions, then offer further ones.

    The saved settings stay, wherever the person stops.
    """
    finished_deeds: list[Deed] = []
    page = ""

    def follow(deeds: Iterable[Deed]) -> None:
        for deed in deeds:
            finished_deeds.append(deed)
            for line in deed_line(deed, known.call.lang).splitlines():
                dialogue.say(line)

    try:
        follow(first)
        known = Asking(dialogue, AFTER, AFTER_TITLE).ask(known)
        afterwards = Afterwards(known)
        follow(afterwards.deeds())
        page = afterwards.page
        if suggested := afterwards.suggestion():
            words = known.words("Ask your memory (empty: later)")
            dialogue.say(is_passing=True)  # clears what a model said while it was loaded
            if question := dialogue.text(words, suggested, lambda text: "").strip():
                answer = _show_trial_answer(dialogue, question, afterwards.answer(question))
                return _OfferOutcome(tuple(finished_deeds), answer, page)
    except (Cancelled, WentBack):
        dialogue.say(known.words("the settings are saved; the rest is as it was"))
    return _OfferOutcome(tuple(finished_deeds), page=page)


def _show_trial_answer(dialogue: "TerminalDialogue", asked: str, answer: list[str]) -> str:
    for line in (f"  ? {asked}", *answer):
        dialogue.say(line)
    return "\n".join(answer)


class _UsualQuestion(YesNoQuestion):
    """Whether all settings stay as they are; asked where no agent is here. Enter takes yes."""

    name = "usual"
    step = 1
    words = Words("Leave the settings as they are?")

    def note(self, known: Interview) -> list[str]:
        note = "No agent was found here. Your own notes come next; `gieok setup` asks again."
        return [known.words(note)]

    def picks(self, known: Interview) -> list[Pick]:
        return [Pick(YES, known.words("yes")), Pick(NO, known.words("no, ask for each"))]


class _ReviewQuestion(SetupQuestion):
    """Last question: whether to save the changes, which are shown before it."""

    name = "save"
    step = 6
    kind = AnswerKind.ONE
    words = Words("Go on with this?")

    def note(self, known: Interview) -> list[str]:
        return format_setup_changes(known, find_setup_changes(known))

    def picks(self, known: Interview) -> list[Pick]:
        save = known.words("save") if find_setup_changes(known) else known.words("go on")
        return [
            Pick(_SAVE, save),
            Pick(_CANCEL, known.words("cancel, change nothing")),
        ]

    def default(self, known: Interview) -> Given:
        del known
        return _SAVE


def format_setup_changes(known: Interview, found: SetupChanges) -> list[str]:
    """Return the changes, a line each, without secrets."""
    lines = [
        (
            f"{name}: {_format_setting_value(known, known.setting(name))} → "
            f"{_format_setting_value(known, text)}"
        )
        for name, text in found.settings.items()
    ]
    where = (
        known.words("your keyring") if known.setting("keys.store") == "keyring" else ".env, 0600"
    )
    lines += [f"{variable} → {where}" for variable in found.secrets]
    fixed = [name for question in QUESTIONS for name in question.decides if known.is_fixed(name)]
    lines += [
        known.words("{name} stays: {value} sets it", name=name, value=known.now[name][1])
        for name in dict.fromkeys(fixed)
    ]
    return lines or [known.words("no setting changes: all stay as they are now")]


def _format_setting_value(known: Interview, text: str) -> str:
    shown = {"True": known.words("yes"), "False": known.words("no")}.get(text.capitalize(), text)
    return printable(known.shown_path(shown)) or "–"


def deed_line(deed: Deed, lang: str) -> str:
    """Return an action's outcome as a line."""
    return (
        f"  {'✓' if deed.ok else '✗'} gieok {deed.what}: {printable(in_language(deed.said, lang))}"
    )
