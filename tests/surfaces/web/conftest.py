"""A browser that was let in, over HTTP; its memory is empty."""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("jinja2")

from starlette.applications import Starlette
from starlette.testclient import TestClient

from gieok.home.resident import Resident
from gieok.processes.gate import Gate
from gieok.surfaces.python import Memory
from gieok.surfaces.web.routes import routes
from gieok.surfaces.web.site import MemorySite


class Clock:
    """Seconds that a test sets."""

    now_s = 1_000_000.0


@pytest.fixture
def clock() -> type[Clock]:
    return Clock


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(tmp_path / "home", lambda: Clock.now_s)


@pytest.fixture
def browser(tmp_path: Path, gate: Gate, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """A browser that was let in by a link; its memory is empty."""
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.setenv("GIEOK_OBSERVE_AGENTS", "none")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    shared = Resident()
    site = MemorySite(lambda scope: Memory(scope=scope, resident=shared, has_daemon=True), gate)
    app = Starlette(routes=routes(site))
    app.state.site = site
    with TestClient(app, base_url="http://localhost") as client:
        assert (
            client.get(f"/open?code={gate.link_code()}", follow_redirects=False).status_code == 303
        )
        yield client
