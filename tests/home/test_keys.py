"""Keys are found by tables and settings, kept without touching anything else, and tried where they
are used.
"""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gateway import Gateway
from hypothesis import given
from hypothesis import strategies as st
from key_server import GOOD, NEXT, SPENT, serving

from gieok.env_file import __file__, assigned
from gieok.errors import BadConfig, BadRequest
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.home.keys import HomeKeys, edit_env_text
from gieok.memory.observer.buffer import Step
from gieok.model.memory import Scope
from gieok.testing.model_server import ModelServer

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
_VARIABLES = (
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "COHERE_API_KEY",
    "MY_KEY",
    "SMTP_PASSWORD",
)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving() as made:
        yield made


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Call]:
    """Return a function that opens a context with settings."""
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    for name in _VARIABLES:
        monkeypatch.delenv(name, raising=False)
    return lambda **settings: open_call(
        {name.replace("__", "."): value for name, value in settings.items()}
    )


def _keys(call: Call) -> HomeKeys:
    found = call.home.keys
    assert isinstance(found, HomeKeys)
    return found


def _private(call: Call) -> Path:
    return call.home.folder / ".env"


def _verdicts(call: Call, name: str, value: str = "") -> dict[str, str]:
    keys = _keys(call)
    return {trial.name: trial.verdict.value for trial in keys.test(keys.row(name), value)}


def test_a_key_is_known_by_its_service_and_by_its_variable_with_the_settings_that_use_it(
    opened,
) -> None:
    keys = _keys(
        opened(observe__model="compatible:m", observe__key_variable="MY_KEY", embedder="openai")
    )
    assert keys.row("MY_KEY").used_by == ("observe.model",)
    assert keys.row("openai") == keys.row("OPENAI_API_KEY")
    assert keys.row("openai").used_by == ("embedder",)
    assert keys.row("gemini").used_by == ()
    assert _keys(opened(store="gemini")).row("gemini").used_by == ("store",)


def test_what_names_no_key_is_not_shown_for_it_may_be_one(opened) -> None:
    with pytest.raises(BadRequest) as failed:
        _keys(opened()).row("sk-this-is-a-key")
    assert "sk-this-is-a-key" not in str(failed.value) + failed.value.hint


def test_a_key_goes_into_a_private_file_and_every_other_line_stays(opened) -> None:
    call = opened()
    file = _private(call)
    file.parent.mkdir()
    before = (
        "# mine\r\nexport OPENAI_API_KEY='old'  \n\n#OPENAI_API_KEY=older\nOTHER=\"a b\"\nno line "
        "of ours\nLAST=1"
    )
    file.write_bytes(before.encode())
    file.chmod(0o644)
    keys = _keys(call)
    with pytest.raises(BadConfig, match="can be read by others"):
        keys.rows()
    file.chmod(0o600)
    assert keys.put(keys.row("openai"), "new") == str(file)
    assert file.read_bytes().decode() == before.replace(
        "OPENAI_API_KEY='old'  ", "OPENAI_API_KEY=new"
    )
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    keys.put(keys.row("smtp"), "p w")
    assert file.read_bytes().decode().endswith("LAST=1\nSMTP_PASSWORD=p w\n")
    assert keys.row("smtp").place == ".env"


_LINES = st.lists(
    st.sampled_from(["# note", "", "A=1", "export K=2", "K='3'", " K = 4 ", "KK=5", "K", 'B="x"']),
    max_size=8,
)
_ENDS = st.sampled_from(["\n", "\r\n"])


@given(
    _LINES,
    _ENDS,
    st.text(
        st.characters(min_codepoint=33, max_codepoint=0x3000, exclude_categories=["C", "Z"]),
        min_size=1,
    ),
)
def test_whatever_stands_there_the_key_is_read_back_once_and_the_rest_is_the_same(
    lines, end, value
) -> None:
    before = end.join(lines)
    try:
        after = edit_env_text(before, "K", value)
    except BadRequest:
        assert value[0] == value[-1] or value[0] in "\"'"
        return

    def others(text: str) -> list[str]:
        return [line for line in text.splitlines() if "K" not in assigned(line) and line]

    assert others(after) == others(before)
    assert [assigned(line)["K"] for line in after.splitlines() if "K" in assigned(line)] == [value]
    assert "K" not in {
        name for line in edit_env_text(after, "K", "").splitlines() for name in assigned(line)
    }


@pytest.mark.parametrize("value", ["a\nOTHER=1", "a\x0bb", "a\u2028b"])
def test_a_value_that_would_be_read_as_something_else_is_refused(value: str) -> None:
    with pytest.raises(BadRequest):
        edit_env_text("", "K", value)


def test_what_the_environment_sets_cannot_be_set_behind_its_back(opened, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "from-outside")
    keys = _keys(opened())
    assert keys.row("openai").place == "environment"
    with pytest.raises(BadRequest, match="OPENAI_API_KEY is set in the environment") as failed:
        keys.put(keys.row("openai"), "new")
    assert "from-outside" not in str(failed.value) + failed.value.hint


def test_each_key_is_tried_where_settings_use_it(opened, server: ModelServer) -> None:
    pytest.importorskip("pydantic_ai")
    call = opened(
        observe__model="compatible:m",
        observe__base_url=f"{server.url}/v1",
        observe__key_variable="MY_KEY",
        reranker="cohere",
        reranker__base_url=server.url,
    )
    assert _verdicts(call, "MY_KEY") == {"compatible": "missing"}
    assert _verdicts(call, "MY_KEY", GOOD) == {"compatible": "valid"}
    assert _verdicts(call, "MY_KEY", "key-bad-0000") == {"compatible": "invalid"}
    assert _verdicts(call, "MY_KEY", SPENT) == {"compatible": "quota"}
    assert _verdicts(call, "cohere", "key-bad-0000") == {"cohere": "invalid"}
    assert _verdicts(call, "cohere", SPENT) == {"cohere": "quota"}
    assert server.asked[-1] == "POST /v2/rerank"
    server.shutdown()
    server.server_close()
    assert _verdicts(call, "MY_KEY", GOOD) == {"compatible": "unreachable"}


def _refusing(status: int) -> object:
    return lambda body: (status, b'{"error": {"message": "no such thing"}}')


def test_a_request_that_fails_for_something_else_is_no_valid_key_unless_the_provider_lists_its_models(
    opened, server: ModelServer
) -> None:
    pytest.importorskip("pydantic_ai")
    server.script = [_refusing(404)]
    chosen = {"observe__model": "openai:no-such-model", "observe__base_url": f"{server.url}/v1"}
    keys = _keys(opened(**chosen))
    (trial,) = keys.test(keys.row("openai"), GOOD)
    assert trial.verdict.value == "valid"
    assert "but it answered 404: check `observe.model`" in trial.said
    assert server.asked == ["POST /v1/chat/completions", "GET /v1/models"]


@pytest.mark.parametrize("status", [400, 404, 422])
def test_what_says_nothing_of_a_key_is_not_tried(opened, server: ModelServer, status: int) -> None:
    pytest.importorskip("pydantic_ai")
    server.script = [_refusing(status)]
    own = opened(
        observe__model="compatible:m",
        observe__base_url=f"{server.url}/x",
        observe__key_variable="MY_KEY",
    )
    assert _verdicts(own, "MY_KEY", GOOD) == {"compatible": "untried"}
    elsewhere = opened(reranker="cohere", reranker__base_url=f"{server.url}/nowhere")
    (trial,) = _keys(elsewhere).test(_keys(elsewhere).row("cohere"), GOOD)
    assert trial.verdict.value == "untried"
    assert "does not say whether it takes the key" in trial.said


def test_the_keys_of_characters_are_used_and_tried(opened, server: ModelServer) -> None:
    pytest.importorskip("pydantic_ai")
    call = opened(character__model="openai:m", character__base_url=f"{server.url}/v1")
    keys = _keys(call)
    assert keys.row("openai").used_by == ("character.model",)
    assert _verdicts(call, "openai", GOOD) == {"openai": "valid"}


def test_a_key_that_two_services_use_is_tried_with_both(opened, server: ModelServer) -> None:
    pytest.importorskip("pydantic_ai")
    call = opened(
        observe__model="openai:m",
        observe__base_url=f"{server.url}/v1",
        reflect__model="openai:m",
        reflect__base_url=f"{server.url}/v1",
        embedder="openai",
        embedder__model="e",
        embedder__base_url=f"{server.url}/v1",
    )
    keys = _keys(call)
    keys.test(keys.row("openai"), GOOD)
    assert server.asked == ["POST /v1/chat/completions", "POST /v1/embeddings"]


def test_no_trial_shows_a_key(opened, server: ModelServer) -> None:
    call = opened(reranker="cohere", reranker__base_url=server.url)
    keys = _keys(call)
    trials = [*keys.test(keys.row("cohere"), "key-bad-0000"), *keys.test(keys.row("cohere"), SPENT)]
    assert not {"key-bad-0000", SPENT} & {
        word for trial in trials for word in json.dumps(trial).split()
    }
    assert "key-bad" not in json.dumps(trials)


def test_the_token_of_a_gateway_is_tried_without_a_word_to_anybody(opened, tmp_path: Path) -> None:
    gateway = Gateway()
    try:
        call = opened(
            notify__to="openclaw", notify__openclaw_url=f"http://127.0.0.1:{gateway.port}"
        )
        assert _verdicts(call, "openclaw") == {"openclaw": "missing"}
        assert _verdicts(call, "openclaw", "another") == {"openclaw": "invalid"}
        assert _verdicts(call, "openclaw", "hooktoken-abcdef-123456") == {"openclaw": "valid"}
        assert gateway.took == []
    finally:
        gateway.close()


def test_a_sidecar_that_runs_asks_with_the_new_key_at_its_next_call(
    opened, server: ModelServer, tmp_path: Path
) -> None:
    pytest.importorskip("pydantic_ai")
    folder = tmp_path / "t"
    folder.mkdir()
    server.script = [
        "<observations>\nDate: 2026-11-22\n* 🔴 (12:00) [decision] We use Redis {1}\n</observations>"
    ]
    call = opened(
        observe__model="openai:m",
        observe__base_url=f"{server.url}/v1",
        observe__agents="none",
        observe__folders=str(folder),
        embedder="none",
    )
    keys, sidecar, scope = _keys(call), call.home.sidecar, Scope("agent:main")
    for number, key in enumerate((GOOD, NEXT)):
        keys.put(keys.row("openai"), key)
        row = {
            "role": "user",
            "content": f"We decided on plan {number}.",
            "timestamp": f"2026-11-22T12:0{number}:00Z",
        }
        (folder / f"{number}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
        sidecar.capture_all()
        assert sidecar.observe(scope, flush=True) is Step.OBSERVED
    assert list(dict.fromkeys(server.keys)) == [GOOD, NEXT]
    call.home.journal.close()
    call.home.store.close()


_RING = """import json, pathlib
from keyring.backend import KeyringBackend

class Ring(KeyringBackend):
    priority = 1
    file = pathlib.Path({file!r})

    def _all(self):
        return json.loads(self.file.read_text()) if self.file.exists() else {{}}

    def get_password(self, service, name):
        return self._all().get(service + "/" + name)

    def set_password(self, service, name, value):
        self.file.write_text(json.dumps({{**self._all(), service + "/" + name: value}}))
"""


def test_the_systems_keyring_holds_keys_where_it_is_chosen(tmp_path: Path) -> None:
    """In a process of its own, whose keyring is a file."""
    pytest.importorskip("keyring")
    ring = _RING.format(file=str(tmp_path / "ring.json"))
    (tmp_path / "ring.py").write_text(ring, encoding="utf-8")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "GIEOK_HOME": str(tmp_path / "home"),
        "GIEOK_KEYS_STORE": "keyring",
        "PYTHONPATH": f"{Path(__file__).parents[1]}{os.pathsep}{tmp_path}",
        "PYTHON_KEYRING_BACKEND": "ring.Ring",
        "LANG": "C.UTF-8",
    }

    def gieok(*words: str, given: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "gieok", *words]
        return subprocess.run(
            command,
            env=environment | more,
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )

    assert gieok("keys", "set", "openai", given="old\n", GIEOK_KEYS_STORE="file").returncode == 0
    assert (
        "in the system's keyring"
        in gieok("keys", "set", "openai", given="key-in-the-ring\n").stdout
    )
    assert "OPENAI" not in (tmp_path / "home" / ".env").read_text()
    assert json.loads((tmp_path / "ring.json").read_text()) == {
        "gieok/OPENAI_API_KEY": "key-in-the-ring"
    }
    (row,) = [
        row
        for row in json.loads(gieok("keys", "list", "--json").stdout)["keys"]
        if "openai" in row["names"]
    ]
    assert row["place"] == "keyring"
    seen = (
        "from gieok.settings.values import load_effective_settings; "
        "print(load_effective_settings({}).secret('OPENAI_API_KEY'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", seen], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "key-in-the-ring\n"
    locked = gieok("keys", "list", PYTHON_KEYRING_BACKEND="keyring.backends.fail.Keyring")
    assert locked.returncode == 2
    assert "keyring cannot be used" in locked.stderr
