"""Memories and messages over HTTP: read, searched, edited, deleted, and all of that taken back."""

from collections.abc import Iterator

import pytest
from served import Served, served, token

from gieok.character.cards.card import new_card
from gieok.character.memory.service import Bond

_MINA = "/api/memories/mina"


@pytest.fixture
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with (
        pytest.MonkeyPatch.context() as patch,
        served(tmp_path_factory.mktemp("home"), patch) as found,
    ):
        found.house.roster.create("", new_card({"name": "미나"}), "mina")
        found.house.memory.hear(Bond("kim", "mina"), "나는 성수동에 살아", is_user=True)
        yield found


def _facts(service: Served) -> list[str]:
    found = service.client.get(_MINA, headers=token("kim")).json()["items"]
    return [one["object"] for one in found if one["is_current"]]


def test_a_memory_is_read_edited_marked_deleted_and_taken_back(service: Served) -> None:
    kim = token("kim")
    (memory,) = service.client.get(_MINA, headers=kim).json()["items"]
    path = f"{_MINA}/{memory['id']}"
    story = service.client.get(path, headers=kim)
    assert [one["text"] for one in story.json()["messages"]] == ["나는 성수동에 살아"]
    stale = {**kim, "If-Match": '"another"'}
    assert service.client.put(path, json={"object": "망원동"}, headers=stale).status_code == 412
    fresh = {**kim, "If-Match": story.headers["ETag"]}
    done = service.client.put(path, json={"object": "망원동"}, headers=fresh).json()
    assert (_facts(service), done["memory"]["is_edited"]) == (["망원동"], True)
    assert service.client.put(path, json={}, headers=kim).status_code == 400
    found = service.client.post(f"{_MINA}/search", json={"text": "망원동"}, headers=kim).json()[
        "items"
    ]
    assert [one["memory"]["object"] for one in found] == ["망원동"]
    path = f"{_MINA}/{done['memory']['id']}"
    gone = service.client.delete(path, headers=kim).json()
    assert _facts(service) == []
    assert (
        service.client.post(f"{_MINA}/undo", json={"change": gone["undo"]}, headers=kim).status_code
        == 200
    )
    assert _facts(service) == ["망원동"]


def test_all_that_a_character_knows_goes_at_once(service: Served) -> None:
    kim = token("kim")
    service.house.memory.hear(Bond("lee", "mina"), "나는 부산에 살아", is_user=True)
    gone = service.client.delete(_MINA, headers=kim).json()
    assert (gone["documents"], gone["messages"], gone["still"]) == (1, 1, [])
    assert _facts(service) == []
    assert service.client.get("/api/characters/mina/messages", headers=kim).json()["total"] == 0
    assert (
        service.client.get("/api/characters/mina/messages", headers=token("lee")).json()["total"]
        == 1
    )


def test_a_message_can_be_deleted_and_what_it_said_is_not_known_any_more(service: Served) -> None:
    kim, path = token("kim"), "/api/characters/mina/messages"
    (message,) = service.client.get(path, headers=kim).json()["items"]
    assert service.client.delete(f"{path}/{message['id']}", headers=kim).status_code == 200
    assert (_facts(service), service.client.get(path, headers=kim).json()["total"]) == ([], 0)
    assert service.client.delete(f"{path}/{message['id']}", headers=kim).status_code == 404


def test_a_fact_is_added_and_its_predicate_changed(service: Served) -> None:
    kim = token("kim")
    sent = {"predicate": "job", "object": "제빵사"}
    added = service.client.post(_MINA, json=sent, headers=kim)
    assert (added.status_code, added.json()["memory"]["is_edited"]) == (201, True)
    path = f"{_MINA}/{added.json()['memory']['id']}"
    changed = service.client.put(
        path, json={"subject": "엄마", "predicate": "detail"}, headers=kim
    ).json()["memory"]
    assert (changed["subject"], changed["predicate"], changed["object"]) == (
        "엄마",
        "detail",
        "제빵사",
    )
    assert service.client.get(path, headers=kim).status_code == 404
    wrong = service.client.post(_MINA, json={**sent, "predicate": "no such"}, headers=kim)
    assert (wrong.status_code, "'no such'" in wrong.json()["detail"]) == (400, True)
