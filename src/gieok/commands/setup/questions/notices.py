"""Step 5: how a person is notified of what waits for them."""

import re
from collections.abc import Mapping, Sequence

from gieok.commands.setup.interview import AnswerKind, Interview, SetupQuestion
from gieok.commands.setup.questions.model import wrong_secret
from gieok.ports.dialogue import Pick
from gieok.text.messages import Words

_TO, _HOST, _MAIL, _USER = "notify.to", "notify.smtp_host", "notify.mail_to", "notify.smtp_user"
_PASSWORD = "SMTP_PASSWORD"  # noqa: S105 - a variable's name
_LOG = "log"
_ADDRESS = re.compile(r"[^\s@,]+@[^\s@,]+")


def ways_now(known: Interview) -> list[str]:
    """Return the notification channels that are set; the log always gets notifications."""
    named = (way.strip() for way in known.setting(_TO).split(","))
    return [way for way in named if way and way != _LOG]


def _list_notice_picks(known: Interview) -> Sequence[Pick]:
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


def _has_openclaw(known: Interview) -> bool:
    return any(agent.name == "openclaw" for agent in known.machine.agents)


def _suggest_notice_ways(known: Interview) -> tuple[str, ...]:
    if known.now[_TO][1] == "default" and known.machine.has_desktop:
        return ("desktop",)
    return tuple(ways_now(known))


def _build_notice_settings(known: Interview) -> Mapping[str, str]:
    ways = list(known.ticked("notify"))
    return {} if set(ways) == set(ways_now(known)) else {_TO: ", ".join(ways) or _LOG}


def _is_mail_chosen(known: Interview) -> bool:
    return "smtp" in known.ticked("notify")


def _wrong_host(known: Interview, text: str) -> str:
    is_host = bool(re.fullmatch(r"[\w.-]+|\[?[0-9a-fA-F:]+\]?", text.strip()))
    return "" if is_host else known.words("a server's name such as smtp.example.org")


def _wrong_mail(known: Interview, text: str) -> str:
    parts = [part.strip() for part in text.split(",")]
    is_one = all(_ADDRESS.fullmatch(part) for part in parts)
    return "" if is_one else known.words("an address such as me@example.org")


NOTICES = (
    SetupQuestion(
        name="notify",
        step=5,
        kind=AnswerKind.MANY,
        decides=(_TO,),
        trial="notice",
        words=Words("How are you told of what waits for you?"),
        note=lambda known: (
            known.words("The log is always told. What you tick gets a test at once."),
        ),
        picks=_list_notice_picks,
        default=_suggest_notice_ways,
        settings=_build_notice_settings,
    ),
    SetupQuestion(
        name="smtp_host",
        step=5,
        kind=AnswerKind.TEXT,
        decides=(_HOST,),
        applies=_is_mail_chosen,
        trial="notice",
        words=Words("Mail server"),
        default=lambda known: known.setting(_HOST),
        wrong=_wrong_host,
        settings=lambda known: {_HOST: known.text("smtp_host").strip()},
    ),
    SetupQuestion(
        name="mail_to",
        step=5,
        kind=AnswerKind.TEXT,
        decides=(_MAIL,),
        applies=_is_mail_chosen,
        trial="notice",
        words=Words("Your address"),
        default=lambda known: known.setting(_MAIL),
        wrong=_wrong_mail,
        settings=lambda known: {_MAIL: known.text("mail_to").strip()},
    ),
    SetupQuestion(
        name="smtp_user",
        step=5,
        kind=AnswerKind.TEXT,
        decides=(_USER,),
        applies=_is_mail_chosen,
        trial="notice",
        words=Words("Name to log in with (empty: none)"),
        default=lambda known: (
            known.setting(_USER) or known.text("mail_to").partition(",")[0].strip()
        ),
        settings=lambda known: {_USER: known.text("smtp_user").strip()},
    ),
    SetupQuestion(
        name="smtp_password",
        step=5,
        kind=AnswerKind.SECRET,
        trial="notice",
        words=Words("Its password (not shown)"),
        applies=lambda known: _is_mail_chosen(known) and bool(known.text("smtp_user").strip()),
        note=lambda known: (
            (known.words("empty keeps the one that is set"),)
            if known.access.has_secret(_PASSWORD)
            else ()
        ),
        wrong=lambda known, text: wrong_secret(known, text.replace(" ", "")),
        variable=lambda known: _PASSWORD,
    ),
)
