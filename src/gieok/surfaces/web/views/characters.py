"""Pages of characters: the list, and what each remembers of a user.

The memories of a bond are read when they are asked for.
"""

from collections import defaultdict
from typing import Any, NamedTuple
from urllib.parse import quote

from starlette.responses import HTMLResponse, Response

from gieok.character.cards import package
from gieok.character.cards.card import card_of
from gieok.character.facts import talkers_of
from gieok.character.house import House
from gieok.character.memory.memory_pages import Layer
from gieok.character.memory.service import Bond
from gieok.character.predicates import PREDICATES
from gieok.character.turn.reply_prompt import SpeakerNames, read_card_name
from gieok.character.turn.reply_prompt import fill_card_macros as filled_macros
from gieok.commands.character.memory_rows import find_character_bond
from gieok.commands.character.wording import find_character_name, read_memory_wording
from gieok.errors import GieokError
from gieok.model.accounts import StoredCharacter
from gieok.places.scope import ME
from gieok.surfaces.web.look import render_template
from gieok.surfaces.web.site import PageRequest, parse_number
from gieok.text.josa import fill_particles
from gieok.text.messages import translate
from gieok.text.tokens import estimate_tokens

_MOST_CHARACTERS, _MOST_USERS, _PER_PAGE = 200, 20, 30
_SCRIPTED = "scripted"
LAYERS = (
    (Layer.SEMANTIC, "Facts"),
    (Layer.IDEAS, "Ideas"),
    (Layer.EMOTIONAL, "Moments"),
    (Layer.EPISODIC, "Episodes"),
)


class CharacterListRow(NamedTuple):
    """A character in the list.

    `users` are those who talked with it, up to a limit; `others` is the number of further users.
    """

    id: str
    name: str
    greeting: str
    is_everybodys: bool
    has_picture: bool
    entries: int
    users: tuple[str, ...]
    others: int


class ReplyRoom(NamedTuple):
    """How the token budget of a reply is divided."""

    total: int
    persona: int
    memory: int
    talk: int
    reply: int


def show_characters_page(seen: PageRequest, wrong: GieokError | None = None) -> Response:
    """List characters, with the users who talked with them.

    `wrong` is the error of a change that failed.
    """
    try:
        house = seen.memory.call.home.house
        page = house.roster.page(ME, limit=_MOST_CHARACTERS)
    except GieokError as error:
        return seen.failed(
            "characters.html", error, found=[], gone=[], total=0, is_scripted=False, me=ME
        )
    talked = _list_users_by_character(house)
    listed = [
        _build_listed_character(character, talked.pop(character.id, []))
        for character in page.characters
    ]
    gone = [
        CharacterListRow(
            id=name,
            name=name,
            greeting="",
            is_everybodys=True,
            has_picture=False,
            entries=0,
            users=tuple(users[:_MOST_USERS]),
            others=max(len(users) - _MOST_USERS, 0),
        )
        for name, users in sorted(talked.items())
    ]
    values: dict[str, Any] = {
        "found": listed,
        "gone": gone,
        "total": page.total,
        "is_scripted": is_scripted(seen),
        "me": ME,
    }
    return (
        seen.page("characters.html", **values)
        if wrong is None
        else seen.failed("characters.html", wrong, **values)
    )


def is_scripted(seen: PageRequest) -> bool:
    """Return whether short replies by rules are configured in place of a model."""
    return seen.memory.call.home.settings.text("character.model") == _SCRIPTED


def _list_users_by_character(house: House) -> dict[str, list[str]]:
    """Return character → users who talked with it, found by the names of scopes alone."""
    users: dict[str, list[str]] = defaultdict(list)
    for scope in house.memory.journal.scopes():
        user, character = talkers_of(scope)
        if character and scope.path.startswith("user:"):
            users[character].append(user)
    return users


def _build_listed_character(stored: StoredCharacter, users: list[str]) -> CharacterListRow:
    card, own = card_of(stored.card), read_card_name(stored.card)
    return CharacterListRow(
        id=stored.id,
        name=own,
        greeting=" ".join(filled_macros(card.greeting, SpeakerNames(own, ME)).split())[:160],
        is_everybodys=not stored.owner,
        has_picture=stored.package_type in ("image/png", "application/zip"),
        entries=len(card.book.entries),
        users=tuple(users[:_MOST_USERS]),
        others=max(len(users) - _MOST_USERS, 0),
    )


def picture(seen: PageRequest) -> Response:
    """Return the picture on a character's card."""
    house, identity = seen.memory.call.home.house, seen.request.path_params["character"]
    try:
        stored = house.roster.find(seen.asked("user") or ME, identity, with_file=True)
        image = package.avatar(stored.package, stored.package_type)
    except GieokError:
        image = b""
    if not image:
        return Response(status_code=404)
    headers = {
        "Content-Security-Policy": "default-src 'none'",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, max-age=600",
    }
    return Response(image, media_type="image/png", headers=headers)


def glance(seen: PageRequest) -> Response:
    """Return one line about a bond, fetched once it is on the screen."""
    try:
        house, bond = find_house_and_bond(seen)
        known = house.memory.read_snapshot(bond)
        account = house.accounts.account(bond.user)
        spoken = known.window.spoken
        last = spoken[-1].message.at if spoken else account.seen_at if account else None
        values = {
            "last": last,
            "held": known.held,
            "points": house.accounts.balance(bond.user),
            "slots": house.memory.slots(bond),
            "now": house.memory.clock.now(),
            "zone": bond.zone,
        }
    except GieokError as error:
        return HTMLResponse(
            render_template(
                "failure.html", seen.lang, {"failure": {"message": str(error), "hint": error.hint}}
            )
        )
    return HTMLResponse(
        render_template("glance.html", seen.lang, values), headers={"Cache-Control": "no-store"}
    )


def bond(seen: PageRequest, wrong: GieokError | None = None) -> Response:
    """Show a character's memory of a user: a layer, the model's context, points and slots."""
    try:
        house, whose = find_house_and_bond(seen)
        values = _build_bond_values(seen, house, whose)
    except GieokError as error:
        return seen.failed("bond.html", error, **_read_bond_names(seen), is_there=False)
    return (
        seen.page("bond.html", **values)
        if wrong is None
        else seen.failed("bond.html", wrong, **values)
    )


def _build_bond_values(seen: PageRequest, house: House, whose: Bond) -> dict[str, Any]:
    prepared = house.turns.context(whose.user, whose.character, "")
    context, setting = prepared.context, seen.memory.call.home.settings.text
    return {
        **_read_bond_names(seen),
        "is_there": True,
        **build_layer_values(house, whose, seen.lang, seen.asked("layer"), seen.asked("page")),
        "window": ReplyRoom(
            total=int(setting("character.context_tokens")),
            persona=estimate_tokens(context.persona),
            memory=estimate_tokens(context.narrative.text),
            talk=sum(one.tokens for one in context.window),
            reply=int(setting("character.max_reply_tokens")),
        ),
        "prepared": prepared,
        "narrative": context.narrative.text,
        "extractor": context.extractor,
        "ledger": house.points.transactions(whose.user, 1, 8),
        "standing": house.points.standing(whose.user),
        "slots": house.memory.slots(whose),
        "undo": seen.asked("undo"),
    }


def build_layer_values(
    house: House, whose: Bond, lang: str, layer: str, page: str
) -> dict[str, Any]:
    """Return what the layers of a bond's memory are shown from.

    `layer` and `page` are as an address has them; what is none of them is the first one.
    """
    held = house.memory.memories(whose)
    shown = layer if layer in {one.value for one, _ in LAYERS} else Layer.SEMANTIC.value
    number = max(parse_number(page, 1), 1)
    return {
        "layer": shown,
        "layers": [(one.value, translate(words, lang)) for one, words in LAYERS],
        "items": house.control.memories(whose, shown, number, _PER_PAGE),
        "wording": read_memory_wording(house, whose, lang),
        "predicates": list_predicate_choices(lang),
        "counts": {
            Layer.SEMANTIC: sum(not one.is_idea for one in held.facts),
            Layer.EMOTIONAL: len(held.moments),
            Layer.IDEAS: sum(one.is_idea for one in held.facts),
            Layer.EPISODIC: len(held.episodes),
        },
        "episodes": len(held.episodes),
    }


def find_house_and_bond(seen: PageRequest) -> tuple[House, Bond]:
    """Return the house, and the bond that the address names. Raises NotFound, BadRequest."""
    house = seen.memory.call.home.house
    named = seen.request.path_params
    return house, find_character_bond(house, named["user"], named["character"])


def name(seen: PageRequest) -> str:
    """Return the name of the address's character."""
    named = seen.request.path_params
    return find_character_name(seen.memory.call.home.house, named["user"], named["character"])


def _read_bond_names(seen: PageRequest) -> dict[str, Any]:
    named = seen.request.path_params
    return {
        "user": named["user"],
        "character": named["character"],
        "bond_path": build_bond_path(named["user"], named["character"]),
        "name": name(seen),
    }


def build_bond_path(user: str, character: str) -> str:
    """Return the address of what a character remembers of a user."""
    return f"/characters/{quote(user)}/{quote(character)}"


def list_predicate_choices(lang: str) -> list[tuple[str, str]]:
    """Return the kinds of facts with their wording, a dash in the place of who and what."""
    rows = ((name, row.ko if lang == "ko" else row.en) for name, row in PREDICATES.items())
    return [(name, fill_particles(row.now, who="–", o="–") + f" ({name})") for name, row in rows]
