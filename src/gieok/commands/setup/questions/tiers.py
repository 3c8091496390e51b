"""Step 2: how long memory stays hot, and where it is archived then."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from gieok.commands.setup.dialogue import Pick
from gieok.commands.setup.interview import NO, YES, Given, Interview
from gieok.commands.setup.questions.question import AnswerKind, SettingQuestion, YesNoQuestion
from gieok.text.messages import Words, in_language

_APPROVE = "archive.auto_approve"


def goes_on(known: Interview) -> bool:
    """Return whether old memory leaves this folder in the end."""
    return known.text("cold") not in ("", "none")


class _DaysQuestion(SettingQuestion):
    """Number of days: a usual one, the one that is set, or another that is typed."""

    step = 2
    kind = AnswerKind.ONE
    free = Words("another number …")
    usual_days: ClassVar[tuple[int, ...]]
    #: Question whose number of days must be smaller; '' for none.
    more_than: ClassVar[str] = ""

    def picks(self, known: Interview) -> Sequence[Pick]:
        days = sorted({*self.usual_days, int(known.setting(self.decides[0]))})
        return [
            Pick(str(day), known.words("{day} days", day=day), _describe_day_count(known, day))
            for day in days
        ]

    def wrong(self, known: Interview, text: str) -> str:
        if not text.strip().isdigit() or int(text) < 1:
            return known.words("a whole number of days, 1 or more")
        if self.more_than and int(text) <= int(known.text(self.more_than) or 0):
            return known.words("more than the {text} days before", text=known.text(self.more_than))
        return in_language(known.access.wrong(self.decides[0], text.strip()), known.call.lang)


def _describe_day_count(known: Interview, day: int) -> str:
    return {
        90: known.words("usual"),
        365: known.words("a year"),
        730: known.words("two years"),
    }.get(day, "")


class _HotDaysQuestion(_DaysQuestion):
    """Days after which memory becomes readable files."""

    name = "hot_days"
    decides = ("archive.hot_days",)
    words = Words("How long does memory stay at hand?")
    usual_days = (30, 90, 180, 365)

    def note(self, known: Interview) -> Sequence[str]:
        return (
            known.words("Then it becomes a readable file a day. Search finds it all the same."),
        )


class _ColdPlaceQuestion(SettingQuestion):
    """Place where memory is archived in the end."""

    name = "cold"
    step = 2
    kind = AnswerKind.ONE
    decides = ("archive.cold",)
    words = Words("And in the end?")

    def picks(self, known: Interview) -> Sequence[Pick]:
        vaults = known.machine.vaults
        vault_detail = (
            known.words("found: {shown_path}", shown_path=known.shown_path(vaults[0]))
            if vaults
            else ""
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


class _WarmDaysQuestion(_DaysQuestion):
    """Days after which the files go to the archive."""

    name = "warm_days"
    decides = ("archive.warm_days",)
    words = Words("After how many days does it go there?")
    usual_days = (180, 365, 730)
    more_than = "hot_days"

    def applies(self, known: Interview) -> bool:
        return goes_on(known)


class _ApprovalQuestion(YesNoQuestion):
    """Whether a person approves what goes to the archive."""

    name = "approve"
    step = 2
    decides = (_APPROVE,)
    words = Words("Ask you before anything goes there?")

    def applies(self, known: Interview) -> bool:
        return goes_on(known)

    def default(self, known: Interview) -> Given:
        return NO if known.setting(_APPROVE) == "True" else YES

    def settings(self, known: Interview) -> Mapping[str, str]:
        return {_APPROVE: "false" if known.text(self.name) == YES else "true"}


TIERS = (_HotDaysQuestion(), _ColdPlaceQuestion(), _WarmDaysQuestion(), _ApprovalQuestion())
