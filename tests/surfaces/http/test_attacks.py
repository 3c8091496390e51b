"""What an attacker sends, to every route: refused, or harmless. benchmarks/server_attacks.py has
what needs sockets.
"""

import re
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from urllib.parse import quote

import pytest
from served import NOW, SECRET, Served, bearer, served, token
from starlette.routing import Route
from starlette.testclient import TestClient

from gieok.processes.gate import CHANGE_HEADER, COOKIE, Gate
from gieok.surfaces.http.options import HttpOptions, TokenOptions
from gieok.surfaces.web.changes import CHANGES

_OPTIONS = HttpOptions(
    tokens=TokenOptions(SECRET), hosts=("memory.example",), origins=("https://chat.example",)
)
#: What nobody has to be known for: that it is up, who it is, a link's one use, a choice of
#: language, our own files; a payment is signed.
_PUBLIC = {
    ("GET", "/health"), ("GET", "/ready"), ("GET", "/who"), ("GET", "/lang"), ("GET", "/scope"),
    ("GET", "/static/{name}"), ("POST", "/api/webhooks/points"),
}  # fmt: skip
_HOSTILE = (
    "../../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "%252e%252e%252fetc%252fpasswd",
    "..\\..\\etc\\passwd",
    "%00",
    "a%0d%0aSet-Cookie:%20x=1",
    "%3Cscript%3Ealert(1)%3C/script%3E",
    "%EA%B0%80" * 200,
    "%ff%fe",
    "'%20OR%201=1--",
)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("home")
    with (
        pytest.MonkeyPatch.context() as patch,
        served(home, patch, _OPTIONS, has_pages=True) as found,
    ):
        patch.chdir(home)
        yield found


@pytest.fixture
def session(service: Served) -> TestClient:
    """A browser that was let in."""
    cookie = service.gate.enter(service.gate.link_code())
    # Without the lifespan: the application is up.
    return TestClient(
        service.app,
        base_url="http://localhost",
        cookies={COOKIE: cookie},
        raise_server_exceptions=False,
    )


def _routes(service: Served) -> list[tuple[str, str]]:
    """Return method and path of everything that is served; a HEAD is a GET."""
    found = list(_flat(service.app.routes))
    return sorted(
        {
            (method, route.path)
            for route in found
            for method in (route.methods or ())
            if method != "HEAD"
        }
    )


def _flat(routes: object) -> Iterator[Route]:
    for route in routes if isinstance(routes, list) else []:
        if isinstance(route, Route):
            yield route
        else:
            inner = getattr(route, "routes", None) or getattr(
                getattr(route, "original_router", None), "routes", None
            )
            assert inner, route
            yield from _flat(list(inner))


def test_every_route_is_public_by_name_or_refuses_who_is_nobody(service: Served) -> None:
    forged = {"Cookie": f"{COOKIE}=9999999999.x.{'0' * 64}"}
    link = {"Cookie": f"{COOKIE}={service.gate.link_code()}"}  # a code is no session
    wrong = cycle(
        (bearer("go_" + "a" * 43), bearer("gk_x"), {"Authorization": "Basic YTpi"}, forged, link)
    )
    routes = _routes(service)
    assert len(routes) > 60
    for method, path in routes:
        if (method, path) in _PUBLIC:
            continue
        for headers in ({}, next(wrong)):  # in turn: what checks them is the same for all
            sent = service.client.request(method, re.sub(r"\{[^}]+\}", "x", path), headers=headers)
            assert sent.status_code == 401, (method, path, headers, sent.status_code)
    assert {route for route in _PUBLIC if route not in routes} == set()


def test_a_user_opens_nothing_of_the_owners(service: Served) -> None:
    for method, path in _routes(service):
        if path == "/mcp" or path.startswith(("/api/operations", "/memories", "/m/", "/status")):
            sent = service.client.request(
                method, re.sub(r"\{[^}]+\}", "x", path), headers=token("kim")
            )
            assert sent.status_code in (401, 403), (method, path)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8377",
        "localhost.",
        "localhost.evil.example",
        "127.0.0.1.",
        "127.0.0.1.evil.example",
        "127.0.0.1@evil.example",
        "[::1].evil.example",
        "[::1",
        "::1",
        "0x7f000001",
        "2130706433",
        "127.1",
        "",
        ":80",
        "localhost:1:1",
        "localhost, evil.example",
        "memory.example.evil.example",
        "xn--localhost-",
    ],
)
def test_a_name_that_is_not_ours_is_refused(service: Served, host: str) -> None:
    for path in ("/health", "/", "/mcp", "/who?nonce=a", "/static/gieok.css"):
        assert service.client.get(path, headers=service.owner | {"Host": host}).status_code == 421


def test_our_own_names_are_taken(service: Served) -> None:
    for host in (
        "localhost",
        "LOCALHOST:8377",
        "127.0.0.1",
        "127.0.0.1:1",
        "[::1]:8377",
        "[::1]",
        "memory.example",
    ):
        assert service.client.get("/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "http://evil.example",
        "http://localhost:1",
        "http://localhost.evil.example",
        "file://",
        "localhost",
        "x",
    ],
)
def test_a_page_of_another_origin_may_not_ask(
    service: Served, session: TestClient, origin: str
) -> None:
    assert (
        service.client.get("/api/points", headers=token("kim") | {"Origin": origin}).status_code
        == 403
    )
    assert (
        service.client.post("/mcp", headers=service.owner | {"Origin": origin}, json={}).status_code
        == 403
    )
    assert session.post("/remember", headers={"Origin": origin}).status_code == 403
    allowed = service.client.get("/health", headers={"Origin": origin}).headers
    assert "access-control-allow-origin" not in allowed


def test_no_change_comes_from_elsewhere(service: Served, session: TestClient) -> None:
    cookie = session.cookies[COOKIE]
    other = service.gate.change_token(service.gate.enter(service.gate.link_code()))
    good = service.gate.change_token(cookie)
    for path in CHANGES:
        where = re.sub(r"\{[^}]+\}", "x", path)
        for sent in (
            session.post(where),
            session.post(where, data={"token": other}),
            session.post(where, data={"token": good[:-1]}),
            session.post(f"{where}?token={good}"),
            session.post(where, json={"token": good}),
            session.post(where, content=f"token={good}", headers={"Content-Type": "text/plain"}),
            session.post(where, data={"token": [other, ""]}),
            session.post(where, headers={CHANGE_HEADER: other}),
            session.get(where + "?yes=1")
            if where in ("/forget", "/remember")
            else session.post(where),
        ):
            assert sent.status_code in (401, 405), (path, sent.request)


def test_hostile_addresses_are_answered_and_lead_nowhere(
    service: Served, session: TestClient
) -> None:
    session.follow_redirects = False
    for method, path in _routes(service):
        if method != "GET" or path.startswith(("/api", "/v1")):
            continue
        for word in _HOSTILE:
            where = re.sub(r"\{[^}]+\}", lambda _, word=word: word, path)
            asked = (
                ""
                if "{" in path
                else f"?q={word}&scope={word}&to={word}&back={word}&told={word}&code={word}"
            )
            sent = session.get(f"{where}{asked}")
            assert sent.status_code < 500, (path, word)
            assert "root:" not in sent.text
            assert (
                "html" not in sent.headers.get("content-type", "")
                or "<script>alert(1)" not in sent.text
            )
            assert sent.headers.get("location", "/").startswith("/")
            assert "x" not in {
                cookie.partition("=")[0] for cookie in sent.headers.get_list("set-cookie")
            }


@pytest.mark.parametrize(
    "name",
    [
        "../site.py",
        "..%2fsite.py",
        "..%252fsite.py",
        "..\\site.py",
        "/etc/passwd",
        "gieok.css/..",
        "gieok.css%00",
        ".",
    ],
)
def test_only_our_own_files_are_given(service: Served, name: str) -> None:
    assert service.client.get(f"/static/{name}").status_code == 404


def test_what_is_remembered_writes_no_header(service: Served, session: TestClient) -> None:
    good = service.gate.change_token(session.cookies[COOKIE])
    text = "Deploys: Tuesday\r\nSet-Cookie: x=1\r\nLocation: https://evil.example/ \u2028 가"
    session.follow_redirects = False
    sent = session.post("/remember", data={"text": text, "token": good})
    assert sent.status_code == 303
    assert "x" not in sent.cookies
    assert sent.headers["location"].startswith("/")
    assert not set("\r\n") & set(sent.headers["location"])


def test_a_link_lets_in_once_whoever_else_serves_the_home(service: Served, tmp_path: Path) -> None:
    gate = service.gate
    code = gate.link_code()
    text, _, mark = code.rpartition(".")
    until, _, nonce = text.partition(".")
    tampered = (
        f"{int(until) + 99}.{nonce}.{mark}",
        f"{until}.{nonce}x.{mark}",
        f"{text}.{'0' * 64}",
        f"{text}.",
        "..",
        "a",
    )
    for guess in (*tampered, gate.enter(gate.link_code()), code.upper(), f"{code} ", "é" + code):
        assert service.client.get(f"/open?code={quote(guess)}").status_code == 401, guess
    planted = {"Cookie": f"{COOKIE}=mine"}  # no session is taken over from who comes
    entered = service.client.get(f"/open?code={code}", headers=planted, follow_redirects=False)
    assert entered.status_code == 303
    assert entered.headers["location"] == "/"
    assert entered.headers["referrer-policy"] == "no-referrer"
    cookie = entered.headers["set-cookie"]
    assert "mine" not in cookie
    assert {"HttpOnly", "SameSite=strict"} <= {part.strip() for part in cookie.split(";")}
    assert service.client.get(f"/open?code={code}").status_code == 401
    again = Gate(service.home, NOW.timestamp)  # a server that was started since
    assert again.enter(code) == ""
    late = Gate(service.home, lambda: NOW.timestamp() + 301)
    assert late.enter(gate.link_code()) == ""
    assert late.enter(late.link_code())
    assert [
        one.name for one in (service.home / "web.used").iterdir() if one.name == text
    ] == []  # nothing is kept for ever
    assert Gate(tmp_path / "other", NOW.timestamp).enter(gate.link_code()) == ""


def test_a_wrong_address_is_a_page_for_a_browser_and_a_problem_for_a_program(
    service: Served, session: TestClient
) -> None:
    for client in (session, service.client):
        asked = {"Accept": "text/html,*/*", "Accept-Language": "ko"}
        page = client.get("/없는쪽", headers=asked)
        assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
        assert "이 주소에는 쪽이 없습니다" in page.text
        assert "/없는쪽" in page.text
        assert client.get("/없는쪽").json()["code"] == "not_found"
