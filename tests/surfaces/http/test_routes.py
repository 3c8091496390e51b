"""Every route: refused without a good key, and as its description says."""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import Phase, given, settings
from hypothesis.errors import Unsatisfiable
from hypothesis.strategies import SearchStrategy
from served import NOW, SECRET, Served, bearer, served, token

from gieok.surfaces.http.operations import FITTING, path_of
from gieok.surfaces.http.options import HttpOptions, TokenOptions

if TYPE_CHECKING:  # takes long to import, and each worker would at collection
    import schemathesis

_OPTIONS = HttpOptions(tokens=TokenOptions(SECRET), hosts=("testserver",))
_OPEN = {"/health", "/ready", "/api/webhooks/points"}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with (
        pytest.MonkeyPatch.context() as patch,
        served(tmp_path_factory.mktemp("home"), patch, _OPTIONS) as found,
    ):
        yield found


def _routes(service: Served) -> Iterator[tuple[str, str]]:
    for path, methods in service.app.openapi()["paths"].items():
        yield from ((method.upper(), path) for method in methods)


def test_no_route_opens_without_a_key_that_is_good(service: Served) -> None:
    key, text = service.house.identity.issue("kim")
    service.house.identity.revoke("kim", key.id)
    good = token("kim")["Authorization"]
    wrong = {
        "none": {},
        "expired": token("kim", exp=NOW.timestamp() - 60),
        "tampered": {"Authorization": good[:-3] + ("aaa" if not good.endswith("aaa") else "bbb")},
        "another secret": token("kim", secret="x" * 40),
        "revoked": bearer(text),
    }
    for method, path in _routes(service):
        for what, headers in {} if path in _OPEN else wrong.items():
            found = service.client.request(method, re.sub(r"\{\w+\}", "x", path), headers=headers)
            said = found.json().get("error", found.json())
            assert (found.status_code, said["code"]) == (401, "unauthorized"), (method, path, what)


def test_operations_open_to_the_owner_alone(service: Served) -> None:
    for path in ("/api/operations", *map(path_of, FITTING)):
        for headers in (service.key("kim"), service.key("")):
            found = service.client.request(
                "POST" if path.count("/") > 2 else "GET", path, headers=headers
            )
            assert (found.status_code, found.json()["code"]) == (403, "forbidden"), path


def test_every_route_is_as_described(service: Served) -> None:
    import schemathesis

    admin, user = service.key(""), service.key("kim")
    described = schemathesis.openapi.from_asgi("/openapi.json", service.app, headers=user)
    for found in described.get_all_operations():
        operation = found.ok()
        # what is wrong there, `test_operations` sends
        is_own = operation.path.startswith("/api/operations")
        headers = admin if operation.path.startswith(("/api/admin", "/metrics")) else user
        headers = service.owner if is_own else headers
        modes = list(schemathesis.GenerationMode)[: 2 if operation.body and not is_own else 1]
        for mode in modes:
            with suppress(Unsatisfiable):  # nothing is sent, so nothing can be wrong
                _check(operation.as_strategy(generation_mode=mode), headers)


def _check(cases: "SearchStrategy[schemathesis.Case]", headers: dict[str, str]) -> None:
    from schemathesis.checks import negative_data_rejection, positive_data_acceptance

    @settings(
        max_examples=1,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
    )
    @given(cases)
    def holds(case: "schemathesis.Case") -> None:
        # A zone may be none although it looks like one; what nobody asked for (?more=1) is left
        # alone.
        case.call_and_validate(
            headers=headers, excluded_checks=[positive_data_acceptance, negative_data_rejection]
        )

    holds()
