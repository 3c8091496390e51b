"""`gieok code install-hook`: let git sync the index after commits, merges and checkouts."""

import shutil
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from gieok import fs
from gieok.commands.code.project import open_current_project
from gieok.commands.command import Effect, Parameter, Style, command
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.text.messages import Words

_HOOKS = ("post-commit", "post-checkout", "post-merge", "post-rewrite")
_BEGIN, _END = "# >>> gieok code >>>", "# <<< gieok code <<<"
#: Runs in the background and silently: a commit never waits for the sync, nor fails by it.
BLOCK = f"""{_BEGIN}
command -v gieok >/dev/null 2>&1 && (gieok code sync --no-wait --trigger git >/dev/null 2>&1 &)
{_END}
"""
_READABLE = 0o644


@dataclass(frozen=True, slots=True)
class HookResult:
    """Git hooks that call Gieok now, or no longer do."""

    hooks: tuple[Path, ...]
    removed: bool

    @property
    def found(self) -> bool:
        """True where a hook was changed."""
        return bool(self.hooks)


def render_git_hooks(result: HookResult, style: Style) -> str:
    """Name the hooks."""
    done = style.say("removed") if result.removed else style.say("installed")
    lines = [f"{done}: {', '.join(path.name for path in result.hooks)}"]
    if result.hooks and not result.removed and shutil.which("gieok") is None:
        lines.append(
            style.say(
                "your shell finds no `gieok`: until its folder is on PATH, the hooks do nothing"
            )
        )
    return "\n".join(lines)


@command(
    "code install-hook",
    Words("Let git keep the project's index up to date"),
    present=render_git_hooks,
    examples=("gieok code install-hook", "gieok code install-hook --remove"),
    effect=Effect.WRITE,
)
def install_git_hooks(
    call: Call, *, remove: Annotated[bool, Parameter(Words("take it out again"))] = False
) -> HookResult:
    """Add Gieok's block to each hook, or remove it; the other content of a hook stays."""
    project = open_current_project(call)
    folder = project.versions.hooks_folder()
    if folder is None:
        raise BadRequest(
            "there is no git repository here", hint="`git init`, or use `gieok code watch`"
        )
    change = _remove_hook_block if remove else _add_hook_block
    with fs.lock_resource(call.home.folder, folder):
        return HookResult(tuple(file for name in _HOOKS if change(file := folder / name)), remove)


def list_installed_hooks(root: Path) -> list[Path]:
    """Return the hooks with Gieok's block in a project's own `.git`."""
    hooks = [root / ".git" / "hooks" / name for name in _HOOKS]
    return [
        file
        for file in hooks
        if file.is_file() and _BEGIN in file.read_text(encoding="utf-8", errors="replace")
    ]


def remove_git_hooks(root: Path) -> list[Path]:
    """Remove Gieok's block from a project's hooks; return the files that changed."""
    return [file for name in _HOOKS if _remove_hook_block(file := root / ".git" / "hooks" / name)]


def _add_hook_block(file: Path) -> bool:
    text = file.read_text(encoding="utf-8") if file.exists() else "#!/bin/sh\n"
    if _BEGIN not in text:
        if not text.startswith("#!") or "sh" not in text.partition("\n")[0]:
            raise BadRequest(
                "{file!r} is no shell script",
                file=file,
                hint="call `gieok code sync --no-wait` from it yourself",
            )
        file.parent.mkdir(parents=True, exist_ok=True)
        first, _, rest = text.partition("\n")
        mode = stat.S_IMODE(file.stat().st_mode) if file.exists() else _READABLE
        # First: a hook may end by `exit`.
        fs.replace(
            file, f"{first}\n{BLOCK}{rest}", mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH
        )
    return True


def _remove_hook_block(file: Path) -> bool:
    if not file.exists() or _BEGIN not in (text := file.read_text(encoding="utf-8")):
        return False
    before, _, rest = text.partition(_BEGIN)
    other_text = before + rest.partition(_END)[2].lstrip("\n")
    if other_text.strip() in ("", "#!/bin/sh"):
        file.unlink()
    else:
        fs.replace(file, other_text)
    return True
