"""The pages, asked over HTTP as a browser does; a real one is driven in tests/browser."""

import re
from typing import Any
from urllib.parse import quote

import pytest

pytest.importorskip("jinja2")

from starlette.testclient import TestClient

from gieok.processes.gate import Gate
from gieok.surfaces.web.site import MENU, join_query

HOSTILE = "<script>alert(1)</script> we deploy on Mondays"


def token(browser: TestClient, path: str = "/") -> str:
    found = re.search(r'X-Change-Token":"([0-9a-f]+)"', browser.get(path).text)
    assert found
    return found[1]


def told(browser: TestClient, text: str) -> str:
    """Keep a text by the first page, and return the handle of what was kept."""
    page = browser.post("/remember", data={"text": text, "token": token(browser)})
    assert page.status_code == 200
    found = re.search(r'data-hit href="/m/(\w+)"', page.text)
    assert found, page.text
    return found[1]


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("path", [path for path, *_ in MENU])
def test_every_page_answers_in_both_languages_before_anything_is_remembered(
    browser: TestClient, path: str, lang: str
) -> None:
    page = browser.get(path, headers={"Accept-Language": lang})
    assert page.status_code in (200, 409)  # no code is indexed
    assert f'<html lang="{lang}">' in page.text
    assert "script-src 'self'" in page.headers["content-security-policy"]


def test_from_an_empty_home_to_the_first_memory_that_is_found(browser: TestClient) -> None:
    assert "/remember" in browser.get("/").text
    told(browser, "Payments are retried three times.")
    page = browser.get("/?q=" + quote("payments retried"))
    assert "<mark>Payments</mark>" in page.text
    assert "Payments" in browser.get("/hits?q=payments").text


def test_a_memory_is_corrected_and_the_correction_undone(browser: TestClient) -> None:
    handle = told(browser, "Payments are retried three times.")
    page = browser.post(
        f"/m/{handle}/edit",
        data={"text": "Payments are retried five times.", "token": token(browser)},
    )
    assert "five times" in page.text
    assert "before=" in str(page.url)
    before = re.search(r'name="text" value="([^"]+)"', page.text)
    assert before
    again = browser.post(
        str(page.url).split("?", maxsplit=1)[0] + "/edit",
        data={"text": before[1], "token": token(browser)},
    )
    assert "three times" in again.text


def test_forgetting_asks_once_more_and_then_leaves_nothing(browser: TestClient) -> None:
    handle = told(browser, "Payments are retried three times.")
    asked = browser.post(
        "/memories/act", data={"act": "forget", "handle": [handle], "token": token(browser)}
    )
    assert 'name="yes"' in asked.text
    assert "Payments" in browser.get("/memories").text
    browser.post(
        "/memories/act",
        data={"act": "forget", "handle": [handle], "yes": "1", "token": token(browser)},
    )
    assert "Payments" not in browser.get("/memories").text


def test_a_page_says_nothing_that_an_address_of_others_tells(browser: TestClient) -> None:
    sent = {"token": token(browser), "text": "I like tea.", "back": "/memories?told=old"}
    own = browser.post("/remember", data=sent)
    assert 'role="status"' in own.text
    forged = str(own.url).replace("Remembered", "Call+555-0100")
    for address in (forged, "/memories?told=555-0100", "/memories?told=555-0100&mark=0"):
        page = browser.get(address).text
        assert "555-0100" not in page.partition("<main")[2].partition("</main>")[0], address


def test_a_number_that_no_page_has_is_none(browser: TestClient) -> None:
    told(browser, "Payments are retried three times.")
    endless = "9" * 5_000  # more digits than Python reads
    for address in (
        "/?q=payments&limit=",
        "/memories?limit=",
        "/injection?n=",
        "/injection?prompt=payments&limit=",
        "/timeline/news?count=",
    ):
        assert browser.get(address + endless).status_code == 200, address


def test_a_memory_that_is_a_script_stays_text(browser: TestClient) -> None:
    handle = told(browser, HOSTILE)
    for path in (
        "/",
        "/?q=deploy",
        "/memories",
        f"/m/{handle}",
        "/timeline",
        "/injection?prompt=deploy",
    ):
        assert "<script>alert" not in browser.get(path).text


def test_a_stranger_sees_nothing_and_changes_nothing(browser: TestClient, gate: Gate) -> None:
    handle = told(browser, "Payments are retried three times.")
    good = token(browser)
    stranger = TestClient(browser.app, base_url="http://localhost")
    for path in (
        "/",
        "/hits?q=payments",
        "/memories",
        f"/m/{handle}",
        "/timeline",
        "/status",
        "/code/map.svg",
    ):
        page = stranger.get(path)
        assert page.status_code == 401
        assert "Payments" not in page.text
    assert (
        stranger.post(
            "/memories/act", data={"act": "forget", "handle": [handle], "yes": "1", "token": good}
        ).status_code
        == 401
    )
    assert (
        browser.post(
            "/memories/act",
            data={"act": "forget", "handle": [handle], "yes": "1", "token": "0" * 64},
        ).status_code
        == 401
    )
    assert (
        browser.post(
            "/memories/act", data={"act": "forget", "handle": [handle], "yes": "1"}
        ).status_code
        == 401
    )
    assert "Payments" in browser.get("/memories").text


def test_a_link_works_once_and_not_for_long(
    browser: TestClient, gate: Gate, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stranger = TestClient(browser.app, base_url="http://localhost")
    code = gate.link_code()
    assert stranger.get(f"/open?code={code}", follow_redirects=False).status_code == 303
    assert stranger.get(f"/open?code={code}").status_code == 401
    late = gate.link_code()
    monkeypatch.setattr(clock, "now_s", clock.now_s + 301)
    assert stranger.get(f"/open?code={late}").status_code == 401
    assert stranger.get("/open?code=1.x.é").status_code == 401
    monkeypatch.setattr(clock, "now_s", clock.now_s + 31 * 86_400)
    assert browser.get("/memories").status_code == 401


def test_choices_lead_back_into_the_site_alone(browser: TestClient) -> None:
    for back in ("https://elsewhere.example", "//elsewhere.example", "/\\elsewhere.example"):
        found = browser.get("/lang", params={"to": "ko", "back": back}, follow_redirects=False)
        assert found.headers["location"] == "/"
    assert (
        browser.get("/lang?to=ko&back=/memories", follow_redirects=False).headers["location"]
        == "/memories"
    )
    assert '<html lang="ko">' in browser.get("/memories").text


@pytest.mark.parametrize(
    "path",
    [
        "/static/../site.py",
        "/static/site.py",
        "/m/%2e%2e%2fetc",
        "/timeline?day=x",
        "/memories?limit=-1",
    ],
)
def test_what_is_not_there_is_no_error_of_ours(browser: TestClient, path: str) -> None:
    assert browser.get(path).status_code < 500


@pytest.mark.parametrize(
    ("address", "joined"),
    [
        ("/memories", "/memories?told=a+b"),
        ("/memories?", "/memories?told=a+b"),
        ("/memories?kind=note", "/memories?kind=note&told=a+b"),
        ("//evil.example/", "/?told=a+b"),
        ("https://evil.example/", "/?told=a+b"),
        ("/\\evil.example", "/?told=a+b"),
    ],
)
def test_an_address_is_joined_with_a_notice_and_stays_on_the_site(
    address: str, joined: str
) -> None:
    assert join_query(address, told="a b", undo="") == joined
