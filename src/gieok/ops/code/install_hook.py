"""`gieok code install-hook`: let git sync the index after commits, merges and checkouts; commands for Claude Code."""

import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gieok.errors import BadRequest
from gieok.ops.code.project import opened
from gieok.ops.context import Context
from gieok.ops.operation import Effect, Operation, Style, Words, argument

_HOOKS = ("post-commit", "post-checkout", "post-merge", "post-rewrite")
_BEGIN, _END = "# >>> gieok code >>>", "# <<< gieok code <<<"
#: In the background and silent: a commit never waits for it, nor fails by it.
BLOCK = f"""{_BEGIN}
command -v gieok >/dev/null 2>&1 && (gieok code sync --no-wait --trigger git >/dev/null 2>&1 &)
{_END}
"""


_COMMANDS = {
    "init": ("Index this project's code", "init", "Say how many files were indexed, and what was skipped and why."),
    "query": (
        "Find functions and classes",
        'query "$ARGUMENTS"',
        "Read the places that answer before you change anything.",
    ),
    "sync": ("Bring the index of this project's code up to date", "sync", "Say what changed."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HookRequest:
    """Parameters of `gieok code install-hook`."""

    commands: bool = argument(
        Words("write commands for Claude Code instead: /gieok-init, /gieok-query, /gieok-sync",
              "대신 Claude Code 명령을 씀: /gieok-init, /gieok-query, /gieok-sync"), False,
    )  # fmt: skip
    remove: bool = argument(Words("take it out again", "다시 뺌"), False)


@dataclass(frozen=True, slots=True)
class HookResult:
    """Which hooks call Gieok now, or do not any more."""

    hooks: tuple[Path, ...]
    removed: bool

    @property
    def found(self) -> bool:
        """True where something was done."""
        return bool(self.hooks)


def run(context: Context, request: HookRequest) -> HookResult:
    """Add a block to each hook, or take it out; what else stands there stays."""
    project = opened(context)
    if request.commands:
        return HookResult(tuple(_commands(project.root, remove=request.remove)), request.remove)
    folder = project.versions.hooks_folder()
    if folder is None:
        raise BadRequest("there is no git repository here", hint="`git init`, or use `gieok code watch`")
    change = _without if request.remove else _with
    return HookResult(tuple(file for name in _HOOKS if change(file := folder / name)), request.remove)


def files_of(root: Path) -> list[Path]:
    """Return what `install-hook` wrote in a project: hooks in its own `.git` with our block, commands as we wrote them."""
    hooks = [root / ".git" / "hooks" / name for name in _HOOKS]
    found = [file for file in hooks if file.is_file() and _BEGIN in file.read_text(encoding="utf-8", errors="replace")]
    return found + [
        file for file, text in _command_files(root) if file.is_file() and file.read_bytes() == text.encode()
    ]


def take_out(root: Path) -> list[Path]:
    """Take it out of a project; return the files that changed."""
    return [file for name in _HOOKS if _without(file := root / ".git" / "hooks" / name)] + list(
        _commands(root, remove=True)
    )


def _commands(root: Path, *, remove: bool) -> Iterator[Path]:
    """Write the command files, or take out those that are as we wrote them; one that a user changed stays."""
    for file, text in _command_files(root):
        if not remove and not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            yield file
        elif remove and file.exists() and file.read_text(encoding="utf-8") == text:
            file.unlink()
            yield file


def _command_files(root: Path) -> Iterator[tuple[Path, str]]:
    for name, (what, arguments, then) in _COMMANDS.items():
        verb = arguments.split()[0]
        text = (
            f"---\ndescription: {what}\nallowed-tools: Bash(gieok code {verb}:*)\n---\n\n"
            f"Run `gieok code {arguments}`. {then}\n"
        )
        yield root / ".claude" / "commands" / f"gieok-{name}.md", text


def _with(file: Path) -> bool:
    text = file.read_text(encoding="utf-8") if file.exists() else "#!/bin/sh\n"
    if _BEGIN not in text:
        if not text.startswith("#!") or "sh" not in text.partition("\n")[0]:
            raise BadRequest(
                f"{str(file)!r} is no shell script", hint="call `gieok code sync --no-wait` from it yourself"
            )
        file.parent.mkdir(parents=True, exist_ok=True)
        first, _, rest = text.partition("\n")
        file.write_text(f"{first}\n{BLOCK}{rest}", encoding="utf-8")  # first: a hook may end by `exit`
        file.chmod(file.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return True


def _without(file: Path) -> bool:
    if not file.exists() or _BEGIN not in (text := file.read_text(encoding="utf-8")):
        return False
    before, _, rest = text.partition(_BEGIN)
    kept = before + rest.partition(_END)[2].lstrip("\n")
    if kept.strip() in ("", "#!/bin/sh"):
        file.unlink()
    else:
        file.write_text(kept, encoding="utf-8")
    return True


def present(result: HookResult, style: Style) -> str:
    """Name the hooks."""
    words = Words("removed", "뺀 것") if result.removed else Words("installed", "설치한 것")
    return f"{words.say(style.lang)}: {', '.join(path.name for path in result.hooks)}"


OPERATION = Operation(
    name="code install-hook",
    examples=("gieok code install-hook", "gieok code install-hook --remove"),
    handler=run,
    present=present,
    effect=Effect.WRITE,
    doc=Words("Let git keep the project's index up to date", "git이 프로젝트 색인을 최신으로 두게 합니다"),
)
