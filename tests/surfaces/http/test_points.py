"""Points, keys and payments over HTTP."""

import json
from collections.abc import Iterator

import pytest
from served import NOW, WEBHOOK, Served, served, token

from gieok.character.accounts import payments
from gieok.text.catalogues import list_languages


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with (
        pytest.MonkeyPatch.context() as patch,
        served(tmp_path_factory.mktemp("home"), patch) as found,
    ):
        yield found


def _once(key: str) -> dict[str, str]:
    return {"Idempotency-Key": key}


def test_a_day_gives_points_once_and_each_row_is_told(service: Served) -> None:
    kim = token("kim")
    assert service.client.get("/api/points", headers=kim).json()["balance"] == 10
    first, second = (
        service.client.post("/api/points/check-in", headers=kim).json() for _ in range(2)
    )
    assert (first["given"], first["is_new"], second["is_new"], second["balance"]) == (
        10,
        True,
        False,
        20,
    )
    found = service.client.get("/api/points/transactions", headers=kim).json()
    assert (found["total"], found["page"], found["limit"]) == (2, 1, 20)
    assert [(row["kind"], row["amount"], row["balance"]) for row in found["items"]] == [
        ("check-in", 10, 20),
        ("welcome", 10, 10),
    ]


def test_a_credit_counts_once_for_its_key(service: Served) -> None:
    admin, path = service.key(""), "/api/admin/users/lee/points"
    sent = [
        service.client.post(path, json={"points": 50}, headers=admin | _once("o-1")).json()
        for _ in range(2)
    ]
    assert sent == [
        {"given": 50, "balance": 50, "is_new": True},
        {"given": 50, "balance": 50, "is_new": False},
    ]
    assert (
        service.client.post(path, json={"points": 51}, headers=admin | _once("o-1")).status_code
        == 409
    )
    assert (
        service.client.post(path, json={"points": -1}, headers=admin | _once("o-2")).status_code
        == 422
    )
    assert service.client.post(path, json={"points": 1}, headers=admin).status_code == 422
    assert service.client.get(path, headers=admin).json()["balance"] == 50
    assert (
        service.client.post(
            path, json={"points": 1}, headers=token("lee") | _once("o-3")
        ).status_code
        == 403
    )


def test_a_payment_counts_once_where_it_is_signed(service: Served) -> None:
    body = json.dumps({"id": "pay_1", "user": "min", "points": 30}).encode()
    good = {"Gieok-Signature": payments.sign(body, WEBHOOK, NOW)}
    found = [
        service.client.post("/api/webhooks/points", content=body, headers=good).json()
        for _ in range(2)
    ]
    assert found == [{"given": 30, "is_new": True}, {"given": 30, "is_new": False}]
    for content, headers in (
        (body, {"Gieok-Signature": payments.sign(body, "x" * 32, NOW)}),
        (body + b" ", good),
    ):
        assert (
            service.client.post(
                "/api/webhooks/points", content=content, headers=headers
            ).status_code
            == 401
        )
    assert service.client.get("/api/points", headers=token("min")).json()["balance"] == 30


def test_an_admin_makes_keys_that_users_come_in_with_and_takes_them_back(service: Served) -> None:
    admin = service.key("")
    made = service.client.post("/api/admin/users/choi/keys", json={"label": "phone"}, headers=admin)
    assert made.status_code == 201
    key = {"Authorization": f"Bearer {made.json()['key']}"}
    assert service.client.get("/api/account", headers=key).json()["user"] == "choi"
    assert service.client.get("/metrics", headers=key).status_code == 403
    path = f"/api/admin/users/choi/keys/{made.json()['id']}"
    assert service.client.delete(path.replace("choi", "kim", 1), headers=admin).status_code == 404
    assert service.client.delete(path, headers=admin).json()["revoked_at"]
    assert service.client.get("/api/account", headers=key).status_code == 401
    listed = service.client.get("/api/admin/users/choi/keys", headers=admin)
    assert [one["label"] for one in listed.json()["items"]] == ["phone"]
    assert made.json()["key"].rpartition("_")[2] not in listed.text


def test_an_admin_key_has_no_memory_and_no_points(service: Served) -> None:
    admin = service.key("")
    for path in ("/api/points", "/api/account"):
        assert service.client.get(path, headers=admin).status_code == 403


def test_the_languages_of_an_account_are_those_that_have_a_catalogue(service: Served) -> None:
    shapes = service.client.get("/openapi.json", headers=token("kim3")).json()["components"][
        "schemas"
    ]
    assert shapes["AccountChange"]["properties"]["lang"]["enum"] == list_languages()
    found = service.client.put("/api/account", json={"lang": "fr"}, headers=token("kim3"))
    assert (found.status_code, found.json()["detail"]) == (
        422,
        "body.lang: Input should be 'en' or 'ko'",
    )


def test_a_user_says_where_they_are(service: Served) -> None:
    kim = token("kim2")
    sent = {"zone": "Asia/Seoul", "lang": "ko", "mail": "kim@example.org"}
    told = {"user": "kim2", **sent, "days_in": "Asia/Seoul", "zone_from": "account"}
    assert service.client.put("/api/account", json=sent, headers=kim).json() == told
    assert service.client.get("/api/account", headers=kim).json() == told
    for wrong in (
        {"zone": "Asia/Soul"},
        {"lang": "fr"},
        {"mail": "a@b\r\nBcc: x@y"},
        {"user": "lee"},
    ):
        assert service.client.put("/api/account", json=sent | wrong, headers=kim).status_code in (
            400,
            422,
        )
