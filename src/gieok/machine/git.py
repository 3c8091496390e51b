"""Version control of a folder by the `git` program.

Every answer is empty where there is no git, no repository or no commit.
"""

import os
import subprocess
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from gieok.errors import BadRequest, Phrase
from gieok.ports.code import Commit

_TIMEOUT_S = 30
_NOT_RUN = 127
_COMMIT_FIELDS = 5
#: A later commit time comes from a wrong clock, or is somebody's joke.
_LATEST_S = 4_102_444_800
#: Files of a repository that git tracks.
_TRACKED = ("--cached",)
#: Variables that a Git hook may have set for another repository: those that `git rev-parse
#: --local-env-vars` names, but for the configuration, which is the user's own.
_OF_OTHERS = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_DIR",
        "GIT_GRAFT_FILE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_NAMESPACE",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    }
)
#: The repository may be hostile: no command of its configuration is run.
SAFE_OPTIONS = (
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "diff.external=",
    "--no-pager",
)


class Git:
    """Repository that contains a folder."""

    def __init__(self, root: Path, environment: Mapping[str, str] | None = None) -> None:
        self._root = root
        #: PATH of the caller: the daemon's PATH may differ.
        self._environment = os.environ if environment is None else environment

    def head(self) -> str:
        """Return the commit that is checked out, or ''."""
        return self._ask("rev-parse", "--verify", "-q", "HEAD").strip()

    def author(self) -> str:
        """Return the name, or else the address, of the person who commits here; '' for nobody."""
        return (
            self._environment.get("GIT_AUTHOR_NAME", "").strip()
            or self._ask("config", "user.name").strip()
            or self._ask("config", "user.email").strip()
        )

    def list_first_commits(self) -> list[str]:
        """Return the commits without a parent, sorted; empty where the history is not whole.

        They are the same in every clone.
        """
        if self._ask("rev-parse", "--is-shallow-repository").strip() != "false":
            return []
        return sorted(self._ask("rev-list", "--max-parents=0", "HEAD").split())

    def read_origin(self) -> str:
        """Return the address of the remote `origin`, as it is configured, or ''."""
        return self._ask("config", "--get", "remote.origin.url").strip()

    def list_tracked(self) -> frozenset[str] | None:
        """Return the files below the folder that are tracked; None where git does not tell."""
        paths = self._files("", _TRACKED)
        return None if paths is None else frozenset(paths)

    def files(self) -> frozenset[str] | None:
        """Return the files that are tracked or not ignored, including those of nested repositories.

        None where there is no repository, or where the enclosing repository ignores the folder
        itself.
        """
        repositories = self.list_repositories()
        return None if repositories is None else frozenset().union(*repositories.values())

    def find_tracked(self, repositories: Mapping[str, frozenset[str]]) -> frozenset[str]:
        """Return the files of `list_repositories` that their own repository tracks."""
        return frozenset().union(
            *(
                files
                & {_join_path(repository, path) for path in self._files(repository, _TRACKED) or ()}
                for repository, files in repositories.items()
            )
        )

    def list_repositories(self) -> dict[str, frozenset[str]] | None:
        """Return the repositories in the folder, '' for its own, with the files of each that are
        tracked or not ignored; None as `files`.
        """
        repositories: dict[str, frozenset[str]] = {}
        waiting = [""]
        while waiting:
            repository = waiting.pop()
            paths = self._files(repository, (*_TRACKED, "--others", "--exclude-standard"))
            if not repository and (
                paths is None or (not paths and self._is_ignored("", ["."]) != frozenset())
            ):
                return None
            files = set[str]()
            for path in (_join_path(repository, path) for path in paths or () if path.strip("./")):
                if path.endswith("/") or (self._root / path / ".git").exists():
                    waiting.append(path.rstrip("/"))  # a repository inside, or a submodule
                else:
                    files.add(path)
            repositories[repository] = frozenset(files)
        return repositories

    def _files(self, repository: str, kinds: Sequence[str]) -> set[str] | None:
        code, listed, _ = self._run("ls-files", "-z", *kinds, folder=repository)
        return {os.fsdecode(name) for name in listed.split(b"\0") if name} if code == 0 else None

    def ignored(self, paths: Sequence[str]) -> frozenset[str] | None:
        """Return those of `paths` that are ignored; paths need not exist. None without git."""
        if not paths:
            return frozenset()
        ignored: set[str] = set()
        for repository, questions in self._questions(paths).items():
            answer = self._is_ignored(repository, [".", *questions])
            if answer is None or "." in answer:
                listed = self.files()
                return None if listed is None else frozenset(paths) - listed
            ignored.update(path for question in answer for path in questions[question])
        return frozenset(ignored)

    def _questions(self, paths: Sequence[str]) -> dict[str, dict[str, set[str]]]:
        """Return the paths to ask of each repository.

        A path is asked of its own repository; of an enclosing repository, the nested repository on
        the way to the path is asked.
        """
        questions: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for path in paths:
            repository = ""
            parts = path.split("/")
            for folder in ("/".join(parts[:n]) for n in range(1, len(parts))):
                if (self._root / folder / ".git").exists():
                    questions[repository][_strip_folder_prefix(folder, repository)].add(path)
                    repository = folder
            questions[repository][_strip_folder_prefix(path, repository)].add(path)
        return questions

    def _is_ignored(self, repository: str, paths: Sequence[str]) -> frozenset[str] | None:
        stdin = b"\0".join(
            os.fsencode(f"./{path}") for path in paths
        )  # a path that begins with a colon is no pathspec magic
        code, output, _ = self._run("check-ignore", "-z", "--stdin", folder=repository, given=stdin)
        return (
            frozenset(os.fsdecode(name)[2:] for name in output.split(b"\0") if name)
            if code in (0, 1)
            else None
        )

    def diff(self, revision: str) -> str:
        """Return the unified diff, without context, from a revision to the files on disk.

        Raises BadRequest.
        """
        if revision.startswith("-"):
            raise BadRequest("{revision!r} is no revision", revision=revision)
        code, text, error = self._text(
            "-c",
            "core.quotePath=false",  # names unquoted
            "diff",
            "--unified=0",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--relative",
            "--no-renames",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            revision,
            "--",
            ".",
        )
        if code != 0:
            raise BadRequest(
                "git cannot compare with {revision!r}: {reason}",
                revision=revision,
                reason=Phrase(error.strip().splitlines()[0] if error.strip() else "no git here"),
                hint="name a commit, a branch or HEAD~1, inside of a git repository",
            )
        return text

    def old_text(self, revision: str, path: str) -> str | None:
        """Return a file's text at a revision; None where the file did not exist."""
        code, text, _ = self._text("show", f"{revision}:./{path}")
        return text if code == 0 else None

    def log(self, most: int) -> list[Commit]:
        """Return the newest commits of the checked-out branch without merges, newest first."""
        output = self._ask(
            "-c",
            "core.quotePath=false",
            "-c",
            "log.showSignature=false",
            "log",
            f"--max-count={most}",
            "--no-merges",
            "--no-color",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--name-only",
            "--format=%x1e%H%x1f%an%x1f%at%x1f%B%x1f",
        )
        rows = (row.split("\x1f") for row in output.split("\x1e"))
        return [
            _parse_git_commit(*row)
            for row in rows
            if len(row) == _COMMIT_FIELDS and row[2].isdigit()
        ]

    def has_committed(self, name: str) -> bool | None:
        """Return whether a commit of any branch holds a file of this folder, deleted or not.

        None where git cannot be asked.
        """
        code, text, _ = self._text("log", "--all", "--max-count=1", "--format=%H", "--", name)
        return bool(text.strip()) if code == 0 else None

    def hooks_folder(self) -> Path | None:
        """Return the folder in which git looks for hooks; None without git."""
        code, text, _ = self._text("rev-parse", "--git-path", "hooks", safe=False)
        return (self._root / text.strip()).resolve() if code == 0 and text.strip() else None

    def _ask(self, *arguments: str) -> str:
        code, text, _ = self._text(*arguments)
        return text if code == 0 else ""

    def _text(self, *arguments: str, safe: bool = True) -> tuple[int, str, str]:
        code, out, error = self._run(*arguments, safe=safe)
        return code, out.decode("utf-8", "replace"), error

    def _run(
        self, *arguments: str, safe: bool = True, folder: str = "", given: bytes = b""
    ) -> tuple[int, bytes, str]:
        """Run git in a folder below the root."""
        own = {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
        words = [*(SAFE_OPTIONS if safe else ()), *arguments]
        try:
            completed = run_git(
                words,
                self._root / folder,
                self._environment,
                own=own,
                given=given,
                timeout_s=_TIMEOUT_S,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return _NOT_RUN, b"", str(error)
        return completed.returncode, completed.stdout, completed.stderr.decode("utf-8", "replace")


def run_git(
    words: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    *,
    own: Mapping[str, str],
    given: bytes,
    timeout_s: int,
) -> subprocess.CompletedProcess[bytes]:
    """Run the user's own `git` in a folder. Raises OSError, TimeoutExpired.

    It gets the `environment` of the caller, without what is of another repository, and the `own`
    variables of this call.
    Whoever calls it refuses words that could be options, or puts `--` before them.
    """
    kept = {name: text for name, text in environment.items() if name not in _OF_OTHERS}
    return subprocess.run(  # noqa: S603 - fixed program, no shell
        ["git", *words],  # noqa: S607
        cwd=folder,
        env={**kept, **own},
        input=given,
        capture_output=True,
        timeout=timeout_s,
        check=False,
    )


def _parse_git_commit(identity: str, author: str, at: str, message: str, files: str) -> Commit:
    when = datetime.fromtimestamp(min(int(at), _LATEST_S), UTC)
    return Commit(
        id=identity,
        author=author,
        at=when,
        message=message.strip(),
        files=tuple(filter(None, files.split("\n"))),
    )


def _join_path(folder: str, path: str) -> str:
    return f"{folder}/{path}" if folder else path


def _strip_folder_prefix(path: str, folder: str) -> str:
    return path[len(folder) + 1 :] if folder else path
