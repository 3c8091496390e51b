"""`gieok archive sync`: two-way sync between Gieok and the cold tier."""

from dataclasses import dataclass

from gieok.commands.archive.pending import NO_COLD
from gieok.commands.command import Effect, Style, command, printable
from gieok.commands.encode import Hidden
from gieok.commands.memory import vault
from gieok.home.call import Call
from gieok.model.memory import Tier
from gieok.text.messages import Words


@dataclass(frozen=True, slots=True)
class ArchiveSyncResult:
    """People's changes in the cold tier: corrected, renamed and returned notes, new questions.

    `wrong` names the files that could not be read or written, and were left unchanged.
    """

    corrected: int
    followed: int
    returned: int
    asked: int
    wrong: tuple[str, ...]
    #: False where no cold tier is configured.
    has_cold: Hidden[bool] = True
    found: Hidden[bool] = True


def render_archive_sync(result: ArchiveSyncResult, style: Style) -> str:
    """Show people's changes, and those that could not be taken in."""
    if not result.has_cold:
        return NO_COLD.say(style.lang)
    parts = (
        (
            result.corrected,
            style.say("{corrected:,} corrected", corrected=result.corrected),
        ),
        (result.followed, style.say("{followed:,} moved", followed=result.followed)),
        (
            result.returned,
            style.say("{returned:,} came back", returned=result.returned),
        ),
        (
            result.asked,
            style.say("{asked:,} questions: `gieok archive pending`", asked=result.asked),
        ),
    )
    head = ", ".join(text for count, text in parts if count) or style.say(
        "nothing was changed there"
    )
    return "\n".join([head, *(f"  ✗ {printable(style.told(line))}" for line in result.wrong)])


@command(
    "archive sync",
    Words("Read what you edited, renamed or deleted in the cold tier"),
    present=render_archive_sync,
    when_stopped=Words("what was synchronised is kept; `gieok archive sync` goes on"),
    examples=("gieok archive sync",),
    effect=Effect.WRITE,
)
def sync_archive(call: Call) -> ArchiveSyncResult:
    """Take in people's changes in the cold tier; do nothing without a cold tier.

    Raises ArchiveFailed where the archive is out of reach.
    """
    if Tier.COLD not in call.home.tiers.shelves:
        return ArchiveSyncResult(
            corrected=0, followed=0, returned=0, asked=0, wrong=(), has_cold=False
        )
    outcome = vault.sync_vault_edits(call)
    return ArchiveSyncResult(
        corrected=outcome.corrected,
        followed=outcome.followed,
        returned=outcome.returned,
        asked=outcome.asked,
        wrong=tuple(outcome.wrong),
    )
