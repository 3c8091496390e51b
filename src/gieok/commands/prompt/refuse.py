"""`gieok hook refuse`: what is not put before a prompt any more: a memory, or a folder's notes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from gieok.commands.command import Effect, Parameter, Style, command
from gieok.commands.encode import Hidden, OrNull
from gieok.commands.memory import handles
from gieok.commands.memory.history import strip_speaker_label
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.hook import records, refusals
from gieok.memory.corrections import unmarked
from gieok.memory.files import roots
from gieok.ranking.recall import first_answer
from gieok.settings import user_file
from gieok.text.messages import Words

_SETTING = "hook.asked_only"


@dataclass(frozen=True, slots=True)
class RefuseResult:
    """Memory or folder, and whether it is kept away from prompts now."""

    handle: OrNull[str]
    folder: OrNull[str]
    refused: bool
    found: Hidden[bool] = True


def render_refusal(result: RefuseResult, style: Style) -> str:
    """Say what holds from the next prompt on."""
    if result.folder:
        template = (
            "notes of {folder} are searched only, and put before no prompt"
            if result.refused
            else "notes of {folder} may be put before prompts again"
        )
        return style.say(template, folder=style.path(result.folder))
    template = (
        "{handle} is not put before a prompt like that any more"
        if result.refused
        else "{handle} may be put before a prompt like that again"
    )
    return style.say(template, handle=result.handle)


@command(
    "hook refuse",
    Words("Put a memory no more before prompts like one prompt, or no note of a folder before any"),
    present=render_refusal,
    effect=Effect.WRITE,
    examples=(
        'gieok hook refuse 3fa9c01e --prompt "which linter do we use?"',
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
    folder: Annotated[str, Parameter(Words("a folder whose notes are put before no prompt"))] = "",
    lift: Annotated[bool, Parameter(Words("take that back"))] = False,
) -> RefuseResult:
    """Keep the refusal, or drop it; searches find everything as before.

    Raises BadRequest for an unknown memory, and where neither a memory with a prompt nor a folder
    is named.
    """
    if folder:
        path = str(call.caller.path(folder))
        keep_folder_back(call, path, is_kept_back=not lift)
        return RefuseResult("", path, refused=not lift)
    if not handle or not prompt.strip():
        raise BadRequest(
            "a memory and a prompt are missing, or a folder",
            hint='such as `gieok hook refuse HANDLE --prompt "…"`',
        )
    home = str(call.home.folder)
    memory = handles.require_memory(call, handle)
    if lift:
        refusals.lift_refusals(home, memory.handle, prompt)
        return RefuseResult(memory.handle, "", refused=False)
    text = unmarked(strip_speaker_label(records.own_text(memory.text)))
    refusals.add_refusal(home, memory.handle, text, prompt, call.clock.now().timestamp())
    return RefuseResult(memory.handle, "", refused=True)


def keep_folder_back(call: Call, folder: str, *, is_kept_back: bool) -> None:
    """Add a folder to the setting `hook.asked_only`, or take it out of there."""
    named = [name.strip() for name in call.home.settings.text(_SETTING).split(",")]
    others = [name for name in named if name and str(call.caller.path(name)) != folder]
    value = ", ".join([*others, folder] if is_kept_back else others)
    user_file.choose(call.home.settings, _SETTING, value)


def find_note_folder(call: Call, handle: str) -> str:
    """Return the folder of the note that a handle names; '' where it names no note of a folder."""
    found = handles.find_named_memories(call, handle, call.home.store.scopes())
    if len(found) != 1:
        return ""
    document = found[0].document
    known, _ = first_answer(
        call.home.stores.all(), lambda store: roots.load_roots(store, document.scope)
    )
    if handles.kind_of(document, known, str(call.home.folder)) != handles.NOTE:
        return ""
    source = Path(document.source)
    return str(source.parent) if source.is_absolute() else ""
