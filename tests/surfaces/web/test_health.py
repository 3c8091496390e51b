"""The page of health: marks, meters and pictures, each with its numbers, and what a person answers
there.
"""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

pytest.importorskip("jinja2")

from starlette.testclient import TestClient
from tests.support.daytime import find_noon_zone

from gieok.model.conversation import Incident
from gieok.surfaces.python import Memory

NOW = datetime.now(UTC)


def test_what_waits_is_said_with_where_and_next(browser: TestClient) -> None:
    memory = Memory()
    failed = Incident(
        "observer",
        "<i>model</i> answered 500",
        NOW - timedelta(hours=2),
        3,
        NOW + timedelta(hours=1),
    )
    memory.call.home.journal.raise_incident(failed)
    page = browser.get("/status", headers={"Accept-Language": "ko"}).text
    assert "&lt;i&gt;model&lt;/i&gt;의 답: 500" in page
    assert "3번 시도" in page
    assert "모델을 확인하세요" in page
    assert "/ 한도 1,000,000" in page


def test_every_part_is_proved_on_demand_and_marked(browser: TestClient) -> None:
    assert "write, read back, search" not in browser.get("/status").text
    for path in ("/status/checks", "/status?deep=1"):
        page = browser.get(path).text
        assert "write, read back, search" in page
        assert 'aria-label="works"' in page


def test_pictures_have_their_numbers_beside_them_and_no_styles_of_their_own(
    browser: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    zone, today = find_noon_zone()
    monkeypatch.setenv("GIEOK_ZONE", zone)
    memory = Memory()
    memory.add("We deploy on Mondays.")
    memory.add("Payments are retried three times.")
    home = tmp_path / "home"
    (home / "labels.jsonl").write_text(
        json.dumps({"prompt": "When do we deploy?", "expect": ["we-deploy-on-mondays"]})
    )
    (home / "hook").mkdir(exist_ok=True)
    at = round(NOW.timestamp() * 1000)
    rows = [
        {"at": at, "event": "prompt", "high": 1, "ms": 9.0},
        {"at": at, "event": "prompt", "ms": 7.0},
    ]
    (home / "hook" / "calls.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    page = browser.get("/status?whole=1").text
    assert page.count('role="img"') >= 5, "three curves, the weeks of the hook, how right it was"
    assert "2 prompts in all; something was given at 1" in page
    assert "style=" not in page
    assert f"<td>{today}</td><td" in browser.get("/status/growth").text


def test_an_answer_that_cannot_be_given_is_an_error_and_not_good_news(browser: TestClient) -> None:
    page = browser.get("/status").text
    token = page.partition('X-Change-Token":"')[2].partition('"')[0]
    answered = browser.post("/archive/approve", data={"token": token, "what": "2020-01-01"})
    assert answered.status_code == 400
    assert "there is no cold tier" in answered.text
    assert 'role="alert"' in answered.text
    assert "model tokens today" in answered.text
