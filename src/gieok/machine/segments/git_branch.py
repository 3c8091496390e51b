"""Segments on a branch of a Git repository of the user's own, by the `git` program.

The home holds a bare repository with the objects alone. Nothing in it is the only copy of anything:
what a kill left half done is made again.
"""

import os
import subprocess
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from gieok import fs
from gieok.errors import Damaged, Phrase, RemoteUnreachable
from gieok.machine.git import SAFE_OPTIONS, run_git
from gieok.ports.sync import (
    LARGEST_BYTES,
    SegmentName,
    hide_userinfo,
    is_stray,
    parse_segment_path,
)

BRANCH = "refs/heads/gieok-sync"
_TIP = "refs/gieok/tip"
#: File of the names of blobs that were read and are whole.
_CHECKED = "checked"
_TIMEOUT_S = 300
#: Times that a push is tried again because another device pushed meanwhile.
_MOST_TRIES = 20
_OPTIONS = (*SAFE_OPTIONS, "-c", "gc.auto=0")
#: Git sets these before its configuration: who commits is nobody's name, and no time zone.
_AUTHOR = {
    "GIT_AUTHOR_NAME": "gieok",
    "GIT_AUTHOR_EMAIL": "gieok@localhost",
    "GIT_COMMITTER_NAME": "gieok",
    "GIT_COMMITTER_EMAIL": "gieok@localhost",
    "TZ": "UTC",
}
_FILE_MODE = "100644 blob "
#: No hook of a repository on this machine runs: it may be another person's.
_RECEIVE_PACK = "--receive-pack=git -c core.hooksPath=/dev/null receive-pack"


class SegmentBranch:
    """`SegmentRemote` on the branch `gieok-sync` of a repository.

    `folder` is where the objects are kept; one process at a time uses it.
    """

    def __init__(self, address: str, folder: Path, environment: Mapping[str, str]) -> None:
        self._address = address
        self._folder = folder
        self._environment = environment
        self._blobs: dict[SegmentName, str] = {}
        self._strays: list[str] = []
        self._tip = ""
        self._ssh: dict[str, str] = {}

    def probe(self) -> None:
        """Ask for the tip of the branch."""
        fs.make_private(self._folder)
        self._ssh = self._find_ssh_command()
        self._run("ls-remote", "--", self._address, BRANCH)

    def fetch(self) -> None:
        """Fetch the branch."""
        self._prepare()
        listed = self._run("ls-remote", "--", self._address, BRANCH).decode("utf-8", "replace")
        self._tip, self._blobs, self._strays = "", {}, []
        if not listed.strip():
            return
        self._run("fetch", "--quiet", "--no-tags", "--", self._address, f"+{BRANCH}:{_TIP}")
        self._tip = self._run("rev-parse", "--verify", _TIP).decode().strip()
        for row in self._run("ls-tree", "-r", "-z", self._tip).split(b"\0"):
            facts, _, path = row.decode("utf-8", "replace").partition("\t")
            name = parse_segment_path(path)
            if name and facts.startswith(_FILE_MODE):
                self._blobs[name] = facts.split()[2]
            elif is_stray(path):
                self._strays.append(path)

    def list_segments(self) -> Sequence[SegmentName]:
        """Return the segments on the branch."""
        return sorted(self._blobs)

    def list_strays(self) -> Sequence[str]:
        """Return the files with other names."""
        return self._strays

    def read(self, name: SegmentName) -> bytes:
        """Return the bytes of a segment."""
        if int(self._run("cat-file", "-s", self._blobs[name])) > LARGEST_BYTES:
            raise Damaged("{path!r} is larger than a segment may be", path=name.path)
        return name.check(self._run("cat-file", "blob", self._blobs[name]))

    def list_damaged(self, names: Collection[SegmentName]) -> Sequence[SegmentName]:
        """Read the blobs that were not read before: the name of a blob is that of its bytes."""
        file = self._folder / _CHECKED
        checked = set(file.read_text().split()) if file.exists() else set()
        fresh = [name for name in names if self._blobs[name] not in checked]
        damaged = [name for name in fresh if self._is_damaged(name)]
        whole = {self._blobs[name] for name in names if name not in damaged}
        if fresh:
            fs.replace_private(file, "\n".join(sorted(whole)))
        return damaged

    def _is_damaged(self, name: SegmentName) -> bool:
        try:
            self.read(name)
        except Damaged:
            return True
        return False

    def publish(self, segments: Mapping[SegmentName, bytes]) -> None:
        """Push a commit with the segments; again on top of what another device pushed meanwhile."""
        reason = ""
        receive_pack = [_RECEIVE_PACK] if Path(self._address).is_dir() else []
        for _ in range(_MOST_TRIES):
            missing = {name: data for name, data in segments.items() if name not in self._blobs}
            if not missing:
                return
            commit = self._commit(missing)
            try:
                self._run(
                    "push", "--quiet", *receive_pack, "--", self._address, f"{commit}:{BRANCH}"
                )
            except RemoteUnreachable as error:
                reason, tip = str(error), self._tip
                self.fetch()
                if self._tip == tip:  # nobody was faster: it is the remote that refuses
                    raise
            else:
                self.fetch()
        raise RemoteUnreachable(
            "other devices pushed to {address!r} faster: {reason}",
            address=hide_userinfo(self._address),
            reason=Phrase(hide_userinfo(reason)),
        )

    def _commit(self, segments: Mapping[SegmentName, bytes]) -> str:
        index = self._folder / "publish.index"
        for file in (index, index.with_name(f"{index.name}.lock")):
            file.unlink(missing_ok=True)
        more = {"GIT_INDEX_FILE": str(index)}
        if self._tip:
            self._run("read-tree", self._tip, more=more)
        for name, data in segments.items():
            blob = self._run("hash-object", "-w", "--stdin", given=data).decode().strip()
            self._run(
                "update-index", "--add", "--cacheinfo", f"100644,{blob},{name.path}", more=more
            )
        tree = self._run("write-tree", more=more).decode().strip()
        parent = ("-p", self._tip) if self._tip else ()
        return self._run("commit-tree", tree, *parent, "-m", "sync").decode().strip()

    def _prepare(self) -> None:
        """Make the repository, and remove the locks that a killed process left in it."""
        fs.make_private(self._folder)
        if not (self._folder / "HEAD").exists():
            self._run("init", "--quiet", "--bare", ".")
        self._ssh = self._find_ssh_command()
        for lock in self._folder.rglob("*.lock"):
            lock.unlink(missing_ok=True)

    def _find_ssh_command(self) -> dict[str, str]:
        """Return what keeps ssh from asking, where the user has no ssh command of their own."""
        if {"GIT_SSH_COMMAND", "GIT_SSH"} & self._environment.keys():
            return {}
        try:
            chosen = self._run("config", "--get", "core.sshCommand")
        except RemoteUnreachable:
            chosen = b""
        return {} if chosen.strip() else {"GIT_SSH_COMMAND": "ssh -oBatchMode=yes"}

    def _run(self, *words: str, given: bytes = b"", more: Mapping[str, str] | None = None) -> bytes:
        own = {
            **_AUTHOR,
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C",
            **self._ssh,
            **(more or {}),
        }
        try:
            # An address stands behind `--`.
            done = run_git(
                [*_OPTIONS, *words],
                self._folder,
                self._environment,
                own=own,
                given=given,
                timeout_s=_TIMEOUT_S,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise self._build_error(str(error)) from error
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").strip() or f"git {words[0]}"
            raise self._build_error(said.splitlines()[0])
        return done.stdout

    def _build_error(self, reason: str) -> RemoteUnreachable:
        return RemoteUnreachable(
            "git cannot reach {address!r}: {reason}",
            address=hide_userinfo(self._address),
            reason=Phrase(hide_userinfo(reason)),
        )


def is_repository(address: str) -> bool:
    """Say whether an address is one of Git's: a URL, or the folder of a repository."""
    folder = Path(address).expanduser()
    if folder.is_dir():
        is_bare = (folder / "HEAD").is_file() and (folder / "objects").is_dir()
        return is_bare or os.path.lexists(folder / ".git")
    before, colon, _ = address.partition(":")
    is_host = bool(colon) and "/" not in before and len(before) > 1
    return "://" in address or is_host or address.endswith(".git")
