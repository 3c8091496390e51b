"""`gieok journal switch`: copy the journal elsewhere, compare, and use it from then on.

Only when both hold the same does the setting change. Killed at any moment, the journal in use is whole, and running the command
again goes on where it stopped. The old journal stays.
"""

from dataclasses import dataclass

from gieok.engine import journal_copy
from gieok.errors import BadRequest
from gieok.ops.context import Context
from gieok.ops.encode import Hidden
from gieok.ops.operation import Effect, Operation, Style, Surface, Words, argument


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalSwitchRequest:
    """Parameters of `gieok journal switch`."""

    name: str = argument(
        Words("where to move it: sqlite, postgres", "옮겨 갈 곳: sqlite, postgres"), "", positional=True
    )
    dry_run: bool = argument(Words("only tell what would be done", "무엇을 할지만 보임"), False)
    replace: bool = argument(
        Words("drop what the other journal holds beside or instead", "다른 저널에 따로 있거나 다르게 있는 것을 버림"),
        False,
    )


@dataclass(frozen=True, slots=True)
class JournalSwitchResult:
    """From where to where, how many scopes, and how many parts were copied; `done` is False for a dry run."""

    from_: str
    to: str
    location: str
    scopes: int
    copied: int
    done: bool
    found: Hidden[bool] = True


def run(context: Context, request: JournalSwitchRequest) -> JournalSwitchResult:
    """Copy, compare, and only then change the setting."""
    now = context.admin.setting("journal")
    if request.name not in context.admin.journal_names or request.name == now:
        known = ", ".join(name for name in context.admin.journal_names if name != now)
        raise BadRequest(f"{request.name!r} is no journal to switch to (now: {now})", hint=f"one of: {known}")
    source, target = context.memory.journal(), context.admin.open_journal(request.name)
    try:
        if request.dry_run:
            copied = journal_copy.Copied(len(journal_copy.differences(source, target)), len(source.copied_scopes()))
        else:
            progress = context.progress("copied")
            with source.exclusive("rebuild"), source.exclusive("deliver"):
                copied = journal_copy.copy(source, target, replace=request.replace, progress=progress)
                context.admin.choose("journal", request.name)
        return JournalSwitchResult(
            now, request.name, target.location, copied.scopes, copied.copied, done=not request.dry_run
        )
    finally:
        target.close()


def present(result: JournalSwitchResult, style: Style) -> str:
    """Show what is in use now."""
    if not result.done:
        return style.say(
            f"{result.copied:,} parts would be copied to {result.location}. Nothing was changed.",
            f"{result.location}(으)로 {result.copied:,}개 부분을 복사할 것입니다. 아무것도 바꾸지 않았습니다.",
        )
    return style.say(
        f"The journal is in {result.to} now ({result.location}): {result.scopes:,} scopes, compared and equal. "
        f"The old one ({result.from_}) is still there.",
        f"이제 저널은 {result.to}에 있습니다({result.location}): 범위 {result.scopes:,}개, 비교해 같음. "
        f"옛 저널({result.from_})은 그대로 있습니다.",
    )


OPERATION = Operation(
    name="journal switch",
    handler=run,
    present=present,
    effect=Effect.WRITE,
    surfaces=frozenset({Surface.CLI}),  # a person decides where memory lives, not an agent
    doc=Words(
        "Move the journal (raw messages, what was made of them) elsewhere, and use it from then on",
        "저널(원래 메시지와 그로부터 만든 것)을 다른 곳으로 옮기고 이제부터 그것을 씁니다",
    ),
)
