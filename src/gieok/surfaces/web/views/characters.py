"""Who remembers whom."""

from typing import Any

from starlette.responses import Response

from gieok.surfaces.web.site import Seen


def characters(seen: Seen) -> Response:
    """List who remembers whom."""
    house = seen.memory.context.character.house()
    found = []
    for scope in house.memory.journal.made_scopes():
        user, _, character = scope.path.removeprefix("user:").partition("/character:")
        if character:
            held = house.memory.memories(_bond(user, character))
            found.append((user, character, (len(held.facts), len(held.moments), len(held.episodes))))
    return seen.page("characters.html", bonds=found)


def bond(seen: Seen) -> Response:
    """Show what a character remembers of a user."""
    user, character = seen.request.path_params["user"], seen.request.path_params["character"]
    house = seen.memory.context.character.house()
    who = _bond(user, character)
    return seen.page(
        "bond.html", user=user, character=character, memories=house.memory.memories(who),
        narrative=house.memory.context(who, "").narrative.text, points=house.accounts.balance(user),
        slots=house.memory.slots(who),
    )  # fmt: skip


def _bond(user: str, character: str) -> Any:  # noqa: ANN401 - a bond
    from gieok.capabilities.character.service import Bond

    return Bond(user, character)
