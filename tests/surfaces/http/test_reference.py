"""The reference of the API as a page: complete, for who may read it, and alone."""

import re
from collections.abc import Iterator
from html import unescape

import pytest
from served import Served, served, token

from gieok.processes.gate import COOKIE
from gieok.surfaces.http.reference import SECTIONS


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


def test_it_loads_nothing(service: Served) -> None:
    answer = service.client.get("/api", headers=token("kim"))
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert re.findall(r"<(?:script|link|img|iframe)|https?://|@import|url\(", answer.text) == []
