"""A home moves to another embedder and back: the vectors that are there answer until the others are
complete.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("tokenizers")

import tiny_models

from gieok import registry
from gieok.commands import load_command
from gieok.errors import EmbedderFailed
from gieok.flow import lifecycle
from gieok.home.calls import open_call
from gieok.home.resident import Resident
from gieok.testing import HashEmbedder
from gieok.testing.embedding_server import EmbeddingServer

_NOTES = {
    "pay.md": "# 결제\n\n결제는 매주 화요일에 정산한다.\n",
    "cat.md": "# 고양이\n\n우리 고양이는 나비라고 부른다.\n",
}
_QUESTION = ["결제는 언제 정산하지?"]


def _numbers(text: str) -> list[float]:
    import struct

    raw = HashEmbedder(16).embed_query(text.removeprefix("query: ").removeprefix("passage: "))
    return list(struct.unpack("<16f", raw))


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    made = EmbeddingServer(_numbers)
    yield made
    made.shutdown()
    made.server_close()


class _Home:
    def __init__(self, folder: Path, server: EmbeddingServer) -> None:
        self.folder, self.server = folder, server
        self.config = folder / "home" / "config.yaml"
        self.config.parent.mkdir(mode=0o700)
        self.notes = folder / "notes"
        self.notes.mkdir()
        for name, text in _NOTES.items():
            (self.notes / name).write_text(text, encoding="utf-8")

    def use(self, **settings: object) -> None:
        lines = {name.replace("__", "."): value for name, value in settings.items()}
        self.config.write_text(json.dumps(lines), encoding="utf-8")

    def ollama(self, model: str = "bge-m3", **more: object) -> None:
        self.use(
            embedder="ollama", embedder__model=model, embedder__base_url=self.server.url, **more
        )

    def call(self, name: str, resident: Resident | None = None, **values: object):
        found = load_command(name)
        call = open_call({}, folder=self.folder, resident=resident, wait=lambda seconds: None)
        return found(call, **values)

    def search(self, **values: object):
        return self.call("search", query=_QUESTION, min_score=0.0, **values)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: EmbeddingServer) -> _Home:
    for name, value in {"HOME": tmp_path, "GIEOK_HOME": tmp_path / "home"}.items():
        monkeypatch.setenv(name, str(value))
    made = _Home(tmp_path, server)
    made.ollama()
    made.call("index", paths=[str(made.notes)])
    return made


def _active(home: _Home) -> str:
    store = open_call({}, folder=home.folder).home.store
    return store.active_model()[0]


def test_a_search_finds_by_the_vectors_of_a_service(home: _Home) -> None:
    found = home.search()
    assert found.results[0].path.endswith("pay.md")
    assert found.degraded is None
    assert _active(home) == "ollama:bge-m3"
    assert home.call("status").state == "synced"


def test_a_call_opens_a_model_once(home: _Home, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    monkeypatch.setattr(
        registry,
        "load_backend",
        lambda rows, name, load=registry.load_backend: opened.append(name) or load(rows, name),
    )
    opened_home = open_call({}, folder=home.folder).home
    for embedder in (
        opened_home.open_embedder(),
        opened_home.open_embedder(),
        opened_home.open_embedder().of(opened_home.store),
    ):
        assert embedder.embed_query("When do I pay?")
    assert opened.count("ollama") == 1


def test_until_a_switch_is_done_the_old_vectors_answer_and_search_says_so(
    home: _Home, tmp_path: Path
) -> None:
    before = home.search().results
    pooling = {"1_Pooling__config": {"pooling_mode_mean_tokens": True}}
    folder = tiny_models.embedding(tmp_path / "tiny", **pooling)
    home.use(embedder="onnx", embedder__model=str(folder))
    meanwhile = home.search()
    assert [hit.path for hit in meanwhile.results] == [hit.path for hit in before]
    assert "vectors are of 'ollama:bge-m3'" in meanwhile.degraded
    assert "gieok index --rebuild" in meanwhile.degraded
    status = home.call("status")
    assert (status.switch.from_, status.switch.done, status.switch.of) == ("ollama:bge-m3", 0, 2)
    assert "벡터는 ollama:bge-m3의 것" in status.switch.words().say("ko")
    (home.notes / "new.md").write_text("# 새 글\n\n새 서버는 서울에 있다.\n", encoding="utf-8")
    assert "gieok index --rebuild" in home.call("index").note, (
        "new notes get vectors of the model that answers"
    )
    assert home.call("status").stats.vectors == 3
    assert home.call("index", rebuild=True).embedded == 3
    assert _active(home).startswith("onnx:tiny@")
    after = home.search()
    assert after.degraded is None
    assert after.results[0].path.endswith("pay.md")
    assert home.call("status").switch is None


def test_there_and_back_again_gives_what_was_there_before(home: _Home) -> None:
    before = home.search()
    home.ollama("e5-other")
    home.call("index", rebuild=True)
    assert _active(home).startswith("ollama:e5-other#"), "its prompts are part of the name"
    home.ollama()
    home.call("index", rebuild=True)
    after = home.search()
    assert [(hit.path, hit.score) for hit in after.results] == [
        (hit.path, hit.score) for hit in before.results
    ]


def test_a_switch_that_was_killed_goes_on_where_it_stopped(
    home: _Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(20):
        (home.notes / f"{n}.md").write_text(
            f"# {n}\n\nNote number {n} on its own.\n", encoding="utf-8"
        )
    home.call("index")
    home.ollama("other")
    monkeypatch.setattr(lifecycle, "_BATCH", 4)
    home.server.requests.clear()
    home.server.embed = lambda text: _numbers(text) if len(home.server.requests) < 4 else 1 / 0
    with pytest.raises(EmbedderFailed):
        home.call("index", rebuild=True)
    half = home.call("status").switch
    assert 0 < half.done < half.of
    assert home.server.requests[-1][1]["model"] == "other"
    home.server.embed = _numbers
    assert home.search().results, "the old vectors answer"
    home.server.requests.clear()
    assert home.call("index", rebuild=True).embedded == half.of - half.done
    assert _active(home) == "ollama:other"


def test_the_service_being_down_loses_vectors_and_says_so(home: _Home) -> None:
    home.server.failures = [(503, b"{}")] * 5
    found = home.search()
    assert found.results[0].path.endswith("pay.md")
    assert "keyword search only: Ollama answered 503" in found.degraded


def test_settings_that_lead_nowhere_leave_the_old_vectors_answering(home: _Home) -> None:
    home.use(embedder="onnx", embedder__model="nowhere")
    found = home.search()
    assert found.results[0].path.endswith("pay.md")
    assert "holds no exported model" in found.degraded
    assert not home.call("doctor").found
    home.use(embedder="openai", embedder__model="text-embedding-3-small")
    found = home.search()
    assert "OPENAI_API_KEY is not set" in found.degraded


def test_vectors_of_another_length_from_the_same_model_are_an_error_that_names_the_way_out(
    home: _Home,
) -> None:
    home.server.embed = lambda text: _numbers(text)[:8]
    home.ollama(embedder__dimension=0)
    (home.notes / "new.md").write_text("# 새 글\n\n새 글이다.\n", encoding="utf-8")
    code, hint = "", ""
    try:
        home.call("index")
    except Exception as error:  # noqa: BLE001 - which one is what is tested
        code, hint = error.code, error.hint
    assert code == "shape_mismatch"
    assert "embedder.dimension" in hint
    home.ollama(embedder__dimension=8)
    home.call("index", rebuild=True)
    assert _active(home) == "ollama:bge-m3/8"


def test_the_key_stands_in_the_environment_alone(
    home: _Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OWN_KEY", "key-of-mine-123")
    home.use(
        embedder="compatible",
        embedder__model="m",
        embedder__base_url=f"{home.server.url}/v1",
        embedder__key_variable="OWN_KEY",
    )
    home.call("index", rebuild=True)
    assert home.server.headers[-1]["authorization"] == "Bearer key-of-mine-123"
    written = b"".join(
        file.read_bytes() for file in home.config.parent.rglob("*") if file.is_file()
    )
    assert b"key-of-mine-123" not in written


def test_calls_of_one_process_follow_a_switch_of_another(home: _Home) -> None:
    resident = Resident()
    found = load_command("search")
    call = open_call({}, folder=home.folder, resident=resident)
    assert found(call, query=_QUESTION, min_score=0.0).degraded is None
    home.ollama("other")
    home.call("index", rebuild=True)
    after = found(call, query=_QUESTION, min_score=0.0)
    assert after.results[0].path.endswith("pay.md")
    assert "vectors are of 'ollama:other'" in after.degraded, "its settings are the old ones"


@pytest.mark.parametrize("name", ["none", "openai", "ollama"])
def test_no_other_embedder_counts_as_the_bundled_one(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", name)
    assert open_call({}, folder=tmp_path).home.open_bundled_embedder() is None
