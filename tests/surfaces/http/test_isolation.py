"""Nothing of one user reaches another, whatever they ask, on both stores."""

import itertools
import json
import random
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest
from served import NOW, WEBHOOK, Served, served, token

from gieok.character.accounts import payments
from gieok.character.cards.card import new_card
from gieok.character.memory.service import Bond

_USERS = ("kim", "lee", "choi")
#: `same` is a character that each of them made, and `all` one of the service.
_CHARACTERS = ("same", "all")
_STEPS, _ROUNDS = 15, 1
#: Share of the requests without query fields that the operation does not have, which are refused.
_KNOWN_ALONE = 0.7
#: What would end a user in the middle; see below.
_LAST = "/api/erase"


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def service(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    settings = {}
    if request.param == "postgres":
        url = request.getfixturevalue("databases").take()
        settings = {"STORE": "postgres", "JOURNAL": "postgres", "DATABASE_URL": url}
    with (
        pytest.MonkeyPatch.context() as patch,
        served(tmp_path_factory.mktemp("home"), patch, **settings) as found,
    ):
        yield found


class _Own(NamedTuple):
    """What is a user's own: words that stand nowhere else, and ids."""

    words: set[str]
    ids: dict[str, list[str]]


def _settle(service: Served, random_: random.Random) -> dict[str, _Own]:
    """Give every user characters, talk, memories, points and keys."""
    if not service.house.accounts.character("", "all"):
        service.house.roster.create("", new_card({"name": "모두의 미나"}), "all")
    found = {}
    for user in _USERS:
        words = {
            kind: f"{user}{kind}{random_.randrange(10**9)}"
            for kind in ("name", "city", "card", "key", "note")
        }
        headers = token(user)
        service.client.post(
            "/api/characters", json={"id": "same", "name": words["card"]}, headers=headers
        )
        texts = (f"내 이름은 {words['name']}야", f"나는 {words['city']}에 살아")
        pairs = itertools.product(_CHARACTERS, texts)
        said = [
            service.house.memory.hear(Bond(user, one), text, is_user=True) for one, text in pairs
        ]
        service.house.points.credit(user, 50, f"{words['note']}", words["note"])
        key, _ = service.house.identity.issue(user, label=words["key"])
        memories = [
            one["id"]
            for character in _CHARACTERS
            for one in service.client.get(f"/api/memories/{character}", headers=headers).json()[
                "items"
            ]
        ]
        assert memories
        found[user] = _Own(
            set(words.values()),
            {"memory": memories, "message": said, "key": [key.id], "user": [user]},
        )
    return found


def _state(service: Served, user: str) -> list[Any]:
    """Return all that a user can read of themselves."""
    headers = token(user)
    paths = [
        "/api/account",
        "/api/points",
        "/api/points/transactions?limit=100",
        "/api/characters?limit=100",
    ]
    paths += [f"/api/characters/{one}" for one in _CHARACTERS]
    paths += [
        f"/api/memories/{one}?layer={layer}&limit=100"
        for one in _CHARACTERS
        for layer in ("semantic", "episodic")
    ]
    paths += [f"/api/characters/{one}/messages?limit=100" for one in _CHARACTERS] + ["/api/export"]
    return [service.client.get(path, headers=headers).json() for path in paths]


def _steps(service: Served) -> list[tuple[str, str]]:
    """Return every operation that the API describes, but those of admins."""
    rows = service.app.openapi()["paths"].items()
    return [
        (method.upper(), path)
        for path, methods in rows
        for method in methods
        if not path.startswith(("/api/admin", _LAST))
    ]


def _asked(
    service: Served, step: tuple[str, str], actor: str, other: _Own, random_: random.Random
) -> httpx.Response:
    """Do something as one user with what is another's."""
    method, path = step
    victim = other.ids["user"][0]
    names = {**other.ids, "character": [*_CHARACTERS, "nobody"], "name": ["x"]}
    path = re.sub(r"\{(\w+?)(_id)?\}", lambda found: random_.choice(names[found[1]]), path)
    number = random_.randrange(10**9)
    headers = {**token(actor), "Idempotency-Key": f"{number}", "X-User": victim}
    query = {
        "user": victim,
        "owner": victim,
        "scope": f"user:{victim}/character:same",
        "id": f"brought-{number}",
    }
    if random_.random() < _KNOWN_ALONE:
        known = service.app.openapi()["paths"][step[1]][step[0].lower()].get("parameters", ())
        query = {one["name"]: query[one["name"]] for one in known if one["name"] in query}
    content = json.dumps(_filled(service, step, other, random_)).encode()
    if step[1].endswith("/import"):
        content = json.dumps({"spec": "chara_card_v3", "data": {"name": "들여온 것"}}).encode()
    elif step[1].endswith("/webhooks/points"):
        content = json.dumps({"id": f"{number}", "user": actor, "points": 1}).encode()
        headers["Gieok-Signature"] = payments.sign(content, WEBHOOK, NOW)
    headers["Content-Type"] = "application/json"
    return service.client.request(method, path, content=content, params=query, headers=headers)


def _filled(
    service: Served, step: tuple[str, str], other: _Own, random_: random.Random
) -> dict[str, Any]:
    """Return a body of what the operation takes, with what is another's where it fits."""
    victim = other.ids["user"][0]
    said = [{"role": "user", "content": "나 누구야?"}]
    whole = {
        "text": "이름이 뭐야? 어디 살아?",
        "object": "남의 것",
        "change": random_.choice(other.ids["message"]),
        "limit": 50,
        "is_important": True,
        "name": "내 것",
        "id": f"new-{random_.randrange(10**9)}",
        "zone": "Asia/Seoul",
        "quantity": 1,
        "character_id": "same",
        "model": "same",
        "user": victim,
        "messages": said,
        "message_id": other.ids["message"][0],
    }
    fields = _fields(
        service, service.app.openapi()["paths"][step[1]][step[0].lower()].get("requestBody", {})
    )
    return {name: one for name, one in whole.items() if name in fields}


def _fields(service: Served, body: dict[str, Any]) -> set[str]:
    content = body.get("content", {}).get("application/json", {}).get("schema", {})
    name = content.get("$ref", "").rpartition("/")[2]
    schema = service.app.openapi()["components"]["schemas"].get(name, content)
    return set(schema.get("properties", {}))


@pytest.mark.parametrize("seed", range(_ROUNDS))
def test_nothing_of_one_user_reaches_another(service: Served, seed: int) -> None:
    random_ = random.Random(seed)
    owned = _settle(service, random_)
    steps = _steps(service)
    seen = set[int]()
    for actor in _USERS:
        others = [user for user in _USERS if user != actor]
        before = {user: _state(service, user) for user in others}
        for step in random_.choices(steps, k=_STEPS):
            answer = _asked(service, step, actor, owned[random_.choice(others)], random_)
            seen.add(answer.status_code)
            leaked = [word for user in others for word in owned[user].words if word in answer.text]
            assert not leaked, (actor, step, answer.text)
        for user, state in before.items():
            assert _state(service, user) == state, (actor, user)
    assert {200, 404} <= seen


def test_who_is_erased_is_gone_and_nobody_else(service: Served) -> None:
    owned = _settle(service, random.Random(11))
    before = {user: _state(service, user) for user in ("kim", "lee")}
    key = service.key("choi")
    for name in ("kim", "nobody"):
        assert service.client.post(_LAST, json={"user": name}, headers=key).status_code == 400
    gone = service.client.post(_LAST, json={"user": "choi"}, headers=key).json()
    assert gone["messages"] >= 4
    assert gone["rows"]
    assert service.client.get("/api/points", headers=key).status_code == 401
    left = json.dumps(_state(service, "choi"))
    assert not [word for word in owned["choi"].words if word in left]
    assert service.client.get("/api/export", headers=token("choi")).status_code == 404
    for user, state in before.items():
        assert _state(service, user) == state


def test_what_is_anothers_is_told_as_what_is_not_there(service: Served) -> None:
    owned = _settle(service, random.Random(7))
    kim, lee = token("kim"), owned["lee"].ids
    service.client.post(
        "/api/characters", json={"id": "only-lees", "name": "x"}, headers=token("lee")
    )
    ways = ("characters/{}", "characters/{}/card", "characters/{}/messages", "memories/{}")
    pairs = [(f"/api/{way}", "only-lees", "nowhere") for way in ways]
    pairs += [("/api/memories/same/{}", one, one[:-4] + "0000") for one in lee["memory"]]
    for path, his, none in pairs:
        told = [service.client.get(path.format(one), headers=kim) for one in (his, none)]
        assert [one.status_code for one in told] == [404, 404], path
        assert told[0].text.replace(his, "*") == told[1].text.replace(none, "*")
