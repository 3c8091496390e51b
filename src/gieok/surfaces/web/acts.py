"""Changes of memories from the pages: correct, retire, move, forget, trust.

Each change reports its result, and can be undone.
"""

from collections.abc import Callable, Mapping
from urllib.parse import urlencode

from starlette.responses import Response

from gieok.commands.command import Style
from gieok.commands.memory.edit import edit_memory
from gieok.commands.memory.forget import forget_memories, render_forgotten
from gieok.commands.memory.handles import find_only_memory
from gieok.commands.memory.retire import restore_memories, retire_memories
from gieok.commands.memory.transfer import transfer_memories
from gieok.commands.memory.trust import trust_project
from gieok.commands.scope_names import name_scope
from gieok.errors import BadRequest, GieokError
from gieok.hook import records
from gieok.memory.corrections import unmarked
from gieok.surfaces.python import Memory
from gieok.surfaces.web.site import PageRequest, join_query


def correct_memory_on_page(seen: PageRequest) -> Response:
    """Correct a memory; the next page offers to undo the correction."""
    handle = seen.request.path_params["handle"]
    try:
        edited = seen.memory_of(handle).run(
            edit_memory,
            handle=handle,
            text=[seen.sent("text")],
            important=bool(seen.sent("important")),
        )
    except GieokError as error:
        return seen.failed("refused.html", error, handles=[handle])
    if seen.sent("important"):
        return seen.back_to(
            f"/m/{handle}?{urlencode({'told': seen.words('It counts as important.')})}"
        )
    notice = seen.words("Corrected.")
    before = edited.before if edited.path else unmarked(edited.before)
    return seen.back_to(
        f"/m/{edited.handle}?{urlencode({'told': notice, 'before': seen.site.put_aside(before)})}"
    )


def act(seen: PageRequest) -> Response:
    """Apply the action of the pressed button to the chosen memories."""
    chosen = list(dict.fromkeys(value for value in seen.form.get("handle", []) if value))
    act = _ACTS.get(seen.sent("act"))
    if not chosen or act is None:
        notice = seen.words("Choose memories first.")
        return seen.back_to(f"/memories?{urlencode({'told': notice})}")
    groups: dict[str, tuple[Memory, list[str]]] = {}
    try:
        for handle in chosen:
            memory = seen.memory_of(handle)
            groups.setdefault(memory.call.scope.path, (memory, []))[1].append(handle)
        return act(seen, groups)
    except GieokError as error:
        return seen.failed("refused.html", error, handles=chosen)


Groups = Mapping[str, tuple[Memory, list[str]]]


def _retire_chosen_memories(seen: PageRequest, groups: Groups) -> Response:
    retired = [
        item
        for memory, names in groups.values()
        for item in memory.run(retire_memories, memories=names, keep=True).memories
    ]
    also = sum(len(item.also) for item in retired)
    notice = seen.words("Put away: {retired}.", retired=len(retired))
    if also:
        notice += seen.words(" With what was observed of it: {also}.", also=also)
    names = [name for _, group in groups.values() for name in group]
    return _return_with_undo(seen, notice, "restore", names)


def _restore_chosen_memories(seen: PageRequest, groups: Groups) -> Response:
    restored = [
        item
        for memory, names in groups.values()
        for item in memory.run(restore_memories, memories=names).memories
    ]
    notice = seen.words("Restored: {restored}.", restored=len(restored))
    return _return_with_undo(
        seen, notice, "retire", [item.handle for item in restored if item.handle]
    )


def _transfer_chosen_memories(seen: PageRequest, groups: Groups) -> Response:
    target = seen.sent("to")
    if not target:
        raise BadRequest("no scope was chosen", hint="choose where the memories shall be")
    results = [
        memory.run(transfer_memories, memories=names, to=target)
        for memory, names in groups.values()
    ]
    moved = [item for result in results for item in result.memories]
    notice = seen.words("Moved to {target}: {moved}.", target=name_scope(target), moved=len(moved))
    before = {item.scope_before.path for item in moved}
    if len(before) > 1:  # one button cannot lead to several places
        return _return_with_undo(seen, notice, "", [])
    return _return_with_undo(
        seen, notice, "transfer", [item.handle for item in moved], before.pop()
    )


def _forget_chosen_memories(seen: PageRequest, groups: Groups) -> Response:
    """Show once more all memories that would go, then forget them."""
    is_sure, plans = bool(seen.sent("yes")), []
    for memory, names in groups.values():
        result = memory.run(forget_memories, handles=names, yes=is_sure, dry_run=not is_sure)
        plans.append(render_forgotten(result, Style(seen.lang, colour=False)))
    return seen.page(
        "forget.html",
        handles=[name for _, names in groups.values() for name in names],
        texts=[] if is_sure else _read_chosen_texts(groups),
        plan="\n\n".join(plans),
        done=is_sure,
        back=_find_back_address(seen),
    )


def _read_chosen_texts(groups: Groups) -> list[str]:
    """Return the texts of memories, as a person knows them."""
    found = (
        find_only_memory(memory.call, name, history=True)
        for memory, names in groups.values()
        for name in names
    )
    return [records.own_text(unmarked(one.text)) for one in found if one is not None]


def _find_back_address(seen: PageRequest) -> str:
    """Return the page of a memory or of memories on which a change was asked for."""
    return seen.sent("back") if seen.sent("back").startswith("/m") else "/memories"


def _return_with_undo(
    seen: PageRequest, told: str, undo: str, handles: list[str], to: str = ""
) -> Response:
    """Return to the page of the change, with a button that undoes the change."""
    values = {"told": told, "undo": undo, "handles": ",".join(handles), "to": to}
    path = _find_back_address(seen) if undo in ("restore", "retire") else "/memories"
    return seen.back_to(join_query(path, **values))


def trust_shown_content(seen: PageRequest) -> Response:
    """Trust exactly the content that the page showed."""
    try:
        seen.memory.run(trust_project, exactly=seen.sent("exactly"), yes=True)
    except GieokError as error:
        return seen.failed("trust.html", error, waits=None)
    notice = seen.words("Trusted: it is recalled from now on.")
    return seen.back_to(f"/trust?{urlencode({'told': notice})}")


_ACTS: dict[str, Callable[[PageRequest, Groups], Response]] = {
    "retire": _retire_chosen_memories,
    "restore": _restore_chosen_memories,
    "transfer": _transfer_chosen_memories,
    "forget": _forget_chosen_memories,
}
OF_MEMORIES: dict[str, Callable[[PageRequest], Response]] = {
    "/m/{handle:path}/edit": correct_memory_on_page,
    "/memories/act": act,
    "/trust": trust_shown_content,
}
