"""The web site: who may see it, whose memory it shows, and how a request is answered.

The pages are in `views`, the changes in `changes`.
"""

import mimetypes
import os
import secrets
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from gieok import __version__
from gieok.character.facts import talkers_of
from gieok.commands.command import STATUSES, TIER_NAMES
from gieok.commands.memory import away, handles
from gieok.commands.scope_names import name_scopes
from gieok.errors import STATUS, GieokError
from gieok.home.call import Call
from gieok.home.calls import rescope_call
from gieok.home.withholding import format_local_time
from gieok.model.memory import Scope
from gieok.places.scope import USER_SCOPE, is_brought
from gieok.processes.gate import COOKIE, Gate
from gieok.surfaces.language import language
from gieok.surfaces.python import Memory
from gieok.surfaces.web.jobs import Jobs
from gieok.surfaces.web.look import render_template
from gieok.surfaces.web.palette import list_palette_entries
from gieok.text.catalogues import list_languages
from gieok.text.messages import translate

#: Path → name of the page in both languages.
MENU = (
    ("/", "Home"),
    ("/memories", "Memories"),
    ("/timeline", "Timeline"),
    ("/injection", "Given to agents"),
    ("/characters", "Characters"),
    ("/code", "Code"),
    ("/status", "Health"),
)
#: Pages with a target of their own at the bottom of a phone's screen; the others are behind one.
_MAIN_PAGES = ("/", "/memories", "/timeline", "/injection")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
#: Headers of every page.
PAGE_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}
#: Parameters of an address that tell of one change, and offer to undo it. They belong to the page
#: right after the change: kept in an address, they would offer to undo an older change later.
_OF_ONE_CHANGE = frozenset(
    ("told", "mark", "undo", "handles", "to", "before", "refused", "kept_back")
)
_MOST_ASIDE = 100
#: A server of many users lists no more of them on every page.
_MOST_BONDS = 50
_YEAR_S = 365 * 86_400
_MOST_DIGITS = 9
STATIC = ("gieok.css", "gieok.svg", "htmx.min.js", "days.js", "keys.js", "palette.js", "talk.js")


class MemorySite:
    """Web site of a memory.

    `open_memory` opens the memory of a scope (`auto`: the scope of the folder).
    """

    def __init__(self, open_memory: Callable[[str], Memory], gate: Gate) -> None:
        self.gate = gate
        self.jobs = Jobs()
        self.memory = lru_cache(maxsize=8)(open_memory)
        self._aside = dict[str, str]()

    def put_aside(self, text: str) -> str:
        """Keep a text for the next page, and return a name for it.

        The text does not fit into an address, which has to be short and which browsers keep in
        histories.
        """
        name = secrets.token_urlsafe(9)
        self._aside[name] = text
        for oldest in list(self._aside)[:-_MOST_ASIDE]:
            self._aside.pop(oldest, None)
        return name

    def aside(self, name: str) -> str:
        """Return a text that was put aside; '' where it was dropped since."""
        return self._aside.get(name, "")

    def open(self, request: Request) -> Response:
        """Let a browser in by the code in a link, and redirect to an address without the code."""
        cookie = self.gate.enter(request.query_params.get("code", ""))
        if not cookie:
            return render_closed_page(request, is_link=True)
        # The address holds the code, so no request may name it as the referrer.
        response = RedirectResponse(
            "/", status_code=303, headers=PAGE_HEADERS | {"Referrer-Policy": "no-referrer"}
        )
        response.set_cookie(COOKIE, cookie, max_age=30 * 86_400, httponly=True, samesite="strict")
        if scope := request.query_params.get("scope", ""):
            response.set_cookie(
                "gieok_scope", quote(scope), max_age=_YEAR_S, httponly=True, samesite="strict"
            )
        return response

    def who(self, request: Request) -> Response:
        """Prove to a caller with the home's secret that this is the server of the home.

        Another program may have taken the port.
        """
        server = request.scope.get("server") or ("", 0)
        return PlainTextResponse(
            self.gate.proof(request.query_params.get("nonce", "")[:64], server[1] or 0, os.getpid())
        )

    def shown(self, view: Callable[["PageRequest"], Response]) -> Callable[[Request], Response]:
        """Return the endpoint of a page."""

        def answer(request: Request) -> Response:
            if not self.gate.is_open(request.cookies.get(COOKIE, "")):
                return render_closed_page(request)
            return view(PageRequest(self, request, {}))

        return answer

    def changed(self, change: Callable[["PageRequest"], Response]) -> Callable[[Request], Any]:
        """Return the endpoint of a change, which must come from a page of the same session."""

        async def answer(request: Request) -> Response:
            form: dict[str, list[str]] = {}
            uploads: dict[str, bytes] = {}
            async with request.form() as sent:
                for name, value in sent.multi_items():
                    if isinstance(value, str):
                        form.setdefault(name, []).append(value)
                    else:
                        uploads[name] = await value.read()
            token = "".join(form.get("token", [])) or request.headers.get("x-change-token", "")
            if not self.gate.may_change(request.cookies.get(COOKIE, ""), token):
                return render_closed_page(request)
            return await run_in_threadpool(change, PageRequest(self, request, form, uploads))

        return answer

    def kept(self, name: str, parameter: str) -> Callable[[Request], Response]:
        """Return the endpoint that keeps a choice of the reader in a cookie, and goes back."""

        def answer(request: Request) -> Response:
            back = join_query(request.query_params.get("back", "/"))
            response = RedirectResponse(back, status_code=303, headers=PAGE_HEADERS)
            value = request.query_params.get(parameter, "")
            response.set_cookie(
                f"gieok_{name}", quote(value), max_age=_YEAR_S, httponly=True, samesite="strict"
            )
            return response

        return answer


class PageRequest:
    """Request of a reader who was let in: language, chosen memory, form fields."""

    def __init__(
        self,
        site: MemorySite,
        request: Request,
        form: Mapping[str, list[str]],
        files: Mapping[str, bytes] | None = None,
    ) -> None:
        self.site = site
        self.files = files or {}
        self.request = request
        self.form = form
        self.lang = choose_page_language(request)
        self.cookie = request.cookies.get(COOKIE, "")

    @cached_property
    def memory(self) -> Memory:
        """Return the memory of the chosen scope."""
        chosen = unquote(self.request.cookies.get("gieok_scope", ""))
        # The folder's own scope is opened as `auto`, which is where its records are kept.
        return self.site.memory(chosen if chosen in self.scopes[1:] else "auto")

    @cached_property
    def call(self) -> Call:
        """Return the call of the chosen memory, with its current scopes.

        The first record makes a folder a project.
        """
        return rescope_call(self.memory.call)

    @cached_property
    def scopes(self) -> list[str]:
        """Return the paths of the existing scopes, that of the folder first.

        Scopes of characters are left out, because they have a page of their own.
        """
        own = rescope_call(self.site.memory("auto").call).scope.path
        return [
            own,
            *sorted(
                scope.path
                for scope in self._known_scopes
                if scope.path != own and not scope.path.startswith(("user:", "character:"))
            ),
        ]

    @cached_property
    def _known_scopes(self) -> list[Scope]:
        return self.site.memory("auto").call.home.store.scopes()

    @property
    def _bonds(self) -> list[tuple[str, str]]:
        """Return the users and the characters that remember them, as many as a list can show."""
        bonds = sorted(
            talkers_of(scope) for scope in self._known_scopes if scope.path.startswith("user:")
        )
        return [(user, character) for user, character in bonds if character][:_MOST_BONDS]

    @property
    def has_scopes(self) -> bool:
        """Return whether there is a scope beside the user's own."""
        return {*self.scopes, *self.scopes_to_keep} != {USER_SCOPE}

    @property
    def scopes_to_keep(self) -> list[str]:
        """Return the scopes that a person can add a memory to, the chosen one first.

        The user's own is always there, and what is added to it makes no project.
        """
        known = [path for path in self.scopes if not is_brought(path)]
        chosen = self.call.scope.path
        own = [] if USER_SCOPE in known else [USER_SCOPE]
        return [chosen, *(path for path in (*known, *own) if path != chosen)]

    def memory_of(self, handle: str) -> Memory:
        """Return the memory of the scope that holds a handle.

        It is the chosen memory where that holds the handle, or where no scope does.
        """
        call = self.call
        if not handles.is_handle(handle) or handles.find_named_memories(call, handle, history=True):
            return self.memory
        others = [scope for scope in call.home.store.scopes() if scope not in call.scopes]
        holders = [
            memory.document.scope for memory in handles.find_named_memories(call, handle, others)
        ]
        if (
            not holders
            and (gone := away.find_away_memory(call, handle, [*call.scopes, *others])) is not None
        ):
            holders = [gone.scope]
        return (
            self.site.memory(holders[0].path)
            if holders and holders[0] not in call.scopes
            else self.memory
        )

    @cached_property
    def within(self) -> str:
        """Return the scope that the address narrows the page to; '' for everywhere."""
        return self.asked("in") if self.asked("in") in self.scopes else ""

    @property
    def memory_within(self) -> Memory:
        """Return the memory of that scope alone; where none is named, the chosen memory."""
        return self.site.memory(self.within) if self.within else self.memory

    def asked(self, name: str) -> str:
        """Return a parameter of the address; '' for none."""
        return self.request.query_params.get(name, "").strip()

    def sent(self, name: str) -> str:
        """Return a field of the form; '' for none."""
        return "".join(self.form.get(name, [])).strip()

    # A template's.
    def page(self, template: str, *, http_status: int = 200, **values: Any) -> Response:  # noqa: ANN401
        """Return a page."""
        names = name_scopes({*self.scopes, *self.scopes_to_keep}, self.lang)
        common = {
            "menu": MENU,
            "palette": list_palette_entries(
                MENU, {path: names[path] for path in self.scopes}, self._bonds, self.lang
            ),
            "here": self._here(),
            "main_pages": _MAIN_PAGES,
            "address": self._address(),
            "scopes": self.scopes,
            "has_scopes": self.has_scopes,
            "scope_names": names,
            "scope": self.call.scope.path,
            "keeping": self.scopes_to_keep,
            "token": self.site.gate.change_token(self.cookie),
            "version": f"Gieok {__version__}",
            "told": self._read_notice(),
            "tier_names": {name: words.say(self.lang) for name, words in TIER_NAMES.items()},
            "statuses": {name: words.say(self.lang) for name, words in STATUSES.items()},
            # A catalogue translates the word by the name of its own language.
            "other_languages": [
                (other, translate("English", other))
                for other in list_languages()
                if other != self.lang
            ],
            "zone": self.memory.call.zone,
            "failure": None,
            "withheld": self._withheld(),
        }
        return HTMLResponse(
            render_template(template, self.lang, {**common, **values}), http_status, PAGE_HEADERS
        )

    def _withheld(self) -> str:
        """Return the notice that memory is paused; '' while it is not."""
        call = self.memory.call
        pause = call.privacy.pause(call.clock.now().timestamp())
        if pause is None:
            return ""
        if pause.until is None:
            return self.words(
                "Memory is paused: nothing is kept or given to agents. `gieok resume` ends it."
            )
        return self.words(
            "Memory is paused until {until}: nothing is kept or given to agents. `gieok resume` "
            "ends it.",
            until=format_local_time(pause.until, call.zone),
        )

    # A template's.
    def failed(self, template: str, error: GieokError, **values: Any) -> Response:  # noqa: ANN401
        """Return a page that shows an error and the next step."""
        failure = {"message": str(error), "hint": error.hint}
        return self.page(template, http_status=STATUS[error.code][1], failure=failure, **values)

    def back_to(self, path: str) -> Response:
        """Redirect to another page, which says what the address tells of the change."""
        address, fragment_sign, fragment = path.partition("#")
        told = "".join(parse_qs(urlsplit(address).query).get("told", [])[-1:]).strip()
        if told:
            address = join_query(address, mark=self.site.gate.mark_notice(self.cookie, told))
        return RedirectResponse(
            address + fragment_sign + fragment, status_code=303, headers=PAGE_HEADERS
        )

    def _read_notice(self) -> str:
        """Return what the address tells of the change before; '' where others wrote that."""
        told = self.asked("told")
        return told if self.site.gate.is_own_notice(self.cookie, told, self.asked("mark")) else ""

    def short(self, file: Path) -> str:
        """Return a path in shell form, with the home folder of the user as `~`."""
        user = self.memory.call.caller.user
        return f"~/{file.relative_to(user).as_posix()}" if file.is_relative_to(user) else str(file)

    def words(self, template: str, about: str = "", plural: str = "", **values: object) -> str:
        """Return a message in the reader's language; see `gieok.text.messages`."""
        return translate(template, self.lang, values, about=about, plural=plural)

    def _address(self) -> str:
        """Return the address of this page, without what tells of one change.

        After a form was sent, it is that of the page with the form.
        """
        if self.request.method != "GET":
            return self._here()
        query = urlencode(
            [
                pair
                for pair in self.request.query_params.multi_items()
                if pair[0] not in _OF_ONE_CHANGE
            ]
        )
        return self.request.url.path + (f"?{query}" if query else "")

    def _here(self) -> str:
        first = "/" + self.request.url.path.strip("/").partition("/")[0]
        return next(
            (path for path, *_ in MENU if path == first),
            "/memories" if first in ("/m", "/trust") else "/",
        )


def join_query(address: str, **values: str) -> str:
    """Return an address of the site with more parameters; the first page for one elsewhere."""
    is_inside = address.startswith("/") and not address.startswith(("//", "/\\"))
    added = urlencode({name: value for name, value in values.items() if value})
    path = address if is_inside else "/"
    begins = "" if path.endswith("?") else "&" if "?" in path else "?"
    return f"{path}{begins}{added}" if added else path


def parse_number(text: str, otherwise: int) -> int:
    """Return the number that an address or a form has; `otherwise` for none.

    A longer one than any page has is none, too: Python reads at most 4,300 digits.
    """
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else otherwise


def render_closed_page(request: Request, *, is_link: bool = False) -> HTMLResponse:
    """Return the page for a browser that was not let in: how a person opens the pages."""
    lang = choose_page_language(request)
    why = translate("A link works once, within five minutes.", lang) if is_link else ""
    return HTMLResponse(render_template("closed.html", lang, {"why": why}), 401, PAGE_HEADERS)


def render_missing_page(request: Request) -> HTMLResponse:
    """Return the page for a browser that asked for an address where nothing is."""
    lang = choose_page_language(request)
    shown = {"path": request.url.path}
    return HTMLResponse(render_template("missing.html", lang, shown), 404, PAGE_HEADERS)


def choose_page_language(request: Request) -> str:
    """Return the language that a reader chose on a page, else that of the browser."""
    chosen = request.cookies.get("gieok_lang", "")
    if chosen in list_languages():
        return chosen
    return language([], {"LANG": request.headers.get("accept-language", "")})


def static(request: Request) -> Response:
    """Return a static file of the package."""
    name = request.path_params["name"]
    file = files("gieok.surfaces.web") / "static" / name
    if name not in STATIC:
        return Response(status_code=404)
    kind = mimetypes.guess_type(name)[0] or "text/plain"
    headers = {"Cache-Control": "max-age=3600", "X-Content-Type-Options": "nosniff"}
    return Response(file.read_bytes(), media_type=kind, headers=headers)
