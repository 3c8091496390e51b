"""Step 5: how a person is notified of what waits for them."""

import re
from collections.abc import Mapping, Sequence

from gieok.commands.setup.dialogue import Pick
from gieok.commands.setup.interview import Given, Interview
from gieok.commands.setup.questions.question import (
    AnswerKind,
    SecretQuestion,
    SettingQuestion,
    SetupQuestion,
)
from gieok.text.messages import Words

_TO = "notify.to"
_LOG = "log"
_ADDRESS = re.compile(r"[^\s@,]+@[^\s@,]+")


def ways_now(known: Interview) -> list[str]:
    """Return the notification channels that are set; the log always gets notifications."""
    named = (way.strip() for way in known.setting(_TO).split(","))
    return [way for way in named if way and way != _LOG]


class _NoticesQuestion(SetupQuestion):
    """Channels by which the person is notified."""

    name = "notify"
    step = 5
    kind = AnswerKind.MANY
    decides = (_TO,)
    trial = "notice"
    words = Words("How are you told of what waits for you?")

    def note(self, known: Interview) -> Sequence[str]:
        return (known.words("The log always gets it. What you tick gets a test at once."),)

    def picks(self, known: Interview) -> Sequence[Pick]:
        machine = known.machine
        here, not_here = (
            known.words("found here"),
            known.words("not found here"),
        )
        hooked = known.words("your channel, by its webhook")
        off = known.words("its webhooks are off")
        return [
            Pick(
                "desktop",
                known.words("on the desktop"),
                here if machine.has_desktop else not_here,
            ),
            Pick(
                "openclaw",
                "OpenClaw",
                hooked if machine.has_webhook else off if _has_openclaw(known) else not_here,
            ),
            Pick("smtp", known.words("mail"), known.words("by your own server")),
        ]

    def default(self, known: Interview) -> Given:
        if known.now[_TO][1] == "default" and known.machine.has_desktop:
            return ("desktop",)
        return tuple(ways_now(known))

    def settings(self, known: Interview) -> Mapping[str, str]:
        ways = list(known.ticked(self.name))
        return {} if set(ways) == set(ways_now(known)) else {_TO: ", ".join(ways) or _LOG}


def _has_openclaw(known: Interview) -> bool:
    return any(agent.name == "openclaw" for agent in known.machine.agents)


class _MailQuestion(SettingQuestion):
    """Setting of the mail that notifies, asked where the person ticked mail."""

    step = 5
    kind = AnswerKind.TEXT
    trial = "notice"

    def applies(self, known: Interview) -> bool:
        return _is_mail_chosen(known)


def _is_mail_chosen(known: Interview) -> bool:
    return "smtp" in known.ticked("notify")


class _MailServerQuestion(_MailQuestion):
    """Name or address of the server that sends the mail."""

    name = "smtp_host"
    decides = ("notify.smtp_host",)
    words = Words("Mail server")

    def wrong(self, known: Interview, text: str) -> str:
        is_host = bool(re.fullmatch(r"[\w.-]+|\[?[0-9a-fA-F:]+\]?", text.strip()))
        return "" if is_host else known.words("a server's name such as smtp.example.org")


class _MailAddressQuestion(_MailQuestion):
    """Addresses that get the mail."""

    name = "mail_to"
    decides = ("notify.mail_to",)
    words = Words("Your address")

    def wrong(self, known: Interview, text: str) -> str:
        parts = [part.strip() for part in text.split(",")]
        is_one = all(_ADDRESS.fullmatch(part) for part in parts)
        return "" if is_one else known.words("an address such as me@example.org")


class _MailUserQuestion(_MailQuestion):
    """Name to log in to the mail server with: most servers take the address."""

    name = "smtp_user"
    decides = ("notify.smtp_user",)
    words = Words("Name to log in with (empty: none)")

    def default(self, known: Interview) -> Given:
        return super().default(known) or known.text("mail_to").partition(",")[0].strip()


class _MailPasswordQuestion(SecretQuestion):
    """Password of the mail server; some services show theirs in groups with spaces."""

    name = "smtp_password"
    step = 5
    trial = "notice"
    words = Words("Its password (not shown)")
    secret = "SMTP_PASSWORD"  # noqa: S105 - a variable's name

    def applies(self, known: Interview) -> bool:
        return _is_mail_chosen(known) and bool(known.text("smtp_user").strip())

    def note(self, known: Interview) -> Sequence[str]:
        if not self.find_place(known):
            return ()
        return (known.words("empty keeps the one that is set"),)

    def wrong(self, known: Interview, text: str) -> str:
        return super().wrong(known, text.replace(" ", ""))


NOTICES = (
    _NoticesQuestion(),
    _MailServerQuestion(),
    _MailAddressQuestion(),
    _MailUserQuestion(),
    _MailPasswordQuestion(),
)
