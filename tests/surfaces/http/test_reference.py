"""The reference of the API as a page: complete, for who may read it, and alone."""

import re
from collections.abc import Iterator
from html import unescape

import pytest
from served import Served, served, token

from gieok.commands import load_command
from gieok.commands.command import Effect
from gieok.processes.gate import CHANGE_HEADER, COOKIE
from gieok.surfaces.http.operations import FITTING, path_of
from gieok.surfaces.http.reference import SCRIPT, SECTIONS


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with (
        pytest.MonkeyPatch.context() as patch,
        served(tmp_path_factory.mktemp("home"), patch) as found,
    ):
        yield found


def test_every_route_and_every_field_stands_on_the_page(service: Served) -> None:
    page = service.client.get("/api", headers=token("kim")).text
    document = service.app.openapi()
    for path, methods in document["paths"].items():
        for method in methods:
            assert f"<b>{method.upper()} {path}</b>" in page
    for name, schema in document["components"]["schemas"].items():
        shape = page.partition(f'<details id="{name}">')[2].partition("</details>")[0]
        for field in schema.get("properties", {}):
            assert re.search(rf"<code>{re.escape(field)}[?]?</code>", unescape(shape)), (
                name,
                field,
            )
    anchors = set(re.findall(r'id="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= anchors


def test_each_part_says_whose_it_is(service: Served) -> None:
    page = unescape(service.client.get("/api", headers=token("kim")).text)
    for section in SECTIONS:
        assert f"<h2>{section.title}</h2><p>{section.about}</p><details>" in page
    yours = page.partition("<h2>Yours")[2].partition("<h2>")[0]
    assert "POST /api/operations/search" in yours
    assert "/api/characters" not in yours


def test_a_browser_that_was_let_in_reads_it_and_nobody_else(service: Served) -> None:
    assert service.client.get("/api").status_code == 401
    cookie = service.gate.enter(service.gate.link_code())
    assert service.client.get("/api", headers={"Cookie": f"{COOKIE}={cookie}"}).status_code == 200
    assert service.client.get("/api", headers={"Cookie": f"{COOKIE}={cookie}x"}).status_code == 401


def test_a_browser_that_was_not_let_in_is_told_how_on_the_page_that_all_pages_have(
    service: Served,
) -> None:
    closed = service.client.get("/api", headers={"Accept": "text/html", "Accept-Language": "ko"})
    assert (closed.status_code, closed.headers["content-type"]) == (401, "text/html; charset=utf-8")
    assert "<pre>gieok open</pre>" in closed.text
    assert "링크" in closed.text
    assert service.client.get(SCRIPT).status_code == 401


def test_it_loads_its_script_alone(service: Served) -> None:
    answer = service.client.get("/api", headers=token("kim"))
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert re.findall(r"<(?:link|img|iframe)|https?://|@import|url\(", answer.text) == []
    assert re.findall(r"<script[^>]*>", answer.text) == [f'<script src="{SCRIPT}">']
    script = service.client.get(SCRIPT, headers=token("kim"))
    assert script.headers["content-type"].startswith("text/javascript")
    assert re.findall(r"https?://|import|eval|innerHTML", script.text) == []


def test_what_changes_nothing_has_a_form_and_nothing_else_has(service: Served) -> None:
    page = unescape(service.client.get("/api", headers=token("kim")).text)
    tried = {
        (method, path)
        for method, path in re.findall(r'data-method="([A-Z]+)" data-path="([^"]+)"', page)
    }
    expected = {("GET", path) for path, m in service.app.openapi()["paths"].items() if "get" in m}
    expected |= {
        ("POST", path_of(name)) for name in FITTING if load_command(name).effect is Effect.READ
    }
    assert tried == expected
    assert ("POST", "/api/operations/search") in tried
    assert ("POST", "/api/operations/forget") not in tried


def test_a_request_of_the_page_is_the_owners_in_a_browser_that_was_let_in(service: Served) -> None:
    cookie = service.gate.enter(service.gate.link_code())
    session = {"Cookie": f"{COOKIE}={cookie}"}
    page = service.client.get("/api", headers=session).text
    found = re.search(r'<body data-change="([0-9a-f]+)">', page)
    assert found
    path = "/api/operations/status"
    assert service.client.post(path, headers=session).status_code == 401
    tried = service.client.post(path, headers=session | {CHANGE_HEADER: found[1]})
    assert tried.status_code == 200
    assert 'data-change=""' in service.client.get("/api", headers=token("kim")).text
