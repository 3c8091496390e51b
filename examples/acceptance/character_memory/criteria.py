"""The features, rules and roadmap of "Long-term memory for AI characters", over HTTP as an app asks.

A scripted model speaks for the character; what it was told is what counts.
"""

import json
import socket
import time
import urllib.error
import urllib.request
from typing import Any, NamedTuple

from walk import Walk

from gieok.testing.model_server import ModelServer

KNOWN: dict[str, str] = {}
_SAID = (
    "내 이름은 지우야. 생일은 3월 15일이고 부산에서 간호사로 일해.",
    "고양이 보리랑 살아. 커피는 좋아하는데 오이는 싫어해.",
    "다음 주 금요일에 면접이 있어서 너무 떨려.",
    "너 어제 약속 잊었지? 진짜 화났어. 실망이야.",
    "나는 부산에 살아.",
)
#: What takes the place of the last of these.
_MOVED = "나 이제 부산 말고 서울에서 살아."
_ASKED = "내가 뭘 싫어한다고 했지?"
_FACTS = {"personal": "3월 15일", "preference": "오이", "relationship": "보리", "plan": "면접"}
_START_S = 60
#: A message of some 100 tokens, and how many of them exceed a context of 3,000.
_LONG = (
    "오늘은 필름 사진을 찍으러 바닷가에 다녀왔어. 바람이 세서 손이 시렸지만 빛이 참 좋더라. " * 3
)
_LONG = _LONG.strip()
_LONG_TALK = 16


class _Reply(NamedTuple):
    status: int
    data: dict[str, object]


class _Service:
    """The server as an app asks it, with one key."""

    def __init__(self, url: str, key: str) -> None:
        self._url, self._key = url, key

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> _Reply:
        """Send a request; return the status and the JSON of the answer."""
        request = urllib.request.Request(  # noqa: S310 - the loopback
            f"{self._url}{path}",
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={
                "Authorization": f"Bearer {self._key}",
                "Content-Type": "application/json",
                **{name.replace("_", "-"): value for name, value in headers.items()},
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
                return _Reply(answer.status, json.loads(answer.read() or b"{}"))
        except urllib.error.HTTPError as error:
            return _Reply(error.code, json.loads(error.read() or b"{}"))


def walk(w: Walk) -> None:
    """Walk through chapters 1 to 9 with two users and two characters."""
    model = ModelServer()
    model.script = ["그랬구나, 기억할게!"]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    w.environment |= {
        "GIEOK_EMBEDDER": "none",
        "GIEOK_SERVE_PORT": str(port),
        "GIEOK_SERVE_PER_MINUTE": "0",
        "GIEOK_CHARACTER_CONTEXT_TOKENS": "3000",
        "GIEOK_CHARACTER_MODEL": "compatible:mina",
        "GIEOK_CHARACTER_BASE_URL": f"{model.url}/v1",
        "GIEOK_CHARACTER_KEY_VARIABLE": "MODEL_KEY",
        "MODEL_KEY": "sk-test",
    }
    w.gieok("character", "create", "Mina", "--id", "mina", "--description", "책방을 한다.")
    w.gieok("character", "create", "Rui", "--id", "rui", "--description", "사진을 찍는다.")
    keys = [w.gieok("character", "key", "create", "--user", name, "--json").json.get("key", "")
            for name in ("me", "other")]  # fmt: skip
    server = w.start("serve")
    try:
        url = f"http://127.0.0.1:{port}"
        _wait(url)
        me, other = (_Service(url, key) for key in keys)
        _points(w, me)
        _memory(w, me, other, model)
        _interface(w, me)
        _summaries(w, me)
        _inactivity(w)
        _list_untried(w)
    finally:
        server.terminate()
        server.wait(30)
        model.shutdown()


def _wait(url: str) -> None:
    """Wait until the server answers."""
    end = time.monotonic() + _START_S
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"{url}/ready", timeout=2):  # noqa: S310
                return
        except OSError:
            time.sleep(0.2)


def _points(w: Walk, me: _Service) -> None:
    w.chapter("7.1, 9.2 points")
    first = me.ask("GET", "/api/points")
    earned = me.ask("POST", "/api/points/check-in", {})
    again = me.ask("POST", "/api/points/check-in", {})
    started = int(str(first.data.get("balance", 0)))
    held = me.ask("GET", "/api/points").data.get("balance")
    asked = ("pointsEarned", "newBalance", "streak")
    w.holds(
        "9.2",
        "a check-in gives ten points, once a day, and a streak",
        met=earned.status == again.status == 200
        and [earned.data.get(name) for name in asked] == [10, started + 10, 1]
        and again.data.get("newBalance") == held == started + 10
        and (earned.data.get("is_new"), again.data.get("is_new")) == (True, False),
        figure=f"{started} → {earned.data.get('newBalance')} → {held}",
    )
    w.holds(
        "7.1",
        "a new user can begin: there are points for a reply before any check-in",
        met=first.status == 200 and started > 0,
        figure=json.dumps(first.data)[:120],
    )


def _memory(w: Walk, me: _Service, other: _Service, model: ModelServer) -> None:
    w.chapter("6 what is remembered of a conversation")
    before = me.ask("GET", "/api/points").data
    statuses = [
        me.ask("POST", "/api/characters/mina/messages", {"text": text}).status for text in _SAID
    ]
    left = me.ask("GET", "/api/points").data
    balances = [int(str(one.get("balance", 0))) for one in (before, left)]
    w.holds(
        "7.1",
        "a reply costs a point",
        met=statuses == [200] * len(_SAID) and balances[0] - balances[1] == len(_SAID),
        figure=f"{len(_SAID)} replies: {balances[0]} → {balances[1]}",
    )
    held = json.dumps(me.ask("GET", "/api/memories/mina?type=semantic").data, ensure_ascii=False)
    for kind, value in _FACTS.items():
        w.holds("6.1", f"{kind} is remembered at once", met=value in held, figure=value)
    emotional = me.ask("GET", "/api/memories/mina?layer=emotional").data
    w.holds("6.1", "a feeling is remembered", met=int(str(emotional.get("total", 0))) > 0,
            figure=json.dumps(emotional, ensure_ascii=False)[:100])  # fmt: skip
    model.requests.clear()
    me.ask("POST", "/api/characters/mina/messages", {"text": _ASKED})
    # What was said before follows in messages of its own: the first is what memory tells.
    sent: list[dict[str, Any]] = next(
        (
            body["messages"]
            for _, body in model.requests
            if body.get("messages", [{}])[-1].get("content") == _ASKED
        ),
        [],
    )
    told = sent[0] if sent else {}
    w.holds(
        "5.2",
        "the character is told what bears on a message, before it answers",
        met=told.get("role") == "system" and "오이" in str(told.get("content")),
        figure=f"{len(sent)} messages, the first of {len(str(told.get('content')))} characters",
    )
    me.ask("POST", "/api/characters/mina/messages", {"text": _MOVED})
    facts = me.ask("GET", "/api/memories/mina?limit=50").data.get("items")
    homes = {
        one["object"]: one["is_current"]
        for one in (facts if isinstance(facts, list) else ())
        if one["predicate"] == "lives_in"
    }
    w.holds(
        "10-4",
        "a later statement takes the place of an earlier one, which stays, marked",
        met=(homes.get("서울"), homes.get("부산")) == (True, False),
        figure=homes,
    )
    w.holds(
        "6.2",
        "only what is certain is kept: who somebody lives with is no place",
        met=set(homes) == {"서울", "부산"},
        figure=", ".join(homes),
    )
    messages = me.ask("GET", "/api/characters/mina/messages").data
    w.holds("2.1", "the original conversation stays readable",
            met=_SAID[0] in json.dumps(messages, ensure_ascii=False))  # fmt: skip
    mine = me.ask("GET", "/api/memories/mina?limit=50")
    of_rui, of_other = me.ask("GET", "/api/memories/rui"), other.ask("GET", "/api/memories/mina")
    for sharers, reply in (("characters", of_rui), ("users", of_other)):
        w.holds(
            "2.1",
            f"{sharers} share no memory",
            met=reply.status == 200 and "오이" in _dump(mine) and "오이" not in _dump(reply),
            figure=f"{mine.data.get('total')} here, {reply.data.get('total')} there",
        )


def _summaries(w: Walk, me: _Service) -> None:
    w.chapter("4 summaries: a long talk with a small context")
    w.gieok("character", "points", "me", "--credit", "100")
    before = int(str(me.ask("GET", "/api/points").data.get("balance", 0)))
    statuses = [
        me.ask("POST", "/api/characters/rui/messages", {"text": f"{number}. {_LONG}"}).status
        for number in range(_LONG_TALK)
    ]
    episodes = _wait_for_episodes(me)
    failures = w.gieok("status", "--json").json.get("sidecar", {}).get("incidents", "?")
    left = int(str(me.ask("GET", "/api/points").data.get("balance", 0)))
    said = me.ask("GET", "/api/characters/rui/messages?limit=100").data
    w.holds(
        "4.1",
        "at 70 % of the context the oldest half is summarised, beside the talk",
        met=statuses == [200] * _LONG_TALK and 0 < episodes < _LONG_TALK,
        figure=f"{_LONG_TALK} messages, {episodes} summaries, failures: {failures}",
    )
    w.holds(
        "4.4",
        "a summary costs no point",
        met=before - left == _LONG_TALK,
        figure=f"{before} → {left}",
    )
    w.holds(
        "7.2",
        "what was summarised stays in its own words",
        met=all(f"{number}. {_LONG}" in str(said) for number in range(_LONG_TALK)),
        figure=f"{said.get('total')} messages",
    )
    found = me.ask("POST", "/api/memories/rui/search", {"query": "필름 사진", "limit": 5})
    signals = [row for row in _list_rows(found.data) if "similarity" in str(row)]
    w.holds(
        "5.1",
        "a summary is found, with the parts of its score",
        met=found.status == 200 and bool(signals),
        figure=json.dumps(found.data, ensure_ascii=False)[-120:],
    )


def _wait_for_episodes(me: _Service) -> int:
    """Return how many summaries there are, once the first of them is written."""
    end = time.monotonic() + _START_S
    while time.monotonic() < end:
        data = me.ask("GET", "/api/memories/rui?type=episodic").data
        if total := int(str(data.get("total", 0))):
            return total
        time.sleep(0.2)
    return 0


def _list_rows(data: dict[str, object]) -> list[object]:
    return [row for rows in data.values() if isinstance(rows, list) for row in rows]


def _inactivity(w: Walk) -> None:
    w.chapter("7.3 accounts that nobody uses")
    looked = w.gieok("character", "inactive", "--json")
    w.holds(
        "7.3",
        "who is inactive is looked at by a command; today nobody is",
        met=looked.status == 0 and looked.json.get("steps") == [] and not looked.err,
        figure=looked.out.strip()[:100],
    )
    after_days = "tests/character/accounts/test_inactivity.py"
    w.lacks_command(
        "7.3",
        "mails at 60 and 80 days; at 90 the summaries go, facts and messages stay",
        test=f"{after_days}::test_two_mails_then_the_episodes_go_and_facts_and_messages_stay",
    )
    w.lacks_command(
        "7.3",
        "who comes back finds the summaries formed again",
        test=f"{after_days}::test_who_comes_back_finds_the_episodes_formed_again_in_portions",
    )


_READER = "tests/character/turn/test_model_reader.py"
_TALK_PAGE = "tests/surfaces/web/test_talk.py"
#: What a walk over HTTP cannot show: section, what is asked, the test or benchmark that shows it.
_UNTRIED = (
    (
        "4.2",
        "two turns at once start one summary",
        f"{_READER}::test_two_that_tend_one_memory_ask_once",
    ),
    (
        "4.3",
        "a summary is in the first person and as short as asked",
        f"{_READER}::test_a_summary_is_in_the_first_person_and_language_and_no_longer_than_it_may_be",
    ),
    (
        "6.3",
        "a model reads after every fifth message",
        f"{_READER}::test_a_model_reads_after_every_fifth_message_and_its_facts_join_the_rules",
    ),
    (
        "7.2",
        "a full memory merges, and drops nothing silently",
        "tests/character/memory/test_slots.py::test_a_full_memory_merges_as_it_summarises",
    ),
    ("8.1", "PostgreSQL with pgvector", "tests/storage/index/test_postgres_contract.py"),
    ("8.2", "MongoDB for raw messages", "tests/storage/journal/test_mongo_journal.py"),
    (
        "10-5",
        "pages show, change and forget what is remembered",
        f"{_TALK_PAGE}::test_the_page_and_the_command_say_the_same_of_what_is_known",
    ),
    ("10-6", "load and speed at a million memories", "benchmarks/character.py"),
)


def _list_untried(w: Walk) -> None:
    w.chapter("what needs more than one user, a model's words, a server, or a browser")
    for section, asks, test in _UNTRIED:
        w.lacks_command(section, asks, test=test)


def _interface(w: Walk, me: _Service) -> None:
    w.chapter("9.1 memories over HTTP")
    listed = me.ask("GET", "/api/memories/mina?type=semantic&page=1&limit=5")
    items = next((v for v in listed.data.values() if isinstance(v, list)), [])
    w.holds("9.1", "memories are listed by type and page", met=listed.status == 200 and 0 < len(items) <= 5,
            figure=f"{len(items)}; {', '.join(listed.data)}")  # fmt: skip
    found = me.ask("POST", "/api/memories/mina/search", {"query": "고양이", "limit": 5})
    w.holds("9.1", "memories are searched with `query`",
            met=found.status == 200 and "보리" in json.dumps(found.data, ensure_ascii=False),
            figure=f"{found.status}: {', '.join(found.data)}")  # fmt: skip
    w.holds("9.1", "a search answers with `memories` and `scores`",
            met={"memories", "scores"} <= set(found.data), figure=", ".join(found.data))  # fmt: skip
    name = str(items[0].get("id", "")) if items and isinstance(items[0], dict) else ""
    one = me.ask("GET", f"/api/memories/mina/{name}")
    w.holds("9.1", "a memory is shown with the messages that it came from",
            met=_quotes_what_was_said(one))  # fmt: skip
    marks = [_read_mark(one)]
    for mark in (True, False):
        me.ask("PUT", f"/api/memories/mina/{name}", {"isImportant": mark})
        marks.append(_read_mark(me.ask("GET", f"/api/memories/mina/{name}")))
    w.holds(
        "9.1",
        "a memory is marked as important by `isImportant`, and as not",
        met=marks == [False, True, False],
        figure=marks,
    )
    gone = me.ask("DELETE", f"/api/memories/mina/{name}")
    after = me.ask("GET", f"/api/memories/mina/{name}")
    w.holds(
        "9.1",
        "a memory is deleted, and does not come back",
        met=gone.status == 200 and after.status == 404,
    )
    before = int(str(me.ask("GET", "/api/points").data.get("balance", 0)))
    bought = me.ask(
        "POST", "/api/points/purchase/memory-slots", {"characterId": "mina", "quantity": 1}
    )
    w.holds("9.2", "slots for memories are bought with points, by the document's names",
            met=bought.status == 200 and bought.data.get("slots") == 1
            and bought.data.get("balance") == before - 10,
            figure=f"{bought.status} {json.dumps(bought.data)[:80]}")  # fmt: skip
    history = me.ask("GET", "/api/points/transactions?page=1&limit=10")
    w.holds(
        "9.2",
        "what was given and spent is listed",
        met=history.status == 200 and {-10, -1, 10} <= set(_find_amounts(history.data)),
        figure=f"amounts {sorted(set(_find_amounts(history.data)))}",
    )


def _dump(reply: _Reply) -> str:
    return json.dumps(reply.data, ensure_ascii=False)


def _quotes_what_was_said(story: _Reply) -> bool:
    """Say whether the messages below a memory are such that the user sent."""
    messages = json.dumps(story.data.get("messages"), ensure_ascii=False)
    return story.status == 200 and any(text in messages for text in (*_SAID, _MOVED))


def _read_mark(reply: _Reply) -> object:
    memory = reply.data.get("memory")
    return memory.get("isImportant") if isinstance(memory, dict) else None


def _find_amounts(ledger: dict[str, object]) -> list[int]:
    rows = next((value for value in ledger.values() if isinstance(value, list)), [])
    return [row["amount"] for row in rows]
