"""A talk with a character on the page, and the memory beside it: learned, recalled, put right,
forgotten, taken back.
"""

import re
from html import unescape

import pytest

pytest.importorskip("jinja2")

from starlette.testclient import TestClient

from gieok.character.cards import png
from gieok.commands.character.memory_rows import (
    CharacterMemoriesResult,
    CharacterMemoryRow,
    list_character_memories,
    render_character_memories,
)
from gieok.commands.command import Style
from gieok.home.calls import open_call
from gieok.testing.model_server import ModelServer

OWN = "/characters/me/mina"


def token(browser: TestClient) -> str:
    found = re.search(r'X-Change-Token":"([0-9a-f]+)"', browser.get("/").text)
    assert found
    return found[1]


def sent(browser: TestClient, path: str, **fields: str) -> str:
    page = browser.post(path, data={"token": token(browser), **fields})
    assert page.status_code == 200, page.text
    return page.text


@pytest.fixture
def met(browser: TestClient) -> TestClient:
    """A browser whose memory has a character with a picture."""
    card = '{"name": "<i>Mina</i>", "first_mes": "Come in, {{user}}."}'
    file = png.with_card(png.blank(8, 8), card, card)
    page = browser.post(
        "/characters/import",
        data={"token": token(browser), "id": "mina"},
        files={"card": ("mina.png", file)},
    )
    assert page.status_code == 200
    assert "&lt;i&gt;Mina&lt;/i&gt;" in page.text
    assert "“Come in, me.”" in page.text
    return browser


def test_what_is_said_is_learned_recalled_corrected_and_forgotten_beside_the_talk(
    met: TestClient,
) -> None:
    assert "No model answers yet" in met.get("/characters").text, "how to configure one is said"
    page = sent(met, f"{OWN}/talk", text="I live in Busan.")
    assert "the user lives in Busan" in page
    assert "Recalled for the reply" in page
    assert "Come in, me." in page
    assert "the user lives in Busan" in met.get(f"{OWN}/beside").text
    found = re.search(r'name="key" value="([^"]+)"', page)
    assert found
    edited = sent(met, f"{OWN}/edit", key=found[1], text="Seoul", back="talk")
    assert "the user lives in Seoul" in edited
    assert "found by rules" in page
    assert "“I live in Busan" in page
    assert 'class="chip good"' in sent(met, f"{OWN}/edit", key=found[1], important="yes")
    gone = sent(met, f"{OWN}/forget", key=found[1], back="talk")
    assert "lives in" not in gone
    undo = re.search(r'name="undo" value="(\w+)"', gone)
    assert undo
    assert "the user lives in Seoul" in sent(met, f"{OWN}/undo", undo=undo[1], back="talk")
    assert "a reply" in met.get(OWN).text
    assert "Seoul" in met.get(OWN, headers={"Accept-Language": "ko"}).text
    glance = met.get(f"{OWN}/glance").text
    assert "facts 1" in glance
    assert "last talk" in glance


def test_a_reply_comes_in_pieces_where_the_page_asks_for_them(
    met: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = ModelServer()
    monkeypatch.setenv("GIEOK_CHARACTER_MODEL", "compatible:small")
    monkeypatch.setenv("GIEOK_CHARACTER_BASE_URL", f"{server.url}/v1")
    met.app.state.site.memory.cache_clear()  # type: ignore[attr-defined]
    server.script = ["It rains at the harbour.", (400, b"{}")]
    said = {"token": token(met), "text": "I live in Busan."}
    try:
        pieces = met.post(f"{OWN}/talk", data=said, headers={"Accept": "text/event-stream"}).text
        assert pieces.count("data: ") > 3
        assert pieces.endswith("event: done\ndata: {}\n\n")
        failed = met.post(
            f"{OWN}/talk",
            data={**said, "text": "And you?"},
            headers={"Accept": "text/event-stream"},
        ).text
        assert failed.startswith("event: error")
        plain = met.post(f"{OWN}/talk", data={**said, "text": "Are you there?"})
        assert plain.status_code == 502
        assert "Are you there?" in plain.text, "what was written is not lost"
    finally:
        server.shutdown()
        server.server_close()


def test_the_picture_of_a_card_is_given_without_the_card_in_it(met: TestClient) -> None:
    picture = met.get("/characters/mina/picture")
    assert picture.headers["content-type"] == "image/png"
    assert png.card_in(picture.content) is None
    assert met.get("/characters/nobody/picture").status_code == 404


def test_what_goes_wrong_is_said_where_it_was_tried(met: TestClient) -> None:
    for data, files in (
        ({"id": "x"}, {"card": ("x.png", b"no card")}),
        ({"id": "mina"}, {"card": ("m.json", b'{"name": "M"}')}),
    ):
        page = met.post("/characters/import", data={"token": token(met), **data}, files=files)
        assert page.status_code in (400, 409)
        assert 'role="alert"' in page.text
        assert "Come in, me." in page.text, "the list is still there"
    for path in (
        "/characters/me/nobody",
        "/characters/me/nobody/talk",
        "/characters/a%20b/mina/talk",
    ):
        assert met.get(path).status_code in (400, 404)
    assert met.post(f"{OWN}/forget", data={"token": token(met), "key": "none"}).status_code == 404
    assert met.post(f"{OWN}/talk", data={"text": "hello"}).status_code == 401


def test_a_form_of_a_page_says_where_it_comes_from(browser: TestClient) -> None:
    # Under `no-referrer` a browser posts a form with `Origin: null`, which the server takes from
    # nobody.
    assert browser.get("/").headers["referrer-policy"] == "same-origin"


def test_a_fact_is_added_and_every_part_of_one_is_changed_on_the_page(met: TestClient) -> None:
    added = sent(met, f"{OWN}/add", text="baker", subject="user", predicate="job", layer="semantic")
    assert "the user&#39;s work is baker" in added
    assert "set by a person" in added
    found = re.search(r'name="key" value="([^"]+)"', added)
    assert found
    changed = sent(
        met,
        f"{OWN}/edit",
        key=found[1],
        text="baker",
        subject="Ada",
        predicate="detail",
        layer="semantic",
    )
    assert "Ada: baker" in changed
    assert "the user&#39;s work" not in changed.split("What its model is told")[0]
    undone = re.search(r'name="undo" value="([^"]+)"', changed)
    assert undone
    assert "the user&#39;s work is baker" in sent(met, f"{OWN}/undo", undo=undone[1])
    assert (
        "there is no kind of fact"
        in met.post(
            f"{OWN}/add",
            data={"token": token(met), "text": "x", "subject": "user", "predicate": "no"},
        ).text
    )


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_page_and_the_command_say_the_same_of_what_is_known(met: TestClient, lang: str) -> None:
    def compare() -> list[CharacterMemoryRow]:
        page = " ".join(unescape(met.get(OWN).text).split())
        call = open_call({}, lang=lang)
        rows = list_character_memories(call, what=["mina"]).memories
        shown = render_character_memories(
            CharacterMemoriesResult("mina", "me", rows), Style(lang, colour=False)
        )
        facts = [row for row in rows if row.layer == "semantic"]
        for row in facts:
            for part in (row.statement, row.sureness, row.days, row.source):
                assert part in page
                assert part in shown
        assert page.count('<li class="kept') == len(facts)
        return facts

    def set_fact(path: str, **fields: str) -> str:
        page = sent(met, f"{OWN}/{path}", layer="semantic", **fields)
        return (re.findall(r'name="undo" value="([^"]+)"', page) or [""])[0]

    met.cookies.set("gieok_lang", lang)
    sent(met, f"{OWN}/talk", text="I was a botanist for forty years at Kew.")
    said = compare()
    assert [row.is_sure for row in said] == [False]
    assert said[0].sureness.startswith({"en": "may have been said", "ko": "그랬던"}[lang])
    set_fact("add", text="baker", subject="Ada", predicate="job")
    (added,) = [row for row in compare() if row.subject == "Ada"]
    set_fact("edit", key=added.id, text="baker's shop", subject="Ada", predicate="from")
    (changed,) = [row for row in compare() if row.subject == "Ada"]
    assert changed.text.endswith("from: baker's shop")
    undo = set_fact("forget", key=changed.id)
    assert [row for row in compare() if row.subject == "Ada"] == []
    set_fact("undo", undo=undo)
    assert [row.id for row in compare() if row.subject == "Ada"] == [changed.id]
