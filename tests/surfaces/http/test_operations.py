"""Every operation that fits over HTTP, called by a client that is made from the OpenAPI
document.
"""

import json
import subprocess
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx2
import pytest
import world as worlds
from results import check_result
from served import bearer

from gieok import paths
from gieok.commands import NAMES, load_command
from gieok.commands.command import Surface
from gieok.commands.request import check_request
from gieok.errors import decode_phrase
from gieok.surfaces import parser
from gieok.surfaces.http.operations import ELSEWHERE, FITTING, FIXED, path_of

if TYPE_CHECKING:  # takes long to import, and each worker would at collection
    import aiopenapi3

#: How long a test waits for an answer before it fails, in seconds: a machine may be busy.
_PATIENCE_S = 60


class _Served(NamedTuple):
    world: worlds.World
    url: str
    headers: dict[str, str]

    def post(self, name: str, **values: object) -> httpx2.Response:
        place = {"folder": str(self.world.project)}
        return httpx2.post(
            self.url + path_of(name),
            params=place,
            headers=self.headers,
            content=json.dumps(values),
            timeout=_PATIENCE_S,
        )


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Served]:
    """Serve a world, from a folder that is none of its own."""
    world = worlds.make(tmp_path_factory.mktemp("user"))
    environment = world.environment(GIEOK_EMBEDDER="none", EDITOR=f"touch {world.user / 'opened'}")
    command = [*worlds.GIEOK, "serve", "--port", "0"]
    with subprocess.Popen(
        command, env=environment, cwd="/", stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr
        try:
            port = int(server.stderr.readline().split()[2].rpartition(":")[2])
            headers = bearer(paths.locate_owner_token(world.home).read_text())
            yield _Served(world, f"http://127.0.0.1:{port}", headers)
        finally:
            server.terminate()


@pytest.fixture(scope="module")
def client(service: _Served) -> "aiopenapi3.OpenAPI":
    """Return a client that knows the document and the token, and nothing else."""
    import aiopenapi3

    document = httpx2.get(
        f"{service.url}/openapi.json", headers=service.headers, timeout=_PATIENCE_S
    ).text
    found = aiopenapi3.OpenAPI.loads(f"{service.url}/openapi.json", document, _session)
    found.authenticate(owner=service.headers["Authorization"].removeprefix("Bearer "))
    return found


def _session(*given: Any, **named: Any) -> httpx2.Client:
    return httpx2.Client(*given, **{**named, "timeout": _PATIENCE_S})


def _values(world: worlds.World, name: str) -> dict[str, Any]:
    """Return the parameters that the words of the world's call are."""
    words = tuple(word.format(notes=world.notes) for word in worlds.CALLS[name])
    given = parser.values(
        load_command(name), parser.of_command(name, "en", lambda error: 2).parsed(words)
    )
    asked = check_request(load_command(name), given, Surface.CLI)
    return {field.rstrip("_"): value for field, value in asked.items()}


def test_a_client_made_from_the_document_calls_every_operation(
    service: _Served, client: "aiopenapi3.OpenAPI"
) -> None:
    import aiopenapi3

    answers: dict[str, Any] = {}
    for name in filter(FITTING.__contains__, worlds.CALLS):
        call = getattr(client._, name.replace(" ", "_").replace("-", "_"))
        try:
            _, _, answer = call.request(
                data=_values(service.world, name), parameters={"folder": str(service.world.project)}
            )
        except aiopenapi3.errors.HTTPError as error:
            answers[name] = error.status_code
            continue
        check_result(name, answer.json())
    assert answers.keys() <= worlds.NEEDING, answers
    assert set(answers.values()) <= {400, 404}


@pytest.mark.parametrize("name", ["search", "list", "config show"])
def test_an_answer_is_what_the_command_line_prints(
    service: _Served, client: "aiopenapi3.OpenAPI", name: str
) -> None:
    del client
    where = {"cwd": service.world.project, "env": service.world.environment(GIEOK_EMBEDDER="none")}
    done = subprocess.run(
        service.world.command(name, "--json"), capture_output=True, check=False, **where
    )
    assert service.post(name, **_values(service.world, name)).json() == json.loads(done.stdout)


@pytest.mark.parametrize(
    ("name", "values", "status", "detail", "hint"),
    [
        ("search", {"quer": "x"}, 400, "unknown argument 'quer'", "arguments: query"),
        ("search", {"limit": "3"}, 400, "limit is '3'", "of type integer"),
        ("search", {"query": ["x", 3]}, 400, "query is ['x', 3]", "of type string"),
        ("search", {"source": "web"}, 400, "source is 'web'", "one of: all, memory"),
        ("search", {"limit": 10**30}, 400, "limit is 1000", "at most"),
        ("remember", {"text": "\ud800"}, 400, "text holds what no file can keep", "surrogate"),
        ("remember", {"text": "x", "tags": "\0"}, 400, "tags holds what no file can keep", "NUL"),
        ("index", {"paths": ["x" * 300]}, 400, "no file can have this name", "255 bytes"),
        ("hook measure", {"file": "~", "add": "x", "expect": "y"}, 400, "is no file", "labels"),
        ("get", {}, 400, "path is missing", "gieok get"),
        ("index", {"watch": True}, 400, "watch is True", "always false"),
        ("forget", {"match": "결제"}, 400, "nobody can be asked", "give --yes"),
        ("up", {}, 404, "not called over HTTP: it starts or ends processes", "command line"),
        ("serch", {}, 404, "no operation 'serch'", "did you mean /api/operations/search?"),
    ],
)
def test_what_cannot_be_done_is_a_problem_that_names_it(
    service: _Served, name: str, values: dict[str, object], status: int, detail: str, hint: str
) -> None:
    if name == "forget":  # which asks only where there is something
        service.post("index", paths=[str(service.world.notes)])
    found = service.post(name, **values)
    problem = found.json()
    assert (found.status_code, found.headers["content-type"]) == (
        status,
        "application/problem+json",
    )
    assert detail in problem["detail"]
    assert hint in problem["hint"]
    of_hint = {"template": problem["hint_template"], "values": problem["hint_values"]}
    assert decode_phrase(problem) == problem["detail"]
    assert decode_phrase(of_hint) == problem["hint"]


def test_a_problem_names_its_template_and_values(service: _Served) -> None:
    problem = service.post("serch").json()
    assert problem["template"] == "there is no operation {name!r}"
    assert problem["values"] == {"name": "serch"}
    assert problem["hint_template"] == "did you mean {path}?"
    assert problem["hint_values"] == {"path": "/api/operations/search"}


@pytest.mark.parametrize("number", ["NaN", "1e999", "-1e999"])
def test_a_number_that_json_cannot_say_is_a_problem(service: _Served, number: str) -> None:
    body = f'{{"query": ["x"], "min_score": {number}, "limit": {number}}}'
    headers = {**service.headers, "content-type": "application/json"}
    found = httpx2.post(
        service.url + path_of("search"), headers=headers, content=body, timeout=_PATIENCE_S
    )
    assert found.status_code == 400
    assert " is " in found.json()["detail"]
    assert decode_phrase(found.json()) == found.json()["detail"]


def test_who_is_nowhere_gives_absolute_paths(service: _Served) -> None:
    def post(
        name: str, folder: str = "", scope: str = "", **values: object
    ) -> tuple[int, dict[str, Any]]:
        place = {"folder": folder, "scope": scope}
        found = httpx2.post(
            service.url + path_of(name),
            params=place,
            headers=service.headers,
            json=values,
            timeout=_PATIENCE_S,
        )
        return found.status_code, found.json()

    assert "relative path" in post("index", paths=["notes"])[1]["detail"]
    assert "no folder" in post("code init")[1]["detail"]
    assert post("index", paths=str(service.world.notes), scope="agent:other")[0] == 200
    assert (
        post("index", paths="notes", folder=str(service.world.user), scope="agent:other")[0] == 200
    )
    assert (
        post("search", query="VLAN", scope="agent:other")[1]["results"][0]["scope"] == "agent:other"
    )
    for wrong in ({"scope": "nobody"}, {"folder": "notes"}, {"folder": "/nowhere"}):
        status, problem = post("search", query="VLAN", **wrong)
        assert (status, problem["code"]) == (400, "bad_request")


def test_no_editor_opens_on_the_server(service: _Served) -> None:
    assert service.post("index", paths=str(service.world.notes)).status_code == 200
    (hit,) = service.post("search", query="VLAN", limit=1).json()["results"]
    found = service.post("edit", handle=hit["handle"])
    assert found.status_code == 400
    assert not (service.world.user / "opened").exists()


@pytest.mark.parametrize("body", [b"{", b"[]", b'"x"', b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_object_is_refused(service: _Served, body: bytes) -> None:
    found = httpx2.post(
        service.url + path_of("status"),
        headers=service.headers,
        content=body,
        timeout=_PATIENCE_S,
    )
    assert found.status_code == 400


def test_the_list_has_every_operation_and_why_one_is_not_here(service: _Served) -> None:
    korean = {**service.headers, "Accept-Language": "ko-KR,ko;q=0.9"}
    rows = {
        row["name"]: row
        for row in httpx2.get(
            f"{service.url}/api/operations", headers=korean, timeout=_PATIENCE_S
        ).json()
    }
    assert list(rows) == list(NAMES)
    assert {name for name, row in rows.items() if row["elsewhere"]} == set(ELSEWHERE)
    for name, row in rows.items():
        assert row["path"] == (None if name in ELSEWHERE else path_of(name))
        assert row["doc"] == load_command(name).doc.say("ko")


def test_what_has_one_value_is_a_parameter_and_what_never_ends_is_elsewhere() -> None:
    for name, fixed in FIXED.items():
        assert fixed.keys() <= {field.name for field in load_command(name).parameters}
    assert {name for name in NAMES if load_command(name).is_endless} <= {*ELSEWHERE, *FIXED}
