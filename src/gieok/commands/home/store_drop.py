"""`gieok store drop`: delete the remote data of a store that is no longer in use."""

from dataclasses import dataclass
from typing import Annotated

from gieok.commands.command import Effect, Parameter, Style, Surface, command, printable
from gieok.commands.encode import Hidden
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.home.stores import list_store_names
from gieok.ports.store import Droppable, RemoteData
from gieok.text.catalogues import list_languages
from gieok.text.messages import Words

#: Word that a person types to confirm.
_WORD = Words("drop", about="a word to type")


@dataclass(frozen=True, slots=True)
class DropResult:
    """Remote data that was found and, where `done`, is deleted: the service was asked
    afterwards.
    """

    store: str
    dropped: tuple[RemoteData, ...]
    done: bool
    found: Hidden[bool] = True


def render_dropped_store(result: DropResult, style: Style) -> str:
    """Show the data that was found, and that it is gone."""
    if not result.dropped:
        return style.say("{store}: nothing of yours is there", store=result.store)
    verb = (
        style.say("deleted, and looked for afterwards")
        if result.done
        else style.say("would be deleted")
    )
    return "\n".join(f"{verb}: {line}" for line in _format_remote_data(result.dropped, style.lang))


@command(
    "store drop",
    Words("Delete what a store that is not in use has at a service or on a server"),
    present=render_dropped_store,
    examples=("gieok store drop gemini --dry-run", "gieok store drop gemini"),
    effect=Effect.DESTROY,
    surfaces=frozenset({Surface.CLI}),  # a person decides, not an agent
)
def drop_store(
    call: Call,
    *,
    name: Annotated[
        str,
        Parameter(
            Words("whose data elsewhere is deleted: gemini, postgres"),
            positional=True,
            needed="gieok store drop gemini",
        ),
    ] = "",
    yes: Annotated[bool, Parameter(Words("do not ask"))] = False,
    dry_run: Annotated[bool, Parameter(Words("only tell what is there"))] = False,
) -> DropResult:
    """Look up the remote data, let a person confirm, delete it, and verify the deletion.

    Raises StoreError where the data is still there.
    """
    store = _find_droppable_store(call, name)
    there = store.remote_data()
    if dry_run or not there:
        return DropResult(name, tuple(there), done=not dry_run)
    _confirm_store_drop(call, there, yes=yes)
    return DropResult(name, tuple(store.drop(call.progress("deleted"))), done=True)


def _find_droppable_store(call: Call, name: str) -> Droppable:
    if name not in list_store_names():
        raise BadRequest(
            "{name!r} is no store",
            name=name,
            known=", ".join(list_store_names()),
            hint="one of: {known}",
        )
    if name == call.home.stores.name:
        raise BadRequest(
            "{name!r} is the store in use",
            name=name,
            hint="`gieok store switch sqlite` moves memory first, then drop it",
        )
    store = call.home.stores.open(name)
    if not isinstance(store, Droppable):
        raise BadRequest(
            "{name!r} keeps everything on this machine",
            name=name,
            location=store.location,
            hint="its file is {location}",
        )
    return store


def _confirm_store_drop(call: Call, there: list[RemoteData], *, yes: bool) -> None:
    if yes:
        return
    if call.ask is None:
        raise BadRequest(
            "nobody can be asked: there is no terminal", hint="give --yes, or --dry-run to look"
        )
    lines = [f"  {line}" for line in _format_remote_data(there, call.lang)]
    call.tell("\n".join([call.words("this is deleted for good:"), *lines]))
    word = _WORD.say(call.lang)
    reply = call.ask(call.words("type `{word}` to go on: ", word=word))
    if reply.strip().lower() not in {_WORD.say(lang) for lang in list_languages()}:
        raise BadRequest("nothing was deleted", word=word, hint="type the word {word!r}")


def _format_remote_data(there: "list[RemoteData] | tuple[RemoteData, ...]", lang: str) -> list[str]:
    lines = []
    for remote in there:
        stays = Words.of("; {others:,} documents of others in it stay", others=remote.others)
        what = Words.of("{documents:,} documents", documents=remote.documents)
        lines.append(
            f"{printable(remote.name)}: {what.say(lang)}{stays.say(lang) if remote.others else ''}"
        )
    return lines
