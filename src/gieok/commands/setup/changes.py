"""Changes to settings and secrets that the answers in `gieok setup` make, and their trials."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gieok.commands.setup.interview import Interview
from gieok.commands.setup.questions import QUESTIONS
from gieok.commands.setup.questions.notices import ways_now
from gieok.commands.setup.questions.question import SetupQuestion
from gieok.ports.keys import Trial

_SWITCHES = ("true", "false")
_TEST = (
    "gieok: a test",
    "This is how Gieok tells you of what waits for you.",
)


class SetupChanges(NamedTuple):
    """Changed settings as name → new text, and new secrets as environment variable → value."""

    settings: Mapping[str, str]
    secrets: Mapping[str, str]

    def __bool__(self) -> bool:
        """Say whether there is anything to save."""
        return bool(self.settings or self.secrets)


def is_asked(known: Interview, question: SetupQuestion) -> bool:
    """Return whether a question is asked after the answers so far.

    A question is not asked where variables or flags fix all settings that its answer decides.
    """
    is_fixed = bool(question.decides) and all(map(known.is_fixed, question.decides))
    return not is_fixed and question.applies(known)


def find_setup_changes(known: Interview) -> SetupChanges:
    """Return the changes to save, from the questions answered so far.

    Settings that a variable or a flag fixes are left out, and so are settings that already have the
    value.
    """
    settings, secrets = dict[str, str](), dict[str, str]()
    for question in QUESTIONS:
        if question.name in known.answers and is_asked(known, question):
            settings |= question.settings(known)
            variable, value = question.variable(known), known.text(question.name).strip()
            secrets |= {variable: value} if variable and value else {}
    new = {name: text for name, text in settings.items() if not known.is_fixed(name)}
    return SetupChanges(
        {
            name: text
            for name, text in new.items()
            if not _is_same_setting(known.setting(name), text)
        },
        secrets,
    )


def _is_same_setting(now: str, text: str) -> bool:
    return now == text or (text in _SWITCHES and now.lower() == text)


def run_setup_trial(known: Interview, trial: str) -> Sequence[Trial]:
    """Try out changes before they are saved; nothing is tried where nothing changes.

    `trial` is `model`, `archive` or `notice`. For `notice`, a test notification is sent through
    each new channel.
    """
    setup_changes = find_setup_changes(known)
    if trial == "model":
        is_new = any(
            name.startswith("observe.") and name not in ("observe.agents", "observe.folders")
            for name in setup_changes.settings
        )
        if known.text("model") == "rules" or not (
            is_new or _has_secret(known, setup_changes, trial)
        ):
            return ()
        return (known.access.try_model(setup_changes.settings, setup_changes.secrets),)
    if trial == "archive":
        is_new = "archive.cold" in setup_changes.settings or _has_secret(
            known, setup_changes, trial
        )
        return (
            (known.access.try_archive(setup_changes.settings, setup_changes.secrets),)
            if is_new
            else ()
        )
    notice = (known.words(_TEST[0]), known.words(_TEST[1]))
    is_mail_new = _has_secret(known, setup_changes, trial) or any(
        "smtp" in name or "mail" in name for name in setup_changes.settings
    )
    new = [
        way
        for way in known.ticked("notify")
        if way not in ways_now(known) or (way == "smtp" and is_mail_new)
    ]
    return [
        known.access.try_notice(setup_changes.settings, setup_changes.secrets, way, notice)
        for way in new
    ]


def _has_secret(known: Interview, found: SetupChanges, trial: str) -> bool:
    """Return whether a changed secret belongs to a question with this trial."""
    return any(
        question.variable(known) in found.secrets
        for question in QUESTIONS
        if question.trial == trial
    )
