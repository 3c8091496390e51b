"""The HTTP API over a home of its own, in this process."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import jwt
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from gieok.character.house import House
from gieok.home.calls import open_call
from gieok.home.resident import Resident
from gieok.model.accounts import KeyRole
from gieok.processes.gate import Gate, ensure_owner_token
from gieok.surfaces.http.app import create_http_app
from gieok.surfaces.http.options import HttpOptions, TokenOptions
from gieok.surfaces.python import Memory
from gieok.surfaces.web.routes import routes
from gieok.surfaces.web.site import MemorySite
from gieok.testing.clock import ManualClock

SECRET = "a secret of thirty-two bytes, or more"
WEBHOOK = "what a payment service signs with, long"
#: Tokens are signed by the clock of the test.
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Served(NamedTuple):
    """A client without keys, and what is behind it."""

    client: TestClient
    app: FastAPI
    house: House
    clock: ManualClock
    home: Path
    gate: Gate

    @property
    def owner(self) -> dict[str, str]:
        """Return headers with the owner's token."""
        return bearer(ensure_owner_token(self.home))

    def key(self, user: str) -> dict[str, str]:
        """Return headers with a new key of a user; '' for an admin's."""
        role = KeyRole.USER if user else KeyRole.ADMIN
        return bearer(self.house.identity.issue(user, role)[1])


def bearer(text: str) -> dict[str, str]:
    """Return the header of a token or a key."""
    return {"Authorization": f"Bearer {text}"}


def token(user: str, secret: str = SECRET, **claims: Any) -> dict[str, str]:
    """Return headers with a signed token."""
    stated = {"sub": user, "exp": NOW + timedelta(hours=1), **claims}
    return bearer(
        jwt.encode({name: one for name, one in stated.items() if one is not None}, secret, "HS256")
    )


@contextmanager
def served(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: HttpOptions | None = None,
    *,
    has_pages: bool = False,
    **settings: object,
) -> Iterator[Served]:
    """Serve a home without vectors; `settings` are variables without `GIEOK_`."""
    for name, value in {
        "HOME": home,
        "EMBEDDER": "none",
        "OBSERVE_AGENTS": "none",
        **settings,
    }.items():
        monkeypatch.setenv(f"GIEOK_{name}", str(value))
    monkeypatch.setenv("HOME", str(home))  # operations install, export and look for agents there
    monkeypatch.setenv("POINTS_WEBHOOK_KEY", WEBHOOK)
    clock = ManualClock(NOW)
    opened = open_call({}, clock=clock, zone=UTC).home
    house = opened.house
    gate = Gate(home, NOW.timestamp)
    shared = Resident()
    site = MemorySite(lambda scope: Memory(scope=scope, resident=shared, has_daemon=True), gate)
    pages = routes(site) if has_pages else ()
    asked = options or HttpOptions(tokens=TokenOptions(SECRET))
    app = create_http_app(lambda: house, opened.stores.limiter, asked, gate, pages, shared)
    with TestClient(app, base_url="http://localhost") as client:
        yield Served(client, app, house, clock, home, gate)
    house.memory.journal.close()
    house.memory.store.close()
    house.accounts.close()
