"""Pages of a user of the service: signed in by a key, of what is theirs alone."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

pytest.importorskip("jinja2")

from fastapi import Request
from served import SECRET, Served, served

from gieok.character.cards.card import new_card
from gieok.character.memory.service import Bond
from gieok.errors import NotFound, StoreCorrupt
from gieok.model.accounts import KeyRole
from gieok.processes.gate import COOKIE, USER_COOKIE, Gate
from gieok.surfaces.http.options import HttpOptions, TokenOptions
from gieok.surfaces.http.routes.user_pages import VisitedPage


@pytest.fixture
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with (
        pytest.MonkeyPatch.context() as patch,
        served(tmp_path_factory.mktemp("home"), patch, has_pages=True) as found,
    ):
        found.house.roster.create("", new_card({"name": "Mina"}), "mina")
        for user, place in (("kim", "Busan"), ("lee", "Seoul")):
            found.house.memory.hear(Bond(user, "mina"), f"I live in {place}.", is_user=True)
        found.client.headers["Accept-Language"] = "en"
        yield found


def _sign_in(service: Served, user: str = "kim") -> str:
    """Sign a user in, and return the token of the session's forms."""
    _, text = service.house.identity.issue(user)
    page = service.client.post("/me/sign-in", data={"key": text})
    assert page.status_code == 200, page.text
    found = re.search(r'name="token" value="([0-9a-f]+)"', page.text)
    assert found
    return found[1]


def _find_value(text: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]+)"', text)
    assert found, text
    return found[1]


def test_a_user_sees_corrects_marks_forgets_and_takes_back_what_is_remembered(
    service: Served,
) -> None:
    token, client = _sign_in(service), service.client
    home = client.get("/me").text
    assert "Mina" in home
    assert "facts 1, moments 0, episodes 0" in home
    page = client.get("/me/mina").text
    assert "kim lives in Busan" in page
    sent = {
        "token": token,
        "key": _find_value(page, "key"),
        "layer": "semantic",
        "subject": "user",
        "predicate": "lives_in",
    }
    edited = client.post("/me/mina/edit", data={**sent, "text": "Daegu"}).text
    assert "kim lives in Daegu" in edited
    sent["key"] = _find_value(edited, "key")
    assert "★" in client.post("/me/mina/edit", data={**sent, "important": "yes"}).text
    gone = client.post("/me/mina/forget", data=sent).text
    assert "kim lives in" not in gone
    undo = {"token": token, "undo": _find_value(gone, "undo"), "layer": "semantic"}
    assert "kim lives in Daegu" in client.post("/me/mina/undo", data=undo).text
    fact = {**sent, "predicate": "name", "text": "Minjun"}
    assert "Minjun" in client.post("/me/mina/add", data=fact).text


def test_a_user_checks_in_and_sees_their_points_once_a_day(service: Served) -> None:
    token, client = _sign_in(service), service.client
    page = client.post("/me/check-in", data={"token": token}).text
    assert "10 points; 1 days in a row." in page
    assert "/me/check-in" not in page
    assert "Checked in already." in client.post("/me/check-in", data={"token": token}).text


def test_everything_of_a_character_is_forgotten_where_the_box_is_ticked(service: Served) -> None:
    token, client = _sign_in(service), service.client
    refused = client.post("/me/mina/forget-all", data={"token": token})
    assert (refused.status_code, "tick the box" in refused.text) == (400, True)
    page = client.post("/me/mina/forget-all", data={"token": token, "yes": "yes"})
    assert "No character remembers anything of you yet." in page.text
    assert service.house.memory.memories(Bond("lee", "mina")).facts, "another user's stay"


def test_nobody_gets_in_but_by_the_key_of_a_user_and_sees_another_users(service: Served) -> None:
    client = service.client
    assert "Sign in" in client.get("/me").text
    assert client.get("/me/mina").status_code == 401
    admin = service.house.identity.issue("", KeyRole.ADMIN)[1]
    for key, status in (("", 401), ("gk_wrong", 401), ("go_owner", 401), (admin, 403)):
        assert client.post("/me/sign-in", data={"key": key}).status_code == status
    _sign_in(service)
    assert "Seoul" not in client.get("/me/mina").text
    assert client.get("/me/nobody").status_code == 404
    assert "kim lives in Busan" in client.get("/me/mina", params={"page": "9" * 5_000}).text
    assert client.get("/memories").status_code == 401, "the owner's pages stay the owner's"


def test_a_session_ends_with_its_key_its_hours_and_its_sign_out(service: Served) -> None:
    client, identity = service.client, service.house.identity
    key, text = identity.issue("kim", expires_at=service.clock.now() + timedelta(hours=1))
    client.post("/me/sign-in", data={"key": text})
    assert client.get("/me/mina").status_code == 200
    identity.revoke("kim", key.id)
    assert client.get("/me/mina").status_code == 401
    _sign_in(service)
    client.post("/me/sign-out")
    assert client.get("/me/mina").status_code == 401
    _sign_in(service)
    later = Gate(service.home, lambda: service.clock.now().timestamp() + 12 * 3600 + 1)
    cookie = client.cookies[USER_COOKIE]
    assert service.gate.find_signed_in(cookie)
    assert later.find_signed_in(cookie) == ""


def test_a_form_of_another_session_changes_nothing(service: Served) -> None:
    other = _sign_in(service, "lee")
    _sign_in(service)
    client = service.client
    for token in ("", other):
        refused = client.post("/me/check-in", data={"token": token})
        assert refused.status_code == 401
    assert service.house.points.standing("kim").streak == 0
    # A cookie of one kind is none of the other.
    owner = service.gate.enter(service.gate.link_code())
    assert not service.gate.find_signed_in(owner)
    assert not service.gate.is_open(client.cookies[USER_COOKIE])
    client.cookies.clear()
    client.cookies.set(COOKIE, owner)
    assert client.get("/me/mina").status_code == 401


def test_a_page_says_of_a_change_what_its_own_form_brought_and_no_words_of_an_address(
    service: Served,
) -> None:
    client, written = service.client, {"told": "전화 주세요 555-0100", "undo": "1f"}
    assert "555-0100" not in client.get("/me", params=written).text
    token = _sign_in(service)
    sent = client.post("/me/check-in", data={"token": token}, follow_redirects=False)
    address = sent.headers["location"]
    assert "10 points" in client.get(address).text
    mark = address.partition("mark=")[2]
    for forged in (written, {**written, "mark": mark}, {**written, "mark": "한"}):
        page = client.get("/me/mina", params=forged).text
        assert "555-0100" not in page
        assert "/undo" not in page
    _sign_in(service, "lee")
    assert "10 points" not in client.get(address).text, "the notice was another session's"


def test_a_page_that_a_refused_form_left_leads_on(service: Served) -> None:
    token, client = _sign_in(service), service.client
    refused = client.post("/me/mina/edit", data={"token": token, "key": "none", "text": "Daegu"})
    assert refused.status_code == 404
    assert 'href="/me/mina?layer=episodic"' in refused.text
    assert "kim lives in Busan" in client.get("/me/mina/edit").text


def test_what_fails_at_the_server_is_told_without_its_cause(service: Served) -> None:
    request = Request({"type": "http", "method": "GET", "path": "/me", "headers": []})
    request.scope |= {"query_string": b"", "server": ("localhost", 80), "scheme": "http"}
    page = VisitedPage(request, service.app.state.reception(), {})
    damaged = StoreCorrupt("{file} is damaged", file="/srv/journal.sqlite", hint="restore /srv")
    answer = page.render_closed(damaged)
    assert (answer.status_code, b"/srv" in bytes(answer.body)) == (500, False)
    assert request.state.error is damaged, "the server's log names it"
    assert b"/srv" in bytes(page.render_closed(NotFound("nothing at {it}", it="/srv")).body)


def test_requests_of_a_signed_in_user_count_for_the_rate_of_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = HttpOptions(tokens=TokenOptions(SECRET), per_minute=2)
    with served(tmp_path, monkeypatch, options, has_pages=True) as service:
        client, key = service.client, service.house.identity.issue("kim")[1]
        assert client.post("/me/sign-in", data={"key": key}).status_code == 200
        page = client.get("/me", headers={"Accept-Language": "en"})
        assert (page.status_code, "too many requests" in page.text) == (429, True)
        assert int(page.headers["retry-after"]) > 0


def test_the_cookie_of_an_encrypted_session_is_sent_encrypted_alone(service: Served) -> None:
    sent = {"key": service.house.identity.issue("kim")[1]}
    for forwarded, is_secure in (
        ("", False),
        ("http", False),
        ("HTTPS", True),
        ("https, http", True),
    ):
        answer = service.client.post(
            "/me/sign-in",
            data=sent,
            headers={"X-Forwarded-Proto": forwarded},
            follow_redirects=False,
        )
        assert ("Secure" in answer.headers["set-cookie"]) == is_secure, forwarded
