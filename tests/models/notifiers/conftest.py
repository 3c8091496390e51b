from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from gateway import Gateway
from plain_settings import PlainSettings

from gieok.opening import ChannelOpening
from gieok.testing import ManualClock

Opening = Callable[..., ChannelOpening]


@pytest.fixture
def user(tmp_path: Path) -> Path:
    return tmp_path / "user"


@pytest.fixture
def opening(user: Path) -> Opening:
    """Return a function that makes an opening: settings by name, secrets and variables of the
    environment.
    """

    def made(
        settings: dict[str, str] | None = None,
        secrets: dict[str, str] | None = None,
        environment: dict[str, str] | None = None,
        timeout_s: float = 10.0,
        key_variable: str = "",
    ) -> ChannelOpening:
        usual = {"smtp_port": "0", "smtp_security": "starttls"}
        return ChannelOpening(
            settings=PlainSettings({**usual, **(settings or {})}, secrets or {}),
            environment=environment or {},
            user=user,
            log=user / "gieok" / "daemon.log",
            clock=ManualClock(datetime(2026, 11, 22, 12, tzinfo=UTC)),
            timeout_s=timeout_s,
            zone=timezone(timedelta(hours=9)),
            key_variable=key_variable,
            key_hint=f"write {key_variable}",
        )

    return made


@pytest.fixture
def gateway() -> Iterator[Gateway]:
    made = Gateway(mappings=("oc-memory-alert",))
    yield made
    made.close()
