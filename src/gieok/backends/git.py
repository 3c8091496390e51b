"""`Versions` by the `git` program. Everything is empty where there is no git, no repository or no commit."""

import os
import subprocess
from pathlib import Path

from gieok.errors import BadRequest

_TIMEOUT_S = 30
#: Git is asked about a repository that somebody else may have written: nothing of its configuration is run.
_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "diff.external=", "--no-pager")


class Git:
    """The repository that a folder lies in."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def head(self) -> str:
        """Return the commit that is checked out, or ''."""
        return self._ask("rev-parse", "--verify", "-q", "HEAD").strip()

    def author(self) -> str:
        """Return who commits here, or ''."""
        return self._ask("config", "user.name").strip()

    def ignored_folders(self) -> tuple[str, ...]:
        """Return the patterns of `.git/info/exclude`."""
        folder = self._ask("rev-parse", "--git-path", "info/exclude").strip()
        try:
            lines = (self._root / folder).read_text(encoding="utf-8", errors="replace").splitlines() if folder else []
        except OSError:
            return ()
        return tuple(line for line in lines if line and not line.startswith("#"))

    def diff(self, revision: str) -> str:
        """Return the unified diff, without context, from a revision to the files on disk."""
        if revision.startswith("-"):
            raise BadRequest(f"{revision!r} is no revision")
        code, text, error = self._run(
            "-c", "core.quotePath=false",  # the letters of a name, not their bytes in octal
            "diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "--relative", "--no-renames",
            "--src-prefix=a/", "--dst-prefix=b/", revision, "--", ".",
        )  # fmt: skip
        if code != 0:
            raise BadRequest(
                f"git cannot compare with {revision!r}: {error.strip().splitlines()[0] if error.strip() else 'no git here'}",
                hint="name a commit, a branch or HEAD~1, inside of a git repository",
            )
        return text

    def old_text(self, revision: str, path: str) -> str | None:
        """Return a file as it was at a revision; None where it was not there."""
        code, text, _ = self._run("show", f"{revision}:./{path}")
        return text if code == 0 else None

    def hooks_folder(self) -> Path | None:
        """Return where git looks for hooks; None without git."""
        code, text, _ = self._run("rev-parse", "--git-path", "hooks", safe=False)
        return (self._root / text.strip()).resolve() if code == 0 and text.strip() else None

    def _ask(self, *arguments: str) -> str:
        code, text, _ = self._run(*arguments)
        return text if code == 0 else ""

    def _run(self, *arguments: str, safe: bool = True) -> tuple[int, str, str]:
        environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
        for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):  # a hook sets them, for another folder perhaps
            environment.pop(name, None)
        try:
            done = subprocess.run(  # noqa: S603 - fixed program, no shell; arguments that could be options are refused
                ["git", *(_SAFE if safe else ()), *arguments],  # noqa: S607 - the user's own git
                cwd=self._root, env=environment, capture_output=True, timeout=_TIMEOUT_S, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            return 1, "", str(error)
        return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
