"""While memory is paused, every page says so; what is filtered by tag is found by it."""

from pathlib import Path

from starlette.testclient import TestClient

from gieok.private import Privacy
from gieok.surfaces.python import Memory


def test_every_page_shows_a_pause_in_the_readers_language(
    browser: TestClient, tmp_path: Path
) -> None:
    assert "is paused" not in browser.get("/memories").text
    Privacy(str(tmp_path / "home")).begin_pause(1.0)
    for page in ("/", "/memories", "/timeline"):
        assert "Memory is paused" in browser.get(page).text
    browser.cookies.set("gieok_lang", "ko")
    assert "기억을 멈춘 상태입니다" in browser.get("/memories").text


def test_pages_filter_by_tag_and_show_the_days_of_what_was_said_again(
    browser: TestClient, tmp_path: Path
) -> None:
    with Memory() as memory:
        kept = memory.add("The harbour opens at nine.", tags=["ops"])
        memory.add("The harbour pays on Fridays.", tags=["pay"])
    file = tmp_path / kept.path
    text = file.read_text()
    file.write_text(text.replace("created: ", "told: [2026-01-02, 2026-01-05]\ncreated: "))
    with Memory() as memory:
        memory.index()
    listed = browser.get("/memories?tag=ops").text
    assert "opens at nine" in listed
    assert "pays on Fridays" not in listed
    assert "said on 3 days" in listed
    found = browser.get("/?q=harbour&tag=pay").text
    assert "pays on Fridays" in found
    assert "opens at nine" not in found
