"""The key that git signs with, and what a reader of a release needs to check its tag.

Standard library and git alone. `gpg` or `ssh-keygen` is asked as git asks it.
"""

import base64
import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

#: Where a release's page says by which key its tag is signed; nothing of it is shown until then.
_PLACE = re.compile(r"<!-- where the tag is signed:\n(.*?)-->\n", re.DOTALL)
_SAYS_SIGNED = "tag --verify"


class NotSigned(Exception):
    """Git signs nothing that a reader could check; the text is the reason."""


@dataclass(frozen=True)
class SigningKey:
    """Public part of a key, as a file that readers take beside the release."""

    fingerprint: str
    text: str
    #: How the name of the file ends: `asc` of an OpenPGP key, `signers` of a key of SSH.
    suffix: str

    def build_command(self, file: str, checked: str) -> str:
        """Return what a reader types to check `checked`, words of git, by the key in a file."""
        if self.suffix == "asc":
            return f"gpg --import {file} && git {checked}"
        return f"git -c gpg.ssh.allowedSignersFile={file} {checked}"


def find_signing_key(at: Path) -> SigningKey:
    """Sign something in a repository, and check that as a reader who has the key's file alone.

    What is signed is a commit without a name, whose objects go to a folder that is removed.

    :raise NotSigned: Git cannot sign, or a reader could not check what it signed.
    """
    objects = at / _run(["git", "rev-parse", "--git-path", "objects"], at, os.environ)[0].strip()
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {
            "GIT_OBJECT_DIRECTORY": folder,
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(objects.resolve()),
        }
        signing = ["git", "commit-tree", "-S", "HEAD^{tree}", "-m", "try to sign"]
        commit = _run(signing, at, environment)[0].strip()
        content = _run(["git", "cat-file", "commit", commit], at, environment)[0]
        if "-----BEGIN SSH SIGNATURE-----" in content:
            key = _read_ssh_key(content)
        elif "-----BEGIN PGP SIGNATURE-----" in content:
            key = _export_openpgp_key(commit, at, environment)
        else:
            raise NotSigned("only signatures of OpenPGP and SSH are known")
        _check_as_reader(key, commit, at, environment)
    return key


def _read_ssh_key(content: str) -> SigningKey:
    """Return the key that a signature of SSH holds itself (PROTOCOL.sshsig of OpenSSH)."""
    armoured = content.partition("-----BEGIN SSH SIGNATURE-----")[2].partition("-----END")[0]
    after_version = base64.b64decode(armoured)[len("SSHSIG") + 4 :]
    public = _read_ssh_string(after_version)
    digest = base64.b64encode(hashlib.sha256(public).digest()).decode().rstrip("=")
    kind = _read_ssh_string(public).decode()
    return SigningKey(
        fingerprint=f"SHA256:{digest}",
        text=f'gieok namespaces="git" {kind} {base64.b64encode(public).decode()}\n',
        suffix="signers",
    )


def _read_ssh_string(content: bytes) -> bytes:
    size = int.from_bytes(content[:4], "big")
    return content[4 : 4 + size]


def _export_openpgp_key(commit: str, at: Path, environment: Mapping[str, str]) -> SigningKey:
    """Return the primary key of what signed a commit, by GnuPG's own status line."""
    said = _run(["git", "verify-commit", "--raw", commit], at, environment)[1]
    valid = re.search(r"^\[GNUPG:\] VALIDSIG .* ([0-9A-F]+)$", said, re.MULTILINE)
    if valid is None:
        raise NotSigned("gpg does not name the key of its signature")
    text = _run(["gpg", "--armor", "--export", valid[1]], at, environment)[0]
    return SigningKey(fingerprint=valid[1], text=text, suffix="asc")


def _check_as_reader(
    key: SigningKey, commit: str, at: Path, environment: Mapping[str, str]
) -> None:
    """Fail where who has nothing but the key's file is not told of that key."""
    with tempfile.TemporaryDirectory() as home:
        file = Path(home) / f"key.{key.suffix}"
        file.write_text(key.text, encoding="utf-8")
        of_a_reader = {"GNUPGHOME": home, "GIT_CONFIG_GLOBAL": os.devnull}
        command = key.build_command(str(file), f"verify-commit {commit}")
        said = "".join(_run(["sh", "-c", command], at, {**environment, **of_a_reader}))
    if key.fingerprint not in re.sub(r"\s", "", said):
        raise NotSigned(f"a reader is not told of the key {key.fingerprint}")


def _run(command: list[str], at: Path, environment: Mapping[str, str]) -> tuple[str, str]:
    """Return what a program wrote to stdout and to stderr."""
    try:
        done = subprocess.run(
            command, cwd=at, env=dict(environment), capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise NotSigned(f"{command[0]} cannot be run: {error.strerror}") from None
    if done.returncode:
        raise NotSigned((done.stderr.strip().splitlines() or ["no reason given"])[0])
    return done.stdout, done.stderr


def fill_page(text: str, name: str, version: str, key: SigningKey | None) -> str:
    """Return a release's page with the key that signs its tag, or without a word of a signature.

    :param name: What the page is called where something is wrong.
    :raise NotSigned: The page says elsewhere that the tag is signed, or has no place for the key.
    """
    if _SAYS_SIGNED in _PLACE.sub("", text):
        raise NotSigned(f"{name} says that the tag is signed, whatever is done")
    if key is None:
        return _PLACE.sub("", text)
    template = _PLACE.search(text)
    if template is None:
        raise NotSigned(f"{name} has no place for the key that signs the tag")
    file = name_key_file(version, key)
    filled = template[1].format(
        fingerprint=key.fingerprint,
        file=file,
        command=key.build_command(file, f"{_SAYS_SIGNED} v{version}"),
    )
    return text.replace(template[0], filled)


def name_key_file(version: str, key: SigningKey) -> str:
    """Return what the key is called beside a release's files."""
    return f"gieok-{version}.{key.suffix}"
