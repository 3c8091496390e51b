"""Step 4: the archive of old memory: a vault, a folder or a Dropbox."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from gieok.commands.setup.dialogue import Pick
from gieok.commands.setup.interview import Given, Interview
from gieok.commands.setup.questions.question import AnswerKind, SecretQuestion, SettingQuestion
from gieok.memory.tiers import vaults
from gieok.text.messages import Words

_FOLDER = "archive.folder"
#: Names that some system forbids, and names that would climb out of the folder.
_ILLEGAL = re.compile(r'[\\:*?"<>|\x00-\x1f]|(?:^|/)\.')


class _ArchiveFolderQuestion(SettingQuestion):
    """Folder of the archive: a vault that was found, or a folder that is typed."""

    name = "folder"
    step = 4
    kind = AnswerKind.ONE
    decides = (_FOLDER,)
    words = Words("Which folder?")
    free = Words("another folder …")

    def applies(self, known: Interview) -> bool:
        return known.text("cold") in ("obsidian", "folder")

    def picks(self, known: Interview) -> Sequence[Pick]:
        if known.text("cold") != "obsidian":
            return []
        now = (
            [known.setting(_FOLDER)]
            if known.setting("archive.cold") == "obsidian" and known.setting(_FOLDER)
            else []
        )
        paths = dict.fromkeys([*now, *map(str, known.machine.vaults)])
        return [Pick(path, known.shown_path(path)) for path in paths]

    def default(self, known: Interview) -> Given:
        is_same = known.setting("archive.cold") == known.text("cold")
        now = known.setting(_FOLDER) if is_same else ""
        return now or next((pick.value for pick in self.picks(known)), "")

    def wrong(self, known: Interview, text: str) -> str:
        """Return why a folder cannot hold an archive.

        A missing folder is no error where its parent exists: the folder is then made.
        """
        if not text.strip():
            return known.words("name a folder")
        path = known.path(text.strip())
        if path.is_relative_to(known.call.home.folder):
            return known.words("that is inside Gieok's own folder")
        if path.exists() and not path.is_dir():
            return known.words("that is a file")
        if known.text("cold") == "obsidian" and not vaults.is_vault(path):
            return known.words("no vault: it has no .obsidian folder")
        return _explain_unwritable_folder(known, path)

    def settings(self, known: Interview) -> Mapping[str, str]:
        return {_FOLDER: str(known.path(known.text(self.name).strip()))}


def _explain_unwritable_folder(known: Interview, path: Path) -> str:
    there = next(candidate for candidate in (path, *path.parents) if candidate.exists())
    if there not in (path, path.parent):
        return known.words(
            "there is no folder {shown_path}", shown_path=known.shown_path(path.parent)
        )
    return "" if os.access(there, os.W_OK) else known.words("it cannot be written")


class _SubfolderQuestion(SettingQuestion):
    """Gieok's own folder in the vault or in the Dropbox."""

    name = "subfolder"
    step = 4
    kind = AnswerKind.TEXT
    decides = ("archive.subfolder",)
    words = Words("Gieok's own folder in it")

    def applies(self, known: Interview) -> bool:
        return known.text("cold") in ("obsidian", "dropbox")

    def wrong(self, known: Interview, text: str) -> str:
        if not text.strip().strip("/") or _ILLEGAL.search(text.strip()):
            return known.words("a folder's name such as Gieok or AI/Gieok")
        return ""

    def settings(self, known: Interview) -> Mapping[str, str]:
        return {self.decides[0]: known.text(self.name).strip().strip("/")}


class _DropboxQuestion(SecretQuestion):
    """Secret of the Dropbox app; an empty line keeps the one that is set."""

    step = 4
    trial = "archive"
    is_required: ClassVar[bool] = True

    def applies(self, known: Interview) -> bool:
        return known.text("cold") == "dropbox"

    def note(self, known: Interview) -> Sequence[str]:
        place = self.find_place(known)
        if not place:
            return ()
        words = known.words(
            "{variable} is in {place}; empty keeps it.", variable=self.secret, place=place
        )
        return (words,)

    def wrong(self, known: Interview, text: str) -> str:
        if self.is_required and not text.strip() and not self.find_place(known):
            return known.words("Dropbox needs it (docs/archive.md)")
        return super().wrong(known, text)


class _DropboxKeyQuestion(_DropboxQuestion):
    """Key of the app; where none is set, the note says how an app is made."""

    name = "dropbox_app_key"
    words = Words("The app's key (not shown)")
    secret = "DROPBOX_APP_KEY"  # noqa: S105 - a variable's name

    def note(self, known: Interview) -> Sequence[str]:
        return super().note(known) or (
            known.words("Make an app at dropbox.com/developers/apps: App folder,"),
            known.words("files.content.read and .write; then get a refresh token."),
        )


class _DropboxTokenQuestion(_DropboxQuestion):
    """Refresh token, by which the app gets into the person's Dropbox."""

    name = "dropbox_refresh_token"
    words = Words("The refresh token (not shown)")
    secret = "DROPBOX_REFRESH_TOKEN"  # noqa: S105 - a variable's name


class _DropboxSecretQuestion(_DropboxQuestion):
    """Secret of the app, which apps that use PKCE do not have."""

    name = "dropbox_app_secret"
    words = Words("The app's secret; empty with PKCE")
    secret = "DROPBOX_APP_SECRET"  # noqa: S105 - a variable's name
    is_required = False


PLACES = (
    _ArchiveFolderQuestion(),
    _SubfolderQuestion(),
    _DropboxKeyQuestion(),
    _DropboxTokenQuestion(),
    _DropboxSecretQuestion(),
)
