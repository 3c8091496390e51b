"""The owner's token: what it opens, and what it does not."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from served import SECRET, Served, bearer, served, token

from gieok import paths
from gieok.errors import BadConfig
from gieok.processes.gate import CHANGE_HEADER, COOKIE, Gate, ensure_owner_token
from gieok.surfaces.http.options import HttpOptions, TokenOptions

_OPTIONS = HttpOptions(tokens=TokenOptions(SECRET), per_minute=2)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with (
        pytest.MonkeyPatch.context() as patch,
        served(tmp_path_factory.mktemp("home"), patch, _OPTIONS) as found,
    ):
        yield found


def _statuses(service: Served, headers: Mapping[str, str | bytes]) -> list[int]:
    paths = ("/openapi.json", "/metrics", "/api/account", "/api/admin/users/kim/keys")
    return [service.client.get(path, headers=headers).status_code for path in paths]


def test_the_token_is_made_once_and_is_private(tmp_path: Path) -> None:
    made = ensure_owner_token(tmp_path / "home")
    file = paths.locate_owner_token(tmp_path / "home")
    assert made == ensure_owner_token(tmp_path / "home") == file.read_text()
    assert (made[:3], len(made), file.stat().st_mode & 0o777) == ("go_", 46, 0o600)


def test_a_file_without_a_token_opens_nothing_and_says_so(tmp_path: Path) -> None:
    paths.locate_owner_token(tmp_path).write_text("\n")
    with pytest.raises(BadConfig, match="holds no token"):
        Gate(tmp_path, lambda: 0.0)


def test_the_owner_sees_what_is_of_the_server_and_nothing_of_a_user_and_has_no_rate(
    service: Served,
) -> None:
    for _ in range(3):
        assert _statuses(service, service.owner) == [200, 200, 403, 403]


def test_a_page_of_an_open_session_counts_as_the_owner(service: Served) -> None:
    cookie = service.gate.enter(service.gate.link_code())
    session = {"Cookie": f"{COOKIE}={cookie}"}
    own = session | {CHANGE_HEADER: service.gate.change_token(cookie)}
    assert _statuses(service, own)[:2] == [200, 200]
    assert service.client.post("/api/operations/config/show", headers=own).status_code == 200
    assert service.client.post("/api/operations/config/show", headers=session).status_code == 401
    for wrong in ({}, {CHANGE_HEADER: "0" * 64}, {CHANGE_HEADER: b"\xe9"}):
        assert _statuses(service, session | wrong)[:2] == [401, 401]


@pytest.mark.parametrize("wrong", ["go_", "go_" + "a" * 43, "gk_", "", "\xe9"])
def test_another_token_opens_nothing(service: Served, wrong: str) -> None:
    assert (
        _statuses(service, {"Authorization": bearer(wrong)["Authorization"].encode("latin-1")})
        == [401] * 4
    )


def test_keys_and_tokens_of_users_do_not_see_what_is_the_servers(service: Served) -> None:
    assert _statuses(service, token("kim"))[1] == 403


def test_the_token_is_in_no_log(service: Served, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    _statuses(service, service.owner)
    assert service.owner["Authorization"].partition(" ")[2] not in caplog.text
