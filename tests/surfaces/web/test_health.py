"""The page of health: marks, meters and pictures, each with its numbers, and what a person answers
there.
"""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

pytest.importorskip("jinja2")

from starlette.testclient import TestClient
from tests.support.daytime import find_noon_zone

from gieok.model.conversation import Incident
from gieok.processes.client import Daemon
from gieok.surfaces.cli import main
from gieok.surfaces.python import Memory
from gieok.surfaces.web.look import format_moment

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


def test_the_messages_of_every_scope_are_counted(
    browser: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "talk").mkdir()
    monkeypatch.setenv("GIEOK_OBSERVE_FOLDERS", str(tmp_path / "talk"))
    row = {"role": "user", "text": "We use tea.", "timestamp": "2026-11-10T09:00:00Z"}
    (tmp_path / "talk" / "a.jsonl").write_text(json.dumps(row) + "\n")
    Memory().run("observe run", once=True)
    Memory(scope="agent:helper").add("The helper closes tickets on Fridays.")
    browser.get("/scope?scope=agent:helper&back=/status")
    assert "1 message kept" in browser.get("/status").text


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
    assert "Prompts: 2; something was given at 1." in page
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


@pytest.fixture
def watching(browser: TestClient, tmp_path: Path) -> Iterator[TestClient]:
    """A browser over a home whose daemon is stopped at the end."""
    yield browser
    Daemon(tmp_path / "home").stop()


def _run(browser: TestClient, verb: str) -> str:
    token = re.search(r'X-Change-Token":"([0-9a-f]+)"', browser.get("/status").text)
    assert token
    page = browser.post(f"/status/run/{verb}", data={"token": token[1]})
    assert page.status_code == 200
    browser.app.state.site.jobs.wait()
    return browser.get("/status").text


def _daemon_card(page: str) -> str:
    return next(
        card
        for card in page.split('<div class="card">')
        if '<div class="meta">daemon</div>' in card
    )


def test_the_daemon_of_the_home_is_told_truly_and_started_by_a_button(
    watching: TestClient, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    off = "The daemon is off: none of these begins by itself until it runs."
    assert off in watching.get("/status").text
    before = _daemon_card(watching.get("/status").text)
    assert '<div class="figure">off</div>' in before
    assert 'action="/status/run/daemon"' in before
    after = _daemon_card(_run(watching, "daemon"))
    assert '<div class="figure">runs</div>' in after
    assert re.search(r"since \d{4}-\d\d-\d\d \d\d:\d\d<", after)
    assert "/status/run/daemon" not in after
    assert off not in watching.get("/status").text
    assert "daemon: runs" in watching.get("/status").text, "the command's own words say the same"
    capsysbinary.readouterr()
    main(["status", "--json"])
    told = json.loads(capsysbinary.readouterr()[0])["sidecar"]["daemon"]
    assert f"since {format_moment(told['since'], Memory().call.zone)}<" in after


def test_a_backup_is_made_by_a_button_and_what_it_did_is_shown(browser: TestClient) -> None:
    Memory().add("We lint with ruff.")
    assert '<div class="figure">–</div><div class="meta">last backup' in browser.get("/status").text
    page = _run(browser, "backup")
    assert 'chip good">done' in page
    assert '<div class="figure">–</div><div class="meta">last backup' not in page
    assert _run(browser, "nonsense").count('chip good">done') == 1, "the last job, and no other"


def test_documents_are_counted_over_all_scopes_and_schedules_are_said_in_words(
    browser: TestClient,
) -> None:
    Memory().add("We lint with ruff.")
    Memory(scope="agent:helper").add("The helper closes tickets on Fridays.")
    page = browser.get("/status").text
    assert '<div class="figure">2</div><div class="meta">texts remembered' in page
    assert '<td title="0 2 * * 0">every Sunday at 02:00</td>' in page
    korean = browser.get("/status", headers={"Accept-Language": "ko"}).text
    assert '<td title="0 2 * * 0">매주 일요일 02:00</td>' in korean


def test_an_observer_that_cannot_work_is_told_before_good_news(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_OBSERVE_MODEL", "anthropic:claude-haiku-4-5")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    page = browser.get("/status").text
    assert "observing stopped" in page
    assert "Nothing waits for you." not in page
