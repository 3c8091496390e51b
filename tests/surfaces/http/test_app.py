"""What every request meets: guards, problem documents, rates, counts."""

from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from served import SECRET, Served, served, token

from gieok.character.cards.card import new_card
from gieok.errors import StoreBusy, StoreCorrupt, StoreError, StoreUnreachable, decode_phrase
from gieok.surfaces.http.guards import BodyGuard
from gieok.surfaces.http.options import HttpOptions, TokenOptions
from gieok.surfaces.http.problems import document, of_error

_OPTIONS = HttpOptions(
    tokens=TokenOptions(SECRET), body_kb=4, per_minute=1000, hosts=("memory.example",)
)
_SEARCH = "/api/memories/mina/search"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with (
        pytest.MonkeyPatch.context() as patch,
        served(tmp_path_factory.mktemp("home"), patch, _OPTIONS) as found,
    ):
        found.house.roster.create("", new_card({"name": "미나"}), "mina")
        found.house.roster.create("", new_card({"name": "미나"}), "mina-of-the-log")
        yield found


def test_a_body_that_is_not_called_json_is_told_of_the_header(service: Served) -> None:
    headers = {"Content-Type": "text/plain", **token("kim")}
    found = service.client.post(_SEARCH, content=b'{"text": "tea"}', headers=headers)
    assert found.status_code == 422
    assert found.json()["detail"] == "the body was not read as JSON"
    assert found.json()["hint"] == "send the header `Content-Type: application/json`"


def test_health_and_readiness_need_no_key(service: Served) -> None:
    for path in ("/health", "/ready"):
        assert service.client.get(path).json() == {"status": "ok"}


@pytest.mark.parametrize(
    ("method", "path", "sent", "status", "code"),
    [
        ("GET", "/nowhere", {}, 404, "not_found"),
        ("PATCH", "/health", {}, 405, "method_not_allowed"),
        ("POST", _SEARCH, {"content": b"{no"}, 400, "bad_request"),
        ("POST", _SEARCH, {"content": b'{"text": "\xff"}'}, 400, "bad_request"),
        ("POST", _SEARCH, {"content": b'{"text": "\\ud800"}'}, 422, "invalid"),
        ("POST", _SEARCH, {"json": {}}, 422, "invalid"),
        ("POST", _SEARCH, {"json": {"text": "x" * 5000}}, 413, "too_large"),
        ("POST", _SEARCH, {"content": iter([b"x" * 5000])}, 413, "too_large"),
        ("GET", "/health", {"headers": {"Host": "evil.example"}}, 421, "wrong_host"),
        ("GET", "/health", {"headers": {"Origin": "https://evil.example"}}, 403, "forbidden"),
    ],
)
def test_every_error_is_a_problem_document(
    service: Served, method: str, path: str, sent: dict[str, object], status: int, code: str
) -> None:
    known = {"Content-Type": "application/json", **token("kim"), **sent.pop("headers", {})}
    found = service.client.request(method, path, headers=known, **sent)
    assert (found.status_code, found.headers["content-type"]) == (
        status,
        "application/problem+json",
    )
    problem = found.json()
    assert problem["status"] == status
    assert problem["type"] == f"urn:problem-type:gieok:{code}"
    texts = {"template", "values", "hint_template", "hint_values"}
    assert set(problem) == {"type", "title", "status", "detail", "code", "hint"} | texts
    for text, values in (("detail", "values"), ("hint", "hint_values")):
        template = "template" if text == "detail" else "hint_template"
        row = {"template": problem[template], "values": problem[values]}
        assert decode_phrase(row) == problem[text]


def test_an_internal_error_shows_neither_its_text_nor_its_values() -> None:
    problem = document(StoreCorrupt("{file!r} is damaged", file="/home/min/store.db"))
    assert problem.status == 500
    assert (problem.template, problem.values) == (problem.detail, {})
    assert "store.db" not in problem.model_dump_json()


def test_other_names_and_numbers_of_this_server_are_taken(service: Served) -> None:
    for host in (
        "memory.example",
        "memory.example:8377",
        "127.0.0.1:8377",
        "[::1]:8377",
        "LOCALHOST",
    ):
        assert (
            service.client.get(
                "/health", headers={"Host": host, "Origin": f"http://{host}"}
            ).status_code
            == 200
        )


def test_what_nobody_raised_on_purpose_is_a_problem_without_its_words(
    service: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*given: object) -> None:
        raise RuntimeError("somebody's secret words")

    monkeypatch.setattr(type(service.house.control), "search", broken)
    found = service.client.post(_SEARCH, json={"text": "my words"}, headers=token("kim"))
    assert (found.status_code, found.json()["code"]) == (500, "error")
    assert "words" not in found.text + caplog.text
    assert "RuntimeError at" in caplog.text


def test_the_log_and_the_metrics_name_routes_and_nobody(
    service: Served, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "gieok.serve")
    headers = token("kim-of-the-log")
    service.client.post(
        "/api/memories/mina-of-the-log/search", json={"text": "words"}, headers=headers
    )
    counted = service.client.get("/metrics", headers=service.key("")).text
    assert (
        'gieok_http_requests_total{method="POST",route="/api/memories/{character_id}/search",'
        'status="200"}'
    ) in counted
    assert "gieok_rates_shared 0.0" in counted
    assert "POST /api/memories/{character_id}/search 200" in caplog.text
    assert "of-the-log" not in caplog.text + counted
    assert headers["Authorization"] not in caplog.text


def test_a_body_that_does_not_come_is_given_up() -> None:
    sent = list[dict[str, object]]()

    async def nothing_comes() -> dict[str, object]:
        await anyio.Event().wait()
        raise AssertionError

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    scope = {"type": "http", "path": "/api/account", "headers": []}
    anyio.run(BodyGuard(None, 100, 0.01), scope, nothing_comes, send)
    assert sent[0]["status"] == 408


def test_turns_and_points_are_counted(service: Served) -> None:
    service.house.points.credit("han", 1, "first")
    for headers, status in (({}, 200), ({"Accept": "text/event-stream"}, 402)):
        sent = {"json": {"text": "안녕"}, "headers": token("han") | headers}
        assert service.client.post("/api/characters/mina/messages", **sent).status_code == status
    counted = service.client.get("/metrics", headers=service.key("")).text
    assert 'gieok_turns_total{outcome="delivered"} 1.0' in counted
    assert "gieok_points_charged_total 1.0" in counted


def test_a_key_may_ask_so_often_and_another_is_not_held_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(tmp_path, monkeypatch, _OPTIONS._replace(per_minute=2)) as service:
        found = [service.client.get("/openapi.json", headers=token("kim")) for _ in range(3)]
        assert [one.status_code for one in found] == [200, 200, 429]
        assert [one.headers["RateLimit-Remaining"] for one in found] == ["1", "0", "0"]
        assert 1 <= int(found[-1].headers["Retry-After"]) <= 60
        assert service.client.get("/openapi.json", headers=token("lee")).status_code == 200


@pytest.mark.parametrize("kind", [StoreUnreachable, StoreBusy, StoreError])
def test_what_does_not_answer_now_says_when_to_ask_again(kind: type[StoreError]) -> None:
    answer = of_error(kind("it is away"))
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) >= 1
