"""`gieok hook refuse`: what is given at a prompt or a session's start no more: a memory, or a
folder's notes.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from gieok import private
from gieok.commands.command import Effect, Parameter, Style, command
from gieok.commands.encode import Hidden, OrNull
from gieok.commands.memory import handles
from gieok.commands.memory.handles import strip_speaker_label
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.hook import records, refusals
from gieok.memory.corrections import unmarked
from gieok.memory.files import roots
from gieok.model.memory import Document
from gieok.ports.store import Store
from gieok.ranking.recall import first_answer
from gieok.settings import user_file
from gieok.settings.values import Settings, load_effective_settings
from gieok.text.handles import build_handle
from gieok.text.inert import cut_line
from gieok.text.messages import Words

_SETTING = "hook.asked_only"
#: Letters of a memory by which it is named in the answer.
_NAME_CHARS = 80


@dataclass(frozen=True, slots=True)
class RefuseResult:
    """Memory or folder, and whether it is kept away from prompts now."""

    handle: OrNull[str]
    folder: OrNull[str]
    refused: bool
    #: False where nothing was there to take back.
    found: Hidden[bool] = True
    #: False where it was so before.
    changed: Hidden[bool] = True
    #: First words of the memory; '' where a folder is named.
    title: Hidden[str] = ""
    #: Whether it is about what a session begins with, and not about a prompt.
    at_start: Hidden[bool] = False


def render_refusal(result: RefuseResult, style: Style) -> str:
    """Say what holds from the next prompt on; a memory is named by its first words."""
    named = f"“{style.memory(result.title)}”" if result.title else result.handle
    if not result.found:
        if result.folder:
            return style.say(
                "notes of {folder} were not kept back: nothing to take back",
                folder=style.path(result.folder),
            )
        template = (
            "{handle} was not kept out of session starts: nothing to take back"
            if result.at_start
            else "{handle} was refused for no prompt like that: nothing to take back"
        )
        return style.say(template, handle=named)
    if result.folder:
        template = (
            "notes of {folder} are searched only, and given at no prompt"
            if result.refused
            else "notes of {folder} may be given at prompts again"
        )
        return style.say(template, folder=style.path(result.folder))
    if result.at_start:
        template = (
            "{handle} is not given at a session's start any more"
            if result.refused
            else "{handle} may be given at a session's start again"
        )
        return style.say(template, handle=named)
    template = (
        "{handle} is not given at a prompt like that any more"
        if result.refused
        else "{handle} may be given at a prompt like that again"
    )
    return style.say(template, handle=named)


@command(
    "hook refuse",
    Words("Give a memory no more at prompts like one or at session starts, or no note of a folder"),
    present=render_refusal,
    effect=Effect.WRITE,
    examples=(
        'gieok hook refuse 3fa9c01e --prompt "which linter do we use?"',
        "gieok hook refuse 3fa9c01e --at-start",
        "gieok hook refuse --folder ~/notes/diary",
    ),
)
def refuse_memory(
    call: Call,
    *,
    handle: Annotated[
        str, Parameter(Words("the memory, as `gieok why --last` names it"), positional=True)
    ] = "",
    prompt: Annotated[str, Parameter(Words("the prompt that it does not belong before"))] = "",
    at_start: Annotated[
        bool, Parameter(Words("keep it out of what a session begins with"))
    ] = False,
    folder: Annotated[str, Parameter(Words("a folder whose notes are given at no prompt"))] = "",
    lift: Annotated[bool, Parameter(Words("take that back"))] = False,
) -> RefuseResult:
    """Keep the refusal, or drop it; searches find everything as before.

    Raises BadRequest for an unknown memory, for a folder that is not there or that the setting
    cannot name, and where neither a memory with a prompt or `at_start` nor a folder is named.
    """
    if at_start and (folder or prompt.strip()):
        raise BadRequest(
            "a session's start is named with a prompt or a folder", hint="name one, then the other"
        )
    if folder:
        path = str(call.caller.path(folder))
        if lift:
            return RefuseResult("", path, refused=False, found=release_folder(call, path))
        return RefuseResult("", path, refused=True, changed=keep_folder_back(call, path))
    if not handle or not (prompt.strip() or at_start):
        raise BadRequest(
            "a memory and a prompt are missing, or a folder",
            hint='such as `gieok hook refuse HANDLE --prompt "…"`',
        )
    home = str(call.home.folder)
    memory = handles.require_memory(call, handle)
    text = unmarked(strip_speaker_label(records.own_text(memory.text)))
    about = refusals.AT_START if at_start else prompt
    refused = RefuseResult(
        memory.handle, "", refused=True, title=cut_line(text, _NAME_CHARS), at_start=at_start
    )
    if lift:
        lifted = refusals.lift_refusals(home, memory.handle, text, about)
        return replace(refused, refused=False, found=lifted > 0)
    refusals.add_refusal(home, memory.handle, text, about, call.clock.now().timestamp())
    return refused


def keep_folder_back(call: Call, folder: str) -> bool:
    """Add a folder to the setting `hook.asked_only`; return False where one there holds it already.

    Raises BadRequest where nothing is at the path, or where the setting would read its name as
    another one: commas join the names there, and `*` is any name.
    """
    if not Path(folder).is_dir():
        raise BadRequest(
            "there is no folder {folder}", folder=folder, hint="name one that is there"
        )
    with user_file.changing(call.home.folder):
        settings, names = _read_kept_back(call)
        if _find_holder(call, names, folder):
            return False
        value = ", ".join([*names, folder])
        if "*" in folder or _split_names(value) != [*names, folder]:
            raise BadRequest(
                "the setting {setting!r} cannot name the folder {folder!r}: a comma joins names "
                "there, and `*` is any name",
                setting=_SETTING,
                folder=folder,
                hint="name the folder above it, or rename it",
            )
        user_file.write_settings_change(settings, {_SETTING: value})
        return True


def release_folder(call: Call, folder: str) -> bool:
    """Take a folder out of the setting `hook.asked_only`; return whether it was there.

    Raises BadRequest where a folder above it is there, which keeps its notes back all the same.
    """
    with user_file.changing(call.home.folder):
        settings, names = _read_kept_back(call)
        left = [name for name in names if str(call.caller.path(name)) != folder]
        if holder := _find_holder(call, left, folder):
            raise BadRequest(
                "{folder} stays kept back: it is in {holder}, of which no note is given at a "
                "prompt",
                folder=folder,
                holder=holder,
                hint="`gieok hook refuse --lift --folder {holder}` takes that back",
            )
        if len(left) < len(names):
            user_file.write_settings_change(settings, {_SETTING: ", ".join(left)})
        return len(left) < len(names)


def _read_kept_back(call: Call) -> tuple[Settings, list[str]]:
    """Return the settings as they are now, and the folders of the setting as written there.

    A process that stays has older ones.
    """
    caller = call.caller
    settings = load_effective_settings(caller.flags, caller.environment, caller.folder)
    return settings, _split_names(settings.text(_SETTING))


def _split_names(value: str) -> list[str]:
    return [name.strip() for name in value.split(",") if name.strip()]


def _find_holder(call: Call, names: list[str], folder: str) -> str:
    """Return the first of these folders that a folder is, or is in; '' for none."""
    user = str(call.caller.user)
    return next(
        (name for name in names if private.open_privacy("", name, "", user).excludes_path(folder)),
        "",
    )


def find_note_folders(call: Call, names: Iterable[str]) -> dict[str, str]:
    """Return handle → the folder of the note that it names, for those that name one note.

    The scopes are read once for all handles.
    """
    digits = {name: name.partition(".")[0] for name in names}
    named, _ = first_answer(
        call.home.stores.all(), lambda store: _list_named_documents(call, store, digits.values())
    )
    folders: dict[str, str] = {}
    for name, own in digits.items():
        documents = [(document, kind) for handle, document, kind in named if handle == own]
        if len(documents) == 1 and documents[0][1] == handles.NOTE:
            source = Path(documents[0][0].source)
            if source.is_absolute():
                folders[name] = str(source.parent)
    return folders


def _list_named_documents(
    call: Call, store: Store, digits: Collection[str]
) -> list[tuple[str, Document, str]]:
    """Return the documents that handles name, each with its handle and its kind."""
    named = list[tuple[str, Document, str]]()
    for scope in store.scopes():
        keys = [key for key in store.hashes(scope) if build_handle(scope.path, key) in digits]
        if keys:
            known = roots.load_roots(store, scope)
            named += (
                (
                    build_handle(scope.path, document.key),
                    document,
                    handles.kind_of(document, known, str(call.home.folder)),
                )
                for document in store.get(scope, keys)
            )
    return named
