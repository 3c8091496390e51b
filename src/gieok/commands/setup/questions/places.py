"""Step 4: the archive of old memory: a vault, a folder or a Dropbox."""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from gieok.commands.setup.interview import AnswerKind, Interview, SetupQuestion
from gieok.commands.setup.questions.model import wrong_secret
from gieok.memory.tiers import vaults
from gieok.ports.dialogue import Pick
from gieok.text.messages import Words

_FOLDER, _SUBFOLDER = "archive.folder", "archive.subfolder"
_TOKEN, _APP, _SECRET = "DROPBOX_REFRESH_TOKEN", "DROPBOX_APP_KEY", "DROPBOX_APP_SECRET"
#: Names that some system forbids, and names that would climb out of the folder.
_ILLEGAL = re.compile(r'[\\:*?"<>|\x00-\x1f]|(?:^|/)\.')


def _build_cold_condition(*places: str) -> Callable[[Interview], bool]:
    return lambda known: known.text("cold") in places


def _list_vault_picks(known: Interview) -> list[Pick]:
    if known.text("cold") != "obsidian":
        return []
    now = (
        [known.setting(_FOLDER)]
        if known.setting("archive.cold") == "obsidian" and known.setting(_FOLDER)
        else []
    )
    paths = dict.fromkeys([*now, *map(str, known.machine.vaults)])
    return [Pick(path, known.shown_path(path)) for path in paths]


def _default_folder(known: Interview) -> str:
    is_same = known.setting("archive.cold") == known.text("cold")
    now = known.setting(_FOLDER) if is_same else ""
    return now or next((pick.value for pick in _list_vault_picks(known)), "")


def wrong_folder(known: Interview, text: str) -> str:
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
    return _wrong_place(known, path)


def _wrong_place(known: Interview, path: Path) -> str:
    there = next(candidate for candidate in (path, *path.parents) if candidate.exists())
    if there not in (path, path.parent):
        return known.words(
            "there is no folder {shown_path}", shown_path=known.shown_path(path.parent)
        )
    return "" if os.access(there, os.W_OK) else known.words("it cannot be written")


def _wrong_name(known: Interview, text: str) -> str:
    if not text.strip().strip("/") or _ILLEGAL.search(text.strip()):
        return known.words("a folder's name such as Gieok or AI/Gieok")
    return ""


def _wrong_token(variable: str) -> Callable[[Interview, str], str]:
    def wrong(known: Interview, text: str) -> str:
        if not text.strip() and not known.access.has_secret(variable):
            return known.words("Dropbox needs it (docs/archive.md)")
        return wrong_secret(known, text)

    return wrong


def _build_secret_note(variable: str) -> Callable[[Interview], Sequence[str]]:
    def note(known: Interview) -> Sequence[str]:
        place = known.access.has_secret(variable)
        if place:
            return (
                known.words(
                    "{variable} is in {place}; empty keeps it.", variable=variable, place=place
                ),
            )
        if variable == _APP:
            return (
                known.words("Make an app at dropbox.com/developers/apps: App folder,"),
                known.words("files.content.read and .write; then get a refresh token."),
            )
        return ()

    return note


PLACES = (
    SetupQuestion(
        name="folder",
        step=4,
        kind=AnswerKind.ONE,
        decides=(_FOLDER,),
        applies=_build_cold_condition("obsidian", "folder"),
        words=Words("Which folder?"),
        picks=_list_vault_picks,
        free=Words("another folder …"),
        default=_default_folder,
        wrong=wrong_folder,
        settings=lambda known: {_FOLDER: str(known.path(known.text("folder").strip()))},
    ),
    SetupQuestion(
        name="subfolder",
        step=4,
        kind=AnswerKind.TEXT,
        decides=(_SUBFOLDER,),
        applies=_build_cold_condition("obsidian", "dropbox"),
        words=Words("Gieok's own folder in it"),
        default=lambda known: known.setting(_SUBFOLDER),
        wrong=_wrong_name,
        settings=lambda known: {_SUBFOLDER: known.text("subfolder").strip().strip("/")},
    ),
    SetupQuestion(
        name="dropbox_app_key",
        step=4,
        kind=AnswerKind.SECRET,
        applies=_build_cold_condition("dropbox"),
        trial="archive",
        words=Words("The app's key (not shown)"),
        note=_build_secret_note(_APP),
        wrong=_wrong_token(_APP),
        variable=lambda known: _APP,
    ),
    SetupQuestion(
        name="dropbox_refresh_token",
        step=4,
        kind=AnswerKind.SECRET,
        applies=_build_cold_condition("dropbox"),
        trial="archive",
        words=Words("The refresh token (not shown)"),
        note=_build_secret_note(_TOKEN),
        wrong=_wrong_token(_TOKEN),
        variable=lambda known: _TOKEN,
    ),
    SetupQuestion(
        name="dropbox_app_secret",
        step=4,
        kind=AnswerKind.SECRET,
        applies=_build_cold_condition("dropbox"),
        trial="archive",
        words=Words("The app's secret; empty with PKCE"),
        note=_build_secret_note(_SECRET),
        wrong=wrong_secret,
        variable=lambda known: _SECRET,
    ),
)
