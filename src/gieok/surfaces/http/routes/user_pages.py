"""Pages for a user of the service: what characters remember of them, points and the check-in.

A user signs in with a key; a cookie then stands for it, for twelve hours or until the key is
revoked. The pages show and change what the API does, of this user alone.
"""

from collections.abc import Callable, Iterator
from typing import Annotated, Any, NamedTuple
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from gieok.character.accounts.identity import PREFIX, Principal
from gieok.character.accounts.takeout import list_user_scopes
from gieok.character.facts import scope_of, talkers_of
from gieok.character.house import House
from gieok.character.memory.service import Bond
from gieok.commands.character.wording import find_character_name
from gieok.errors import (
    STATUS,
    BadRequest,
    Forbidden,
    GieokError,
    NotFound,
    TooManyRequests,
    Unauthorized,
)
from gieok.model.accounts import KeyRole
from gieok.ports.limits import Rate
from gieok.processes.gate import USER_COOKIE
from gieok.surfaces.http.access import Desk, Reception
from gieok.surfaces.http.problems import UNTOLD_CAUSE, build_retry_headers, is_for_operator
from gieok.surfaces.web.look import render_template
from gieok.surfaces.web.site import PAGE_HEADERS, choose_page_language
from gieok.surfaces.web.views.bond_changes import (
    BondChange,
    SentForm,
    add_bond_fact,
    correct_bond_memory,
    forget_bond_memory,
    give_days_points,
    undo_bond_change,
)
from gieok.surfaces.web.views.characters import build_layer_values
from gieok.text.catalogues import list_languages
from gieok.text.messages import translate

router = APIRouter(prefix="/me", include_in_schema=False)
_LEDGER_ROWS = 8
_HTTPS = "https"


class MetCharacter(NamedTuple):
    """A character that remembers the user, with the number of its memories by layer."""

    id: str
    name: str
    facts: int
    moments: int
    episodes: int


class VisitedPage:
    """Request for a page by a user of the service, who may have signed in.

    `form` holds what a form sent; it is a `SentForm`.
    """

    def __init__(self, request: Request, desk: Reception, form: dict[str, str]) -> None:
        self.request = request
        self.desk = desk
        self.form = form
        self.lang = choose_page_language(request)
        self.cookie = request.cookies.get(USER_COOKIE, "")

    def sent(self, name: str) -> str:
        """Return a field of the form; '' for none."""
        return self.form.get(name, "").strip()

    def words(self, template: str, about: str = "", plural: str = "", **values: object) -> str:
        """Return a message in the reader's language."""
        return translate(template, self.lang, values, about=about, plural=plural)

    def find_user(self) -> str:
        """Return the user who signed in. Raises Unauthorized, TooManyRequests."""
        key = self.desk.gate.find_signed_in(self.cookie)
        if not key:
            raise Unauthorized("nobody has signed in", hint="sign in with your key")
        return self.check_key_rate(self.desk.house.identity.find_key_holder(key))

    def check_key_rate(self, who: Principal) -> str:
        """Return the user of a key, within the rate limit. Raises Forbidden, TooManyRequests."""
        if who.role is not KeyRole.USER:
            raise Forbidden("this is a user's", hint="sign in with a key of a user, not an admin's")
        most = self.desk.options.per_minute
        if most:
            room = self.desk.limiter.admit(who.name, Rate(most))
            if not room.is_admitted:
                raise TooManyRequests("too many requests by this key", retry_after_s=room.wait_s)
        return who.user

    def require_own_form(self) -> None:
        """Raise Unauthorized unless the form stood on a page of this session."""
        if not self.desk.gate.may_user_change(self.cookie, self.sent("token")):
            raise Unauthorized("this form is of another session", hint="sign in with your key")

    def render_own_page(
        self,
        template: str,
        error: GieokError | None = None,
        http_status: int = 200,
        **values: Any,  # noqa: ANN401 - a template's
    ) -> Response:
        """Return a page; with an error, the page says it and has its status."""
        is_read = self.request.method == "GET"
        told = self.read_last_change()
        common = {
            "user": "",
            "told": told.notice,
            "undo": told.undo,
            "token": self.desk.gate.change_token(self.cookie),
            "address": self.request.url.path if is_read else "/me",
            "failure": self.describe_failure(error) if error else None,
            # A catalogue translates the word by the name of its own language.
            "other_languages": [
                (other, translate("English", other))
                for other in list_languages()
                if other != self.lang
            ],
        }
        text = render_template(template, self.lang, {**common, **values})
        headers = dict(PAGE_HEADERS)
        if isinstance(error, TooManyRequests):
            headers |= build_retry_headers(error)
        return HTMLResponse(text, STATUS[error.code][1] if error else http_status, headers)

    def describe_failure(self, error: GieokError) -> dict[str, str]:
        """Return what a page says of an error, and keep the error for the server's log."""
        self.request.state.error = error
        if is_for_operator(error):
            return {"message": UNTOLD_CAUSE, "hint": "try again later"}
        return {"message": str(error), "hint": error.hint}

    def render_closed(self, error: GieokError | None = None) -> Response:
        """Return the page on which a user signs in; who has not done so is nobody (401)."""
        return self.render_own_page("user_closed.html", error, http_status=401)

    def read_last_change(self) -> BondChange:
        """Return what the address says of the change before; nothing where others wrote that."""
        query = self.request.query_params
        change = BondChange(query.get("told", ""), query.get("undo", ""))
        mark = query.get("mark", "")
        is_own = self.desk.gate.is_own_notice(self.cookie, "\0".join(change), mark)
        return change if is_own else BondChange("")

    def lead_to(self, path: str, change: BondChange | None = None) -> RedirectResponse:
        """Redirect to a page, which says what was changed and offers to undo it."""
        given: dict[str, str] = {}
        if change:
            mark = self.desk.gate.mark_notice(self.cookie, "\0".join(change))
            told = {"told": change.notice, "undo": change.undo, "mark": mark}
            given = {name: text for name, text in told.items() if text}
        if given and self.sent("layer"):
            given["layer"] = self.sent("layer")
        address = f"{path}?{urlencode(given)}" if given else path
        return RedirectResponse(address, status_code=303, headers=PAGE_HEADERS)


async def _read_form(request: Request) -> dict[str, str]:
    async with request.form() as sent:
        return {name: value for name, value in sent.multi_items() if isinstance(value, str)}


SentFields = Annotated[dict[str, str], Depends(_read_form)]


@router.get("")
def show_user_home(request: Request, desk: Desk) -> Response:
    """Show which characters remember the user, and the points; or where to sign in."""
    page = VisitedPage(request, desk, {})
    if not page.cookie:
        return page.render_closed()
    try:
        user = page.find_user()
        return _render_home(page, user)
    except GieokError as error:
        return page.render_closed(error)


@router.post("/sign-in")
def sign_user_in(request: Request, desk: Desk, form: SentFields) -> Response:
    """Sign a user in with a key."""
    page = VisitedPage(request, desk, form)
    try:
        if not page.sent("key").startswith(PREFIX):
            raise Unauthorized("the key is not valid", hint="a key begins with gk_")
        who = page.desk.house.identity.verify(page.sent("key"))
        page.check_key_rate(who)
    except GieokError as error:
        return page.render_closed(error)
    response = page.lead_to("/me")
    # Each proxy adds its own; the first one is what the browser speaks.
    forwarded = request.headers.get("x-forwarded-proto", "").partition(",")[0].strip().lower()
    is_encrypted = _HTTPS in (request.url.scheme, forwarded)
    response.set_cookie(
        USER_COOKIE,
        desk.gate.issue_user_cookie(who.name),
        path="/me",
        httponly=True,
        samesite="strict",
        secure=is_encrypted,
    )
    return response


@router.post("/sign-out")
def sign_user_out(request: Request, desk: Desk) -> Response:
    """End the session in this browser."""
    response = VisitedPage(request, desk, {}).lead_to("/me")
    response.delete_cookie(USER_COOKIE, path="/me", httponly=True, samesite="strict")
    return response


@router.post("/check-in")
def check_in_on_page(request: Request, desk: Desk, form: SentFields) -> Response:
    """Give the user the points of today's check-in, once a day."""
    page = VisitedPage(request, desk, form)
    try:
        user = page.find_user()
        page.require_own_form()
        return page.lead_to("/me", give_days_points(page, desk.house, user))
    except GieokError as error:
        return page.render_closed(error)


@router.get("/{character}")
def show_user_bond(request: Request, desk: Desk, character: str) -> Response:
    """Show what a character remembers of the user."""
    page = VisitedPage(request, desk, {})
    try:
        user = page.find_user()
    except GieokError as error:
        return page.render_closed(error)
    return _render_bond(page, user, character)


@router.get("/{character}/{act}")
def lead_from_form(character: str, act: str) -> Response:
    """Redirect who asks for a form's address, where its error stood, to the page of the form."""
    del act
    return RedirectResponse(f"/me/{quote(character)}", status_code=303, headers=PAGE_HEADERS)


@router.post("/{character}/{act}")
def change_user_bond(
    request: Request, desk: Desk, character: str, act: str, form: SentFields
) -> Response:
    """Change what a character remembers of the user."""
    page = VisitedPage(request, desk, form)
    try:
        user = page.find_user()
        page.require_own_form()
    except GieokError as error:
        return page.render_closed(error)
    try:
        bond = _find_own_bond(desk.house, user, character)
        if act == _FORGET_ALL:
            return page.lead_to("/me", _forget_all(page, desk.house, bond))
        if act not in _CHANGES:
            raise NotFound("there is no such change", hint="use the buttons of the page")
        change = _CHANGES[act](page, desk.house, bond)
    except GieokError as error:
        return _render_bond(page, user, character, error)
    return page.lead_to(f"/me/{quote(character)}", change)


def _render_home(page: VisitedPage, user: str) -> Response:
    house = page.desk.house
    return page.render_own_page(
        "user_home.html",
        user=user,
        met=list(_iter_met_characters(house, user)),
        standing=house.points.standing(user),
        ledger=house.points.transactions(user, 1, _LEDGER_ROWS),
        zone=house.bond(user, "").zone,
    )


def _iter_met_characters(house: House, user: str) -> Iterator[MetCharacter]:
    """Yield the characters that have messages of the user, also those that are gone since."""
    names = {talkers_of(scope)[1] for scope in list_user_scopes(house.memory, user)}
    for character in sorted(filter(None, names)):
        held = house.memory.memories(house.bond(user, character))
        yield MetCharacter(
            id=character,
            name=find_character_name(house, user, character),
            facts=len(held.facts),
            moments=len(held.moments),
            episodes=len(held.episodes),
        )


def _find_own_bond(house: House, user: str, character: str) -> Bond:
    """Return the bond of the user and a character that exists, or remembers them.

    Raises NotFound.
    """
    try:
        house.roster.find(user, character)
    except NotFound:
        if not house.memory.journal.stats(scope_of(user, character)).messages:
            raise
    return house.bond(user, character)


def _render_bond(
    page: VisitedPage, user: str, character: str, error: GieokError | None = None
) -> Response:
    house, query = page.desk.house, page.request.query_params
    try:
        bond = _find_own_bond(house, user, character)
        asked = query.get("layer", "") or page.sent("layer")
        values = build_layer_values(house, bond, page.lang, asked, query.get("page", ""))
        values |= {"slots": house.memory.slots(bond), "zone": bond.zone}
        name = find_character_name(house, user, character)
    except GieokError as failure:
        # Nobody is told whether a character exists that they cannot talk to.
        values, name, error = {"layer": "", "layers": ()}, character, error or failure
    path = f"/me/{quote(character)}"
    return page.render_own_page(
        "user_bond.html",
        error,
        user=user,
        character=character,
        name=name,
        bond_path=path,
        **values,
    )


def _forget_all(form: SentForm, house: House, bond: Bond) -> BondChange:
    """Delete all memories and messages of a bond. Raises BadRequest where that was not ticked."""
    if form.sent("yes") != "yes":
        raise BadRequest("nothing was deleted", hint="tick the box beside the button")
    house.erasing.forget(bond.user, bond.character)
    return BondChange(form.words("Forgotten."))


_FORGET_ALL = "forget-all"
_CHANGES: dict[str, Callable[[SentForm, House, Bond], BondChange]] = {
    "edit": correct_bond_memory,
    "forget": forget_bond_memory,
    "add": add_bond_fact,
    "undo": undo_bond_change,
}
