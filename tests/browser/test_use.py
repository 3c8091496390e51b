"""What a person does with the pages: by keyboard, without JavaScript, forward and back, and over
texts that would break in.
"""

import json
import subprocess
from collections.abc import Callable
from typing import Any

import prepared_home
import pytest
from playwright.sync_api import Page, Route, expect
from prepared_home import HOSTILE, Prepared
from world import GIEOK

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
    menu = page.locator("header nav > ul > li > a").all_inner_texts()
    assert [one["text"] for one in found[2:9]] == menu
    assert [one["text"] for one in found[9:11]] == ["Ctrl K", "+ Add"]
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
    page.keyboard.press("/")
    expect(page.locator('input[name="words"]')).to_be_focused()
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
    before = page.locator("main textarea[name=text]").input_value()
    _tab_to(page, lambda one: one["tag"] == "TEXTAREA")
    page.keyboard.press("Control+A")
    page.keyboard.type("The staging database moved to port 7443.")
    _tab_to(page, lambda one: one["text"] == "Save")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_be_visible()
    expect(page.locator("main")).to_contain_text("7443")
    _tab_to(page, lambda one: one["tag"] == "BUTTON" and "Undo" in one["text"])
    page.keyboard.press("Enter")
    expect(page.locator("main textarea[name=text]")).to_have_value(before)
    assert visitor.complaints == []


def _shown_entries(page: Page) -> list[str]:
    """Return the entries of the palette that are left of what was typed."""
    return page.locator("#palette [role=option]:visible").all_inner_texts()


def test_the_palette_leads_everywhere_by_keys_alone(visit: Callable[..., Any]) -> None:
    visitor = visit()
    page = visitor.open("/memories")
    page.keyboard.press("Control+k")
    expect(page.locator("#palette input")).to_be_focused()
    assert _shown_entries(page)[:2] == ["Home", "Memories"]
    assert len(_shown_entries(page)) > 15
    assert visitor.faults() == []
    page.keyboard.type("time")
    assert _shown_entries(page) == ["Timeline", "Search memory for time"]
    page.keyboard.press("Enter")
    page.wait_for_url("**/timeline")
    # what begins so comes first
    page.keyboard.press("Control+k")
    page.keyboard.type("me")
    assert _shown_entries(page)[:2] == ["Memories", "Memories: notes"]
    assert "Home" in _shown_entries(page)
    page.keyboard.press("Escape")
    # what no name has is searched for
    page.keyboard.press("Control+k")
    page.keyboard.type("staging database & ports")
    assert _shown_entries(page) == ["Search memory for staging database & ports"]
    page.keyboard.press("Enter")
    page.wait_for_url("**/?q=staging%20database%20%26%20ports")
    expect(page.locator("#q")).to_have_value("staging database & ports")
    # arrows go round, and what is chosen is said to who does not see it
    page.keyboard.press("Control+k")
    page.keyboard.press("ArrowUp")
    chosen = page.locator("#palette [aria-selected=true]")
    expect(chosen).to_have_count(1)
    expect(page.locator("#palette input")).to_have_attribute(
        "aria-activedescendant", str(chosen.get_attribute("id"))
    )
    assert chosen.inner_text() == _shown_entries(page)[-1]
    page.keyboard.press("ArrowDown")
    assert chosen.inner_text() == "Home"
    page.keyboard.press("Escape")
    expect(page.locator("#palette")).to_be_hidden()
    # a memory is added from a field, too
    page.locator("#q").focus()
    page.keyboard.press("Meta+k")
    page.keyboard.type("add")
    page.keyboard.press("Enter")
    expect(page.locator("details.add textarea")).to_be_focused()
    assert visitor.complaints == []
    assert visitor.strangers() == []


def test_the_palette_knows_korean_and_english_names_and_opens_by_a_button_too(
    visit: Callable[..., Any],
) -> None:
    visitor = visit("ko")
    page = visitor.open("/code")
    page.locator("#open-palette").click()
    for typed in ("시간", "timeline"):
        page.locator("#palette input").fill(typed)
        assert _shown_entries(page)[0] == "시간 순서"
    page.locator("#palette [role=option]:visible").first.click()
    page.wait_for_url("**/timeline")
    page.set_viewport_size({"width": 360, "height": 740})
    opener = page.locator("#open-palette")
    box = opener.bounding_box()
    assert box
    assert min(box["width"], box["height"]) >= 44
    opener.click()
    assert visitor.overflow() == []
    assert visitor.faults() == []
    page.mouse.click(5, 5)  # beside it
    expect(page.locator("#palette")).to_be_hidden()
    assert visitor.complaints == []


def test_the_palette_leads_to_projects_and_to_what_a_character_remembers(
    visit: Callable[..., Any], prepared: Prepared
) -> None:
    page = visit().open("/status")
    page.keyboard.press("Control+k")
    page.keyboard.type("shop")
    assert _shown_entries(page)[0] == "Memories of shop"
    page.locator("#palette input").fill(prepared.character)
    assert _shown_entries(page)[0] == f"What {prepared.character} remembers of me"
    page.keyboard.press("Enter")
    page.wait_for_url("**/characters/me/*")
    expect(page.locator("main h1")).to_contain_text(prepared.character)


def test_without_javascript_there_is_no_palette_and_no_button_of_it(
    visit: Callable[..., Any],
) -> None:
    page = visit(java_script_enabled=False).page
    expect(page.locator("#palette")).to_be_hidden()
    expect(page.locator("#open-palette")).to_be_hidden()


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
    page.locator("main textarea[name=text]").fill(f"{prepared_home.LINTER} No exceptions.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("main")).to_contain_text("No exceptions.")
    page.get_by_role("button", name="Forget for good").click()
    page.get_by_role("button", name="Forget for good").click()
    page.goto(page.url.partition("/memories")[0] + "/memories?words=exceptions")
    assert page.locator("li.memory").count() == 0


class _Clicks:
    """Presses of a person with a mouse, counted."""

    def __init__(self, page: Page) -> None:
        self.page, self.made = page, 0

    def press(self, *names: str, role: str = "link", within: str = "body") -> None:
        for name in names:
            self.page.locator(within).get_by_role(role, name=name).first.click()
            self.made += 1
            self.page.wait_for_load_state("load")


def _ask_agent(prepared: Prepared, session: str, prompt: str) -> None:
    """Have the hook put memory before a prompt, as an agent does."""
    payload = {"session_id": session, "cwd": str(prepared.world.project), "prompt": prompt}
    subprocess.run(
        [*GIEOK, "hook", "prompt", "--agent", "claude-code"],
        input=json.dumps(payload),
        env=prepared.world.environment(GIEOK_EMBEDDER="none", GIEOK_HOOK_DEADLINE_MS="60000"),
        cwd=prepared.world.project,
        check=True,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("size", ["wide", "phone"])
def test_what_a_person_comes_for_takes_few_clicks(
    visit: Callable[..., Any], prepared: Prepared, size: str
) -> None:
    """Add in 2, correct in 3, forget in 3 with what goes shown before, learn why in 2.

    Each begins at a page that one has open: the timeline, or the home page.
    """
    viewport = {"wide": {"width": 1280, "height": 800}, "phone": {"width": 360, "height": 740}}
    visitor = visit(viewport=viewport[size])
    page = visitor.open("/timeline")
    text = f"The {size} printer stands on the third floor."
    add = _Clicks(page)
    page.locator("details.add summary").click()
    add.made += 1
    page.locator("details.add textarea").fill(text)
    add.press("Remember it", role="button")
    assert add.made <= 2
    expect(page.get_by_role("status").first).to_contain_text(text)
    assert page.url.partition("?")[0].endswith("/timeline")

    correct = _Clicks(page)
    correct.press("Memories", within="header nav")
    correct.press(text, within="main")
    page.locator("main textarea[name=text]").fill(text.replace("third", "fourth"))
    correct.press("Save", role="button", within="main")
    assert correct.made <= 3
    expect(page.locator("main")).to_contain_text("fourth floor")

    forget = _Clicks(page)
    visitor.open("/")
    page.locator("#q").fill(f"the {size} printer")  # found while it is typed
    forget.press("fourth floor", within="main")
    forget.press("Forget for good", role="button", within="main")
    expect(page.locator("main li")).to_contain_text("printer")
    forget.press("Forget for good", role="button", within="main")
    assert forget.made <= 3
    assert page.goto(visitor.server + "/memories?words=printer")
    assert page.locator(f"li.memory:has-text('The {size} printer')").count() == 0

    _ask_agent(prepared, f"walk-{size}", "how often are payments retried, five times?")
    visitor.open("/")
    why = _Clicks(page)
    why.press("Given to agents", within="header nav")
    expect(page.locator("main")).to_contain_text("What it rests on")
    why.press("Payments are retried", within="main section")
    assert why.made <= 2
    expect(page.locator("main")).to_contain_text("Why do you know this?")
    assert visitor.complaints == []
    assert visitor.strangers() == []


def test_the_bar_for_many_memories_comes_with_the_first_that_is_chosen(
    visit: Callable[..., Any],
) -> None:
    page = visit().open("/memories")
    bar = page.locator(".acts")
    expect(bar).to_be_hidden()
    chosen = page.locator("li.memory input[name=handle]").first
    chosen.check()
    expect(bar).to_be_visible()
    chosen.uncheck()
    expect(bar).to_be_hidden()


def test_five_targets_are_at_the_bottom_of_a_phone_and_the_rest_behind_one(
    visit: Callable[..., Any],
) -> None:
    visitor = visit(viewport={"width": 360, "height": 740})
    page = visitor.open("/")
    shown = [one for one in page.locator("header nav > ul > li").all() if one.is_visible()]
    boxes = [one.bounding_box() for one in shown]
    assert len(boxes) == 5
    assert all(box and box["height"] >= 44 and box["y"] + box["height"] <= 741 for box in boxes)
    page.locator("header nav summary").click()
    page.locator("header nav details").get_by_role("link", name="Health").click()
    page.wait_for_url("**/status")
    expect(page.locator("header nav summary.here")).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(page.locator("header nav > ul > li > a:visible")).to_have_count(7)
    expect(page.locator("header nav summary")).to_be_hidden()


def test_on_a_phone_each_action_for_the_chosen_can_be_pressed(visit: Callable[..., Any]) -> None:
    page = visit(viewport={"width": 360, "height": 740}).open("/memories")
    page.locator("input[name=handle]").first.check()
    actions = page.locator(".acts button:visible")
    assert actions.count() >= 2
    covered = actions.evaluate_all(
        """(all) => all.filter((one) => {
            const box = one.getBoundingClientRect();
            return [box.top + 2, box.bottom - 2].some((y) => !one.contains(
                document.elementFromPoint(box.left + box.width / 2, y)));
        }).map((one) => one.textContent)"""
    )
    assert covered == []


def test_nothing_grows_wider_while_a_page_waits_for_an_answer(visit: Callable[..., Any]) -> None:
    visitor = visit(viewport={"width": 360, "height": 740})
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    visitor.page.route("**/questions", hold)
    page = visitor.page
    page.goto(f"{visitor.server}/")
    page.locator(".htmx-request").first.wait_for(state="attached")
    # the end of the running bar, where it stands furthest to the right
    moved = page.evaluate(
        """() => document.getAnimations().map((one) => {
            one.pause();
            one.currentTime = 1200;
            return one.animationName;
        })"""
    )
    assert "busy" in moved
    assert visitor.overflow() == []
    for route in held:
        route.continue_()


def test_questions_to_begin_with_make_way_for_a_question(visit: Callable[..., Any]) -> None:
    page = visit().open("/")
    questions = page.locator("nav[aria-label='Questions to begin with']")
    expect(questions).to_be_visible()
    page.locator("#q").fill("staging database")
    expect(page.locator("[data-hit]").first).to_be_visible()
    expect(questions).to_be_hidden()


def test_the_name_of_a_tier_is_whole_on_a_phone(visit: Callable[..., Any]) -> None:
    page = visit("ko", viewport={"width": 360, "height": 740}).open("/status")
    names = page.locator(".tier .chip")
    assert "활성(hot)" in names.all_inner_texts()
    assert (
        names.evaluate_all("(all) => all.filter((one) => one.scrollWidth > one.clientWidth)") == []
    )
