"""`gieok store switch`: move everything to another store, and use the new store from then on.

The new store is filled beside the old one and compared with it; only then does the setting change,
in one step. After a kill at any moment the configured store is whole, and running the command again
resumes. The old index stays.
"""

from dataclasses import dataclass
from typing import Annotated

from gieok.commands.command import Effect, Parameter, Style, Surface, command
from gieok.commands.encode import Hidden
from gieok.commands.scope_names import name_scope
from gieok.errors import BadRequest, Phrase, StoreError
from gieok.flow import durable, lifecycle
from gieok.home.call import Call
from gieok.home.stores import list_store_names
from gieok.ports.store import Droppable, ManagedStore, RemoteData, Store
from gieok.settings import user_file
from gieok.text.messages import Words

#: Store that the prompt hook reads: it has no time for a server.
_LOCAL = "sqlite"
#: Most rounds of copying: each later round copies what other processes wrote meanwhile.
_TRIES = 5


@dataclass(frozen=True, slots=True)
class SwitchResult:
    """Moved data, source and target; `done` is False for a dry run."""

    from_: str
    to: str
    location: str
    scopes: int
    documents: int
    copied: int
    vectors: int
    done: bool
    found: Hidden[bool] = True
    #: Remote data of the old store, none of which is removed.
    left_there: tuple[RemoteData, ...] = ()
    #: Whether the prompt hook is left without a store: it reads files, and a server has none.
    is_hook_left: Hidden[bool] = False


def render_store_switch(result: SwitchResult, style: Style) -> str:
    """Show the store in use now, and the place of the old index."""
    if not result.done:
        return style.say("Nothing was changed.")
    lines = [
        Words.of(
            (
                "Memory is in {to} now ({location}): {documents:,} documents, {vectors:,} vectors "
                "copied. The old index of {from_value} is still there."
            ),
            to=result.to,
            location=result.location,
            documents=result.documents,
            vectors=result.vectors,
            from_value=result.from_,
        )
    ]
    lines += [
        Words.of(
            (
                "Still in {name}: {documents:,} documents. `gieok store drop {from_value}` "
                "deletes them there."
            ),
            name=leftover.name,
            documents=leftover.documents,
            from_value=result.from_,
        )
        for leftover in result.left_there
    ]
    if result.is_hook_left:
        lines.append(
            Words("The prompt hook goes on reading it; with `hybrid: true` it is kept up to date.")
        )
    return "\n".join(line.say(style.lang) for line in lines)


@command(
    "store switch",
    Words("Move everything to another store, and use that one from then on"),
    present=render_store_switch,
    when_stopped=Words("the store in use is as it was; the same command goes on"),
    examples=("gieok store switch lancedb --dry-run", "gieok store switch sqlite"),
    effect=Effect.WRITE,
    surfaces=frozenset({Surface.CLI}),  # a person decides where memory lives, not an agent
)
def switch_store(
    call: Call,
    *,
    name: Annotated[
        str, Parameter(Words("the store to move to: sqlite, postgres ..."), positional=True)
    ] = "",
    dry_run: Annotated[bool, Parameter(Words("only tell what would be done"))] = False,
    replace: Annotated[
        bool, Parameter(Words("forget what only the new store holds in these scopes"))
    ] = False,
) -> SwitchResult:
    """Copy, compare, and only then change the setting."""
    known = [other for other in list_store_names() if other != call.home.stores.name]
    if name not in known:
        raise BadRequest(
            "{name!r} is no store to switch to (now: {current})",
            name=name,
            current=call.home.stores.name,
            known=", ".join(known),
            hint="one of: {known}",
        )
    source, target = call.home.store, call.home.stores.open(name)
    scopes, documents = source.scopes(), source.stats().documents
    _refuse_to_forget(source, target, replace=replace)
    call.tell(_describe_store_switch(name, source, target).say(call.lang))
    copied = vectors = 0
    if not dry_run:
        copied, vectors = _copy_store_contents(call, source, target)
        user_file.choose(call.home.settings, "store", name)
    return SwitchResult(
        from_=call.home.stores.name,
        to=name,
        location=target.location,
        scopes=len(scopes),
        documents=documents,
        copied=copied,
        vectors=vectors,
        done=not dry_run,
        left_there=_left_there(source),
        is_hook_left=call.home.stores.name == _LOCAL and list_store_names()[name],
    )


def _left_there(source: Store) -> tuple[RemoteData, ...]:
    """Return the old store's remote data: as recorded, or as its server says.

    The server was just read.
    """
    if not isinstance(source, Droppable):
        return ()
    return tuple(source.known_remote_data() or source.remote_data())


def _describe_store_switch(name: str, source: Store, target: Store) -> Words:
    stats, scopes = source.stats(), len(source.scopes())
    return Words.of(
        (
            "{documents:,} documents ({passages:,} passages, {vectors:,} vectors) of {scopes} "
            "scopes are copied from {location} to {target} and compared; then `store: {name}` "
            "is set. Nothing is removed from {location}."
        ),
        documents=stats.documents,
        passages=stats.passages,
        vectors=stats.vectors,
        scopes=scopes,
        location=source.location,
        target=target.location,
        name=name,
    )


def _refuse_to_forget(source: Store, target: Store, *, replace: bool) -> None:
    """Raise where the new store holds documents of these scopes that the old one does not know.

    They may belong to somebody.
    """
    for scope in source.scopes():
        own = target.hashes(scope).keys() - source.hashes(scope).keys()
        if own and not replace:
            raise BadRequest(
                "{target} holds {count:,} documents in {scope} that {source} does not",
                target=target.location,
                count=len(own),
                scope=name_scope(scope),
                source=source.location,
                hint=(
                    "`--replace` forgets them; or set `store` in config.yaml by hand to use what "
                    "is there"
                ),
            )


def _copy_store_contents(call: Call, source: Store, target: Store) -> tuple[int, int]:
    """Copy until both stores hold the same; return the numbers of documents and vectors copied."""
    copied = vectors = 0
    for _ in range(_TRIES):
        for scope in source.scopes():
            copied += lifecycle.copy_scope(source, target, scope, progress=call.progress("copied"))
        vectors += lifecycle.copy_vectors(source, target, call.progress("vectors"))
        target.compact()
        wrong = lifecycle.find_store_differences(source, target)
        if not wrong:
            durable.retier(call.home.journal, target)
            if isinstance(target, ManagedStore):
                target.push(call.progress("uploaded"))
            return copied, vectors
    raise StoreError(
        "{target} is not the same as {source}: {wrong}",
        target=target.location,
        source=source.location,
        wrong=Phrase("; ".join(wrong[:3])),
        hint=(
            "end what writes meanwhile (such as `gieok index --watch`) and run it again; the old "
            "store is still in use"
        ),
    )
