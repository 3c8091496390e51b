"""Step 2: how long memory stays hot, and where it is archived then."""

from collections.abc import Callable, Sequence

from gieok.commands.setup.interview import NO, YES, AnswerKind, Interview, SetupQuestion, yes_no
from gieok.ports.dialogue import Pick
from gieok.text.korean import in_language
from gieok.text.messages import Words

_HOT, _WARM, _COLD, _APPROVE = (
    "archive.hot_days",
    "archive.warm_days",
    "archive.cold",
    "archive.auto_approve",
)
_HOT_DAYS, _WARM_DAYS = (30, 90, 180, 365), (180, 365, 730)


def goes_on(known: Interview) -> bool:
    """Return whether old memory leaves this folder in the end."""
    return known.text("cold") not in ("", "none")


def _build_days_picker(setting: str, usual: Sequence[int]) -> Callable[[Interview], list[Pick]]:
    def picks(known: Interview) -> list[Pick]:
        days = sorted({*usual, int(known.setting(setting))})
        return [
            Pick(str(day), known.words("{day} days", day=day), _describe_day_count(known, day))
            for day in days
        ]

    return picks


def _describe_day_count(known: Interview, day: int) -> str:
    return {
        90: known.words("usual"),
        365: known.words("a year"),
        730: known.words("two years"),
    }.get(day, "")


def _build_days_check(setting: str, least: str = "") -> Callable[[Interview, str], str]:
    def wrong(known: Interview, text: str) -> str:
        if not text.strip().isdigit() or int(text) < 1:
            return known.words("a whole number of days, 1 or more")
        if least and int(text) <= int(known.text(least) or 0):
            return known.words("more than the {text} days before", text=known.text(least))
        return in_language(known.access.wrong(setting, text.strip()), known.call.lang)

    return wrong


def _list_cold_picks(known: Interview) -> list[Pick]:
    vaults = known.machine.vaults
    vault_detail = (
        known.words("found: {shown_path}", shown_path=known.shown_path(vaults[0])) if vaults else ""
    )
    return [
        Pick(
            "none",
            known.words("stay in Gieok's own folder"),
            known.words("usual"),
        ),
        Pick(
            "obsidian",
            known.words("notes in an Obsidian vault"),
            vault_detail,
        ),
        Pick("folder", known.words("files in another folder")),
        Pick("dropbox", "Dropbox"),
    ]


TIERS = (
    SetupQuestion(
        name="hot_days",
        step=2,
        kind=AnswerKind.ONE,
        decides=(_HOT,),
        words=Words("How long does memory stay at hand?"),
        note=lambda known: (
            known.words("Then it becomes a readable file a day. Search finds it all the same."),
        ),
        picks=_build_days_picker(_HOT, _HOT_DAYS),
        free=Words("another number …"),
        default=lambda known: known.setting(_HOT),
        wrong=_build_days_check(_HOT),
        settings=lambda known: {_HOT: known.text("hot_days")},
    ),
    SetupQuestion(
        name="cold",
        step=2,
        kind=AnswerKind.ONE,
        decides=(_COLD,),
        words=Words("And in the end?"),
        picks=_list_cold_picks,
        default=lambda known: known.setting(_COLD),
        settings=lambda known: {_COLD: known.text("cold")},
    ),
    SetupQuestion(
        name="warm_days",
        step=2,
        kind=AnswerKind.ONE,
        decides=(_WARM,),
        applies=goes_on,
        words=Words("After how many days does it go there?"),
        picks=_build_days_picker(_WARM, _WARM_DAYS),
        free=Words("another number …"),
        default=lambda known: known.setting(_WARM),
        wrong=_build_days_check(_WARM, "hot_days"),
        settings=lambda known: {_WARM: known.text("warm_days")},
    ),
    SetupQuestion(
        name="approve",
        step=2,
        kind=AnswerKind.ONE,
        decides=(_APPROVE,),
        applies=goes_on,
        words=Words("Ask you before anything goes there?"),
        picks=yes_no,
        default=lambda known: NO if known.setting(_APPROVE) == "True" else YES,
        settings=lambda known: {_APPROVE: "false" if known.text("approve") == YES else "true"},
    ),
)
