"""The page of the HTTP API in a browser: a request is sent from it, and nothing else is asked."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from prepared_home import Prepared


def _open_route(page: Page, path: str) -> Locator:
    route = page.locator("details", has=page.locator(f'form[data-path="{path}"]'))
    route.locator("summary").click()
    return route


@pytest.mark.parametrize(
    ("path", "body", "answered"),
    [
        ("/api/operations", None, '"name": "search"'),
        ("/api/operations/status", "{}", "200"),
        ("/api/operations/search", '{"limit": -1}', "400"),
        ("/api/points", None, "401"),
    ],
)
def test_a_request_is_sent_and_its_answer_shown(
    visit: Callable[..., Any], path: str, body: str | None, answered: str
) -> None:
    page = visit().open("/api")
    route = _open_route(page, path)
    if body is not None:
        route.locator("textarea").fill(body)
    route.get_by_role("button", name="Send").click()
    expect(route.locator("output")).to_contain_text(answered)


def test_an_answer_is_shown_as_text(visit: Callable[..., Any], prepared: Prepared) -> None:
    page = visit().open("/api")
    route = _open_route(page, "/api/operations/get")
    route.locator("textarea").fill(f'{{"path": "{prepared.handle}"}}')
    route.get_by_role("button", name="Send").click()
    expect(route.locator("output")).to_contain_text('"text"')
    assert route.locator("output *").count() == 0


@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_asks_no_stranger_and_has_no_fault(visit: Callable[..., Any], width: int) -> None:
    visitor = visit(viewport={"width": width, "height": 800})
    page = visitor.open("/api")
    route = _open_route(page, "/api/operations/search")
    route.get_by_role("button", name="Send").click()
    expect(route.locator("output")).to_contain_text("400")
    assert (visitor.faults(), visitor.overflow(), visitor.strangers()) == ([], [], [])
