"""Requests and answers written from the original design of the API alone."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from served import NOW, Served, served, token

from gieok.character.cards.card import new_card
from gieok.character.memory.service import Bond
from gieok.model.accounts import Account
from gieok.storage.accounts.sqlite import SqliteAccounts

_MINA = "/api/memories/mina"


@pytest.fixture
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with (
        pytest.MonkeyPatch.context() as patch,
        served(tmp_path_factory.mktemp("home"), patch) as found,
    ):
        found.house.roster.create("", new_card({"name": "미나"}), "mina")
        yield found


def _hear(service: Served, *texts: str) -> None:
    for text in texts:
        service.house.memory.hear(Bond("kim", "mina"), text, is_user=True)


def _get(service: Served, path: str, **query: Any) -> Any:
    return service.client.get(path, params=query, headers=token("kim"))


def test_memories_are_listed_by_type_and_a_list_without_one_has_all(service: Served) -> None:
    _hear(service, "나는 성수동에 살아", "나 오늘 너무 힘들었어 계속 울었어")
    semantic = _get(service, _MINA, type="semantic", page=1, limit=1).json()
    assert semantic["pagination"] == {"total": 1, "page": 1, "limit": 1}
    assert [one["object"] for one in semantic["memories"]] == ["성수동"]
    assert [one["layer"] for one in _get(service, _MINA, type="emotional").json()["memories"]] == [
        "emotional"
    ]
    assert {one["layer"] for one in _get(service, _MINA).json()["memories"]} == {
        "emotional",
        "semantic",
    }
    assert _get(service, _MINA, type="semantic", layer="episodic").status_code == 400


def test_a_memory_is_read_with_its_related_messages(service: Served) -> None:
    _hear(service, "나는 성수동에 살아")
    (memory,) = _get(service, _MINA).json()["memories"]
    story = _get(service, f"{_MINA}/{memory['id']}").json()
    assert story["memory"]["sourceText"] == "나는 성수동에 살아"
    assert [(one["role"], one["content"]) for one in story["relatedMessages"]] == [
        ("user", "나는 성수동에 살아")
    ]


def test_a_memory_is_changed_by_summary_topics_and_is_important(service: Served) -> None:
    _hear(service, "나는 성수동에 살아", "나 오늘 너무 힘들었어 계속 울었어")
    kim = token("kim")
    by_layer = {one["layer"]: one["id"] for one in _get(service, _MINA).json()["memories"]}
    body = {"summary": "망원동", "isImportant": True}
    changed = service.client.put(f"{_MINA}/{by_layer['semantic']}", json=body, headers=kim).json()
    assert (changed["memory"]["object"], changed["memory"]["isImportant"]) == ("망원동", True)
    body = {"summary": "많이 울던 날"}
    changed = service.client.put(f"{_MINA}/{by_layer['emotional']}", json=body, headers=kim).json()
    assert changed["memory"]["summary"] == "많이 울던 날"
    answer = service.client.put(
        f"{_MINA}/{by_layer['semantic']}", json={"topics": ["집"]}, headers=kim
    )
    assert (answer.status_code, "topics" in answer.json()["detail"]) == (400, True)
    two = {"isImportant": True, "is_important": False}
    path = f"{_MINA}/{by_layer['semantic']}"
    assert service.client.put(path, json=two, headers=kim).status_code == 400


def test_topics_of_an_episode_are_changed_and_taken_back(service: Served) -> None:
    bond, memory = Bond("kim", "mina", "p" * 60_000), service.house.memory
    for number in range(8):
        memory.hear(bond, f"오늘 영화 이야기 {number}번째로 더 해 보자", is_user=True)
    (episode,) = _get(service, _MINA, type="episodic").json()["memories"][:1]
    kim, path = token("kim"), f"{_MINA}/{episode['id']}"
    changed = service.client.put(path, json={"topics": ["영화", "극장"]}, headers=kim).json()
    assert changed["memory"]["topics"] == ["영화", "극장"]
    undone = service.client.post(f"{_MINA}/undo", json={"change": changed["undo"]}, headers=kim)
    assert undone.status_code == 200
    assert _get(service, path).json()["memory"]["topics"] == episode["topics"]


def test_a_memory_is_deleted_with_success(service: Served) -> None:
    _hear(service, "나는 성수동에 살아")
    (memory,) = _get(service, _MINA).json()["memories"]
    gone = service.client.delete(f"{_MINA}/{memory['id']}", headers=token("kim")).json()
    assert gone["success"] is True
    assert _get(service, _MINA).json()["memories"] == []


def test_a_search_takes_a_query_and_gives_scores_in_the_order_of_the_memories(
    service: Served,
) -> None:
    _hear(service, "나는 성수동에 살아", "나는 고양이를 좋아해")
    kim, path = token("kim"), f"{_MINA}/search"
    found = service.client.post(path, json={"query": "성수동"}, headers=kim).json()
    assert found["memories"][0]["object"] == "성수동"
    assert found["scores"] == [one["score"] for one in found["items"]]
    assert service.client.post(path, json={"limit": 5}, headers=kim).status_code == 422


def test_a_search_names_what_the_question_asks_for_and_nothing_is_kept_of(
    service: Served,
) -> None:
    _hear(service, "내 이름은 지우야", "커피는 좋아하는데 오이는 싫어해")
    kim, path = token("kim"), f"{_MINA}/search"
    asked = {
        "우리 고양이 이름 뭐였지": ["고양이"],
        "내 이름 뭐야": [],
        "나 생일이 언제야": ["생일"],
        "오이 말이야": [],
    }
    unknown = {
        query: service.client.post(path, json={"query": query}, headers=kim).json()["unknown"]
        for query in asked
    }
    assert unknown == asked


def test_the_confidence_of_what_rules_found_is_the_share_of_it_that_was_right(
    service: Served,
) -> None:
    _hear(service, "내 이름은 지우야")
    found = _get(service, _MINA, type="semantic").json()["memories"]
    assert [(one["object"], one["confidence"]) for one in found] == [("지우", 0.68)]


def test_points_are_told_in_the_words_of_the_design(service: Served) -> None:
    kim = token("kim")
    assert _get(service, "/api/points").json()["todayCheckIn"] is False
    first = service.client.post("/api/points/check-in", headers=kim).json()
    assert (first["pointsEarned"], first["newBalance"], first["streak"]) == (10, 20, 1)
    standing = _get(service, "/api/points").json()
    assert (standing["balance"], standing["todayCheckIn"], standing["checkInStreak"]) == (
        20,
        True,
        1,
    )
    body = {"characterId": "mina", "quantity": 2}
    bought = service.client.post("/api/points/purchase/memory-slots", json=body, headers=kim).json()
    assert (bought["success"], bought["newSlotCount"], bought["pointsSpent"]) == (True, 32, 20)
    page = _get(service, "/api/points/transactions", page=1, limit=2).json()
    assert page["pagination"] == {"total": 3, "page": 1, "limit": 2}
    assert [(row["transactionType"], row["balanceAfter"]) for row in page["transactions"]] == [
        ("slot_purchase", 0),
        ("check_in", 20),
    ]


def test_a_query_field_that_is_not_known_is_refused_by_its_name(service: Served) -> None:
    answer = _get(service, _MINA, typ="semantic")
    assert answer.status_code == 400
    assert "'typ'" in answer.json()["detail"]
    assert "type" in answer.json()["hint"]
    assert service.client.get("/health?probe=1").status_code == 200


def test_a_new_user_is_answered_before_the_first_check_in(service: Served) -> None:
    path = "/api/characters/mina/messages"
    answer = service.client.post(path, json={"text": "안녕"}, headers=token("lee")).json()
    assert answer["balance"] == 9
    rows = service.client.get("/api/points/transactions", headers=token("lee")).json()["items"]
    assert [(row["kind"], row["amount"]) for row in rows] == [("reply", -1), ("welcome", 10)]


def test_a_user_who_spent_the_points_gets_no_second_welcome(service: Served) -> None:
    kim = token("kim")
    body = {"characterId": "mina", "quantity": 1}
    path = "/api/points/purchase/memory-slots"
    assert service.client.get("/api/points", headers=kim).json()["balance"] == 10
    assert service.client.post(path, json=body, headers=kim).json()["balance"] == 0
    assert service.client.get("/api/points", headers=kim).json()["balance"] == 0
    refused = service.client.post("/api/characters/mina/messages", json={"text": "또"}, headers=kim)
    assert refused.status_code == 402


def test_the_first_zone_that_a_client_names_is_kept_and_counts_days(service: Served) -> None:
    kim = token("kim")
    told = _get(service, "/api/account").json()
    assert (told["days_in"], told["zone_from"]) == ("UTC", "server")
    service.client.get("/api/points", headers={**kim, "Time-Zone": "Asia/Seoul"})
    service.client.get("/api/points", headers={**kim, "Time-Zone": "America/New_York"})
    told = _get(service, "/api/account").json()
    assert (told["days_in"], told["zone_from"]) == ("Asia/Seoul", "account")
    service.clock.advance(timedelta(hours=4))  # 01:00 of the next day in Seoul
    later = token("kim", exp=service.clock.now() + timedelta(hours=1))
    assert service.client.get("/api/points", headers=later).json()["day"] == "2026-11-22"
    wrong = service.client.get("/api/points", headers={**later, "Time-Zone": "Mars/Olympus"})
    assert wrong.status_code == 400


class _DescribedMeanwhile(SqliteAccounts):
    """Accounts of which another process describes a user whenever one was read."""

    def account(self, user: str) -> Account | None:
        known = super().account(user)
        self.describe(user, "Asia/Seoul", "ko", f"{user}@example.com", NOW)
        return known


def test_what_another_process_keeps_of_a_user_meanwhile_stays(service: Served) -> None:
    accounts = _DescribedMeanwhile(Path(service.house.accounts.location))
    house = replace(service.house, accounts=accounts)
    house.keep_first_zone("kim", "America/New_York")
    house.welcome("lee", "en")
    accounts.close()
    for user in ("kim", "lee"):
        kept = service.house.accounts.account(user)
        assert kept is not None
        assert (kept.zone, kept.lang, kept.mail) == ("Asia/Seoul", "ko", f"{user}@example.com")


def test_a_message_says_by_which_memory_it_is_summarised(service: Served) -> None:
    bond, memory = Bond("kim", "mina", "p" * 60_000), service.house.memory
    for number in range(8):
        memory.hear(bond, f"오늘 영화 이야기 {number}번째로 더 해 보자", is_user=True)
    episodes = _get(service, _MINA, type="episodic").json()["memories"]
    said = _get(service, "/api/characters/mina/messages").json()["items"]
    assert [one["isSummarized"] for one in said] == [False] * 2 + [True] * 6
    assert {one["summaryId"] for one in said} == {"", *(one["id"] for one in episodes)}
    first = min(episodes, key=lambda one: one["createdAt"])
    ids = [one["id"] for one in said if one["summaryId"] == first["id"]]
    assert {first["startMessageId"], first["endMessageId"]} <= {*ids}
    assert first["messageCount"] == len(ids)


def test_facts_and_moments_have_the_types_of_the_design(service: Served) -> None:
    _hear(service, "나는 성수동에 살아", "나 오늘 너무 힘들었어 계속 울었어")
    memories = {one["layer"]: one for one in _get(service, _MINA).json()["memories"]}
    fact, moment = memories["semantic"], memories["emotional"]
    assert (fact["factType"], fact["factSubtype"]) == ("personal", "lives_in")
    assert (moment["eventType"], moment["description"]) == (
        "comfort",
        "나 오늘 너무 힘들었어 계속 울었어",
    )
