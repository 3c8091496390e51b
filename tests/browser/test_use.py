"""What a person does with the pages: by keyboard, without JavaScript, forward and back, and over
texts that would break in.
"""

from collections.abc import Callable
from typing import Any

import prepared_home
import pytest
from playwright.sync_api import Page, expect
from prepared_home import HOSTILE, Prepared

_MOST_TABS = 80
#: A field of a date shows which part of it has the focus by itself.
_FOCUSED = """() => {
  const one = document.activeElement, style = getComputedStyle(one);
  return { tag: one.tagName, name: one.getAttribute("name") || "", text: (one.value || one.textContent).trim().slice(0, 60),
    seen: one.type === "date" || style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 };
}"""


def _tab_to(page: Page, is_it: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Press Tab until something is reached."""
    for _ in range(_MOST_TABS):
        page.keyboard.press("Tab")
        found: dict[str, Any] = page.evaluate(_FOCUSED)
        if is_it(found):
            return found
    raise AssertionError("the keyboard does not reach it")


@pytest.mark.parametrize("address", ["/memories", "/m/{handle}", "/timeline", "/code", "/status"])
def test_tab_goes_through_everything_and_the_focus_is_seen(
    visit: Callable[..., Any], prepared: Prepared, address: str
) -> None:
    page = visit().open(address.format(handle=prepared.handle))
    found = []
    for _ in range(_MOST_TABS):
        page.keyboard.press("Tab")
        found.append(page.evaluate(_FOCUSED))
        if found[-1]["tag"] == "BODY":  # behind the last
            found.pop()
            break
    assert [one for one in found if not one["seen"]] == []
    assert found[0]["text"] == "Skip to the content"
    assert [one["text"] for one in found[2:9]] == page.locator("header nav a").all_inner_texts()
    assert len({(one["tag"], one["name"], one["text"]) for one in found}) > 9


def test_the_skip_link_leads_past_the_menu(visit: Callable[..., Any]) -> None:
    page = visit().open("/memories")
    page.keyboard.press("Tab")
    expect(page.locator("a.skip")).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


def test_from_a_question_to_a_correction_and_back_by_keys_alone(visit: Callable[..., Any]) -> None:
    visitor = visit()
    page = visitor.open("/memories")
    visitor.open("/")
    page.keyboard.press("/")
    page.keyboard.type("which port has the staging database")
    hit = page.locator("[data-hit]").first
    expect(hit).to_be_visible()
    page.locator(".htmx-request").first.wait_for(state="detached")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.matches('[data-hit]')")
    page.keyboard.press("Enter")
    page.wait_for_url("**/m/*")
    before = page.locator("textarea[name=text]").input_value()
    _tab_to(page, lambda one: one["tag"] == "TEXTAREA")
    page.keyboard.press("Control+A")
    page.keyboard.type("The staging database moved to port 7443.")
    _tab_to(page, lambda one: one["text"] == "Save")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_be_visible()
    expect(page.locator("main")).to_contain_text("7443")
    _tab_to(page, lambda one: one["tag"] == "BUTTON" and "Undo" in one["text"])
    page.keyboard.press("Enter")
    expect(page.locator("textarea[name=text]")).to_have_value(before)
    assert visitor.complaints == []


def test_what_folds_opens_and_closes_by_keys(visit: Callable[..., Any]) -> None:
    page = visit().open("/?q=staging+database")
    folded = page.locator("article details").first
    folded.locator("summary").first.focus()
    for is_open in (True, False):
        page.keyboard.press("Enter")
        assert folded.evaluate("one => one.open") is is_open


def test_a_text_that_would_break_in_stays_text(visit: Callable[..., Any]) -> None:
    visitor = visit()
    for address in (
        "/?q=staging",
        "/?q=script+deploy",
        "/memories?words=staging",
        "/timeline",
        "/injection?prompt=staging+host",
    ):
        page = visitor.open(address)
        assert "taken" not in page.title()
        assert (
            page.locator("main script:not([src]), main img[src^=http], main b > script").count()
            == 0
        )
        assert visitor.overflow() == []
    texts = " ".join(visitor.open("/memories?words=staging").locator("main li").all_inner_texts())
    assert "<img src=" in texts
    assert "Tom &amp; Jerry &lt;b&gt;" in texts
    for hostile in HOSTILE:
        # what turns the order of writing around is not kept
        text = hostile.replace("\u202e", "").replace("\u202c", "")
        visitor.open("/memories").locator("li.memory a.line", has_text=text[:24]).first.click()
        page.wait_for_load_state("load")
        shown = "".join(page.locator("main").inner_text().split())
        assert "".join(text.split())[:200] in shown
        assert "\u202e" not in shown
        assert visitor.overflow() == []
        page.set_viewport_size({"width": 360, "height": 740})
        assert visitor.overflow() == []
        page.set_viewport_size({"width": 1280, "height": 800})
    assert visitor.complaints == []
    assert visitor.strangers() == []


def test_back_and_reload_show_what_was_there(visit: Callable[..., Any]) -> None:
    visitor = visit()
    page = visitor.open("/?q=staging+database")
    shown = page.locator("[data-hit]").all_inner_texts()
    page.locator("[data-hit]").first.click()
    page.wait_for_url("**/m/*")
    page.go_back()
    expect(page.locator("[data-hit]")).to_have_count(len(shown))
    page.reload()
    assert page.locator("[data-hit]").all_inner_texts() == shown
    page.locator("footer a").click()
    expect(page.locator("html")).to_have_attribute("lang", "ko")
    assert page.locator("[data-hit]").count() == len(shown)
    assert "q=staging" in page.url
    assert visitor.complaints == []


def test_without_javascript_one_finds_corrects_and_forgets(visit: Callable[..., Any]) -> None:
    page = visit(java_script_enabled=False).page
    page.locator("#q").fill("린터 ruff black")
    page.locator("form[role=search] button").click()
    page.locator("[data-hit]").first.click()
    page.locator("textarea[name=text]").fill(f"{prepared_home.LINTER} No exceptions.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("main")).to_contain_text("No exceptions.")
    page.get_by_role("button", name="Forget for good").click()
    page.get_by_role("button", name="Forget for good").click()
    page.goto(page.url.partition("/memories")[0] + "/memories?words=exceptions")
    assert page.locator("li.memory").count() == 0
