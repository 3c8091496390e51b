"""Settings: what wins, and what is told of a setting that cannot be used."""

import json
import os
from pathlib import Path

import pytest

from gieok import paths
from gieok.errors import BadConfig
from gieok.settings import grants, user_file, values
from gieok.settings.file import parse_settings_file, without_password
from gieok.settings.option import Option
from gieok.settings.resolved import FileSettings, SettingsFile
from gieok.settings.table import OPTIONS
from gieok.settings.values import Settings, load_effective_settings
from gieok.surfaces.cli import main


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path of the user's file, in a home of its own."""
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    (tmp_path / "home").mkdir()
    return tmp_path / "home" / "config.yaml"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return the path of a project's file."""
    (tmp_path / "project" / ".gieok").mkdir(parents=True)
    return tmp_path / "project" / ".gieok" / "config.yaml"


def _trust(project: Path) -> None:
    """Trust what stands in a project's file."""
    if project.is_file():
        text = project.read_text()
        grants.edit_grant(
            paths.locate_home(),
            str(project.parent.parent),
            lambda grant: grant._replace(settings=text),
        )


def _load(project: Path, environment: dict[str, str] | None = None, **flags: str) -> Settings:
    _trust(project)
    return load_effective_settings(flags, environment or {}, project.parent.parent)


def test_each_source_wins_over_the_one_before(user: Path, project: Path) -> None:
    def limit(
        environment: dict[str, str] | None = None, flags: dict[str, str] | None = None
    ) -> tuple[object, str]:
        setting = _load(project, environment, **(flags or {})).values["search.limit"]
        return setting.value, setting.origin

    assert limit() == (0, "default")
    user.write_text("search.limit: 1\n")
    assert limit() == (1, str(user))
    project.write_text("search.limit: 2\n")
    assert limit() == (2, str(project))
    assert limit({"GIEOK_SEARCH_LIMIT": "3"}) == (3, "GIEOK_SEARCH_LIMIT")
    assert limit({"GIEOK_SEARCH_LIMIT": "3"}, {"search.limit": "4"}) == (4, "flag")


def test_dotted_and_nested_names_are_the_same(user: Path, project: Path) -> None:
    for text in ("search.limit: 3", "search:\n  limit: 3"):
        user.write_text(text)
        assert _load(project).integer("search.limit") == 3


def test_the_project_file_is_found_from_a_folder_inside(user: Path, project: Path) -> None:
    project.write_text("search: {limit: 9}")
    _trust(project)
    (project.parent.parent / "a" / "b").mkdir(parents=True)
    assert (
        load_effective_settings({}, {}, project.parent.parent / "a" / "b").integer("search.limit")
        == 9
    )


@pytest.mark.parametrize("text", ["", "# nothing\n"])
def test_an_empty_file_sets_nothing(user: Path, project: Path, text: str) -> None:
    user.write_text(text)
    assert all(setting.origin == "default" for setting in _load(project).values.values())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("colour: red", "unknown setting 'colour'"),
        ("search: {limits: 3}", "unknown setting 'search.limits'"),
        ("threads: many", "threads is 'many'"),
        ("threads: 1.5", "threads is '1.5'"),
        ("threads: 0", "threads is '0'"),
        ("search.min_score: .nan", "search.min_score is 'nan'"),
        ("embedder: magic", "embedder is 'magic'"),
        ("lang: no", "lang is 'False'"),
        ("index.passage_tokens: 5", "index.passage_tokens is '5'"),
        ("- a list", "not a list"),
        ("just words", "not a str"),
        ("a: [", "cannot read"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named_with_its_origin(
    user: Path, project: Path, text: str, told: str
) -> None:
    user.write_text(text)
    with pytest.raises(BadConfig) as caught:
        _load(project)
    assert told in str(caught.value)
    assert str(user) in str(caught.value)


def test_an_environment_variable_that_cannot_be_used_is_named(user: Path, project: Path) -> None:
    with pytest.raises(BadConfig, match=r"watch\.rescan_s is 'soon' in 'GIEOK_WATCH_RESCAN_S'"):
        _load(project, {"GIEOK_WATCH_RESCAN_S": "soon"})
    assert _load(project, {"GIEOK_SCOPE": ""}).values["scope"].origin == "default"


def test_a_wrong_setting_alone_is_left_out_where_troubles_are_collected(
    user: Path, project: Path
) -> None:
    user.write_text("threads: 3\nsearch: {limits: 3, limit: 4, min_score: high}\n")
    troubles: list[BadConfig] = []
    environment = {"GIEOK_WATCH_RESCAN_S": "soon", "GIEOK_THREADS": "2"}
    found = load_effective_settings({}, environment, project, troubles)
    assert [(error.setting, error.origin) for error in troubles] == [
        ("search.limits", str(user)),
        ("search.min_score", str(user)),
        ("watch.rescan_s", "GIEOK_WATCH_RESCAN_S"),
    ]
    assert found.values["search.limit"] == (4, str(user))
    assert troubles[0].hint == "did you mean 'search.limit'?"
    assert found.values["threads"] == (2, "GIEOK_THREADS")
    assert found.values["watch.rescan_s"].origin == "default"
    with pytest.raises(BadConfig):
        load_effective_settings({"threads": "x"}, {}, project, troubles)


def test_an_unreadable_file_is_an_error_and_not_ignored(user: Path, project: Path) -> None:
    user.write_bytes(b"\xff\xfe")
    with pytest.raises(BadConfig, match="cannot read"):
        _load(project)


@pytest.mark.parametrize(
    "option",
    [option for option in OPTIONS if not option.in_project],
    ids=lambda option: option.name,
)
def test_a_project_may_not_set_what_concerns_the_machine(
    user: Path, project: Path, option: Option
) -> None:
    project.write_text(f"{option.name}: {option.default}")
    with pytest.raises(BadConfig) as caught:
        _load(project)
    assert repr(option.name) in str(caught.value)
    assert str(project) in str(caught.value)
    assert str(user) in caught.value.hint


def test_a_users_own_file_is_no_project_of_his(
    tmp_path: Path, user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "nobody" / ".gieok" / "config.yaml"
    own.parent.mkdir(parents=True)
    own.write_text("embedder: none")
    assert load_effective_settings({}, {}, tmp_path / "nobody").text("embedder") == "e5"
    monkeypatch.delenv("GIEOK_HOME")
    assert load_effective_settings({}, {}, tmp_path / "nobody").values["embedder"].origin == str(
        own
    )


def test_config_show_prints_each_value_with_its_origin(
    user: Path, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    user.write_text("search.limit: 3")
    monkeypatch.chdir(project.parent.parent)
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    assert main(["config", "show", "--json", "--lang", "en"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert set(shown) == {option.name for option in OPTIONS}
    assert shown["search.limit"] == {"value": "3", "origin": str(user)}
    assert shown["embedder"] == {"value": "none", "origin": "GIEOK_EMBEDDER"}
    assert shown["lang"] == {"value": "en", "origin": "flag"}
    assert shown["store"]["origin"] == "default"


@pytest.mark.parametrize(
    ("name", "said", "variable"),
    [
        ("database", "postgresql://me:secret@host/db", "PGPASSWORD"),
        ("database", "host=h password=secret", "PGPASSWORD"),
        ("database", "postgresql://h/d?password=secret", "PGPASSWORD"),
        ("redis", "rediss://:secret@host:6380/0", "REDIS_PASSWORD"),
        ("mongo", "mongodb+srv://me:secret@host/x", "MONGO_PASSWORD"),
    ],
)
def test_a_password_in_a_file_is_refused_and_not_shown(
    user: Path, project: Path, name: str, said: str, variable: str
) -> None:
    user.write_text(f"{name}.url: '{said}'")
    with pytest.raises(BadConfig, match="holds a password") as caught:
        _load(project)
    assert "secret" not in str(caught.value)
    assert variable in caught.value.hint
    assert "secret" not in without_password(said)


def test_a_key_of_google_is_taken_by_the_name_of_the_documents_below_our_own(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    kept = user.parent / ".env"
    kept.touch(mode=0o600)
    kept.write_text("GOOGLE_API_KEY=of-the-document\n")
    assert load_effective_settings({}).secret("GEMINI_API_KEY") == "of-the-document"
    kept.write_text("GOOGLE_API_KEY=of-the-document\nGEMINI_API_KEY=ours\n")
    assert load_effective_settings({}).secret("GEMINI_API_KEY") == "ours"


def test_an_address_without_a_password_is_shown_as_it_is(user: Path, project: Path) -> None:
    user.write_text("database.url: postgresql://me@host:5433/memory")
    assert _load(project).text("database.url") == "postgresql://me@host:5433/memory"
    assert (
        without_password("postgresql://me@host:5433/memory") == "postgresql://me@host:5433/memory"
    )


def test_a_password_from_the_environment_is_used_and_never_shown(
    user: Path, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GIEOK_DATABASE_URL", "postgresql://me:secret@host/memory")
    assert load_effective_settings({}).text("database.url") == "postgresql://me:secret@host/memory"
    assert main(["config", "show"]) == 0
    assert main(["config", "show", "--json"]) == 0
    shown = capsys.readouterr().out
    assert "secret" not in shown
    assert "postgresql://me:***@host/memory" in shown


def test_private_variables_stand_in_for_the_environment_which_wins(
    user: Path, project: Path
) -> None:
    private = user.with_name(".env")
    private.write_text(
        "# mine\nexport GIEOK_SEARCH_LIMIT='4'\nPGPASSWORD=\"a b#c\"\n\nGIEOK_LANG=ko\nnot a line\n"
    )
    private.chmod(0o600)
    settings = _load(project, {"GIEOK_LANG": "en"})
    assert settings.values["search.limit"] == (4, str(private))
    assert settings.text("lang") == "en"
    assert settings.secret("PGPASSWORD") == "a b#c"
    assert settings.secret("NOBODY") == ""
    assert "a b#c" not in repr(settings)


def test_private_variables_that_others_can_read_are_refused(user: Path, project: Path) -> None:
    user.with_name(".env").write_text("PGPASSWORD=x")
    user.with_name(".env").chmod(0o644)
    with pytest.raises(BadConfig, match="can be read by others") as caught:
        _load(project)
    assert "chmod 600" in caught.value.hint


@pytest.mark.parametrize(
    "text", ["store: sqlite\n# end\nlang: en", "lang: en", "", "lang: en\nstore:   sqlite # mine\n"]
)
def test_a_setting_is_chosen_in_place_and_the_rest_of_the_file_stays(
    user: Path, project: Path, text: str
) -> None:
    user.write_text(text)
    user_file.choose(_load(project), "store", "postgres")
    assert _load(project).text("store") == "postgres"
    assert [line for line in text.split("\n") if line and "store" not in line] == [
        line for line in user.read_text().split("\n") if line and "store" not in line
    ]
    assert user.stat().st_mode & 0o077 == 0
    assert [file.name for file in user.parent.iterdir() if file.is_file()] == ["config.yaml"]


@pytest.mark.parametrize(
    ("text", "value"), [("true", True), ("on", True), ("False", False), ("0", False)]
)
def test_a_switch_may_be_said_in_several_ways(
    user: Path, project: Path, text: str, value: bool
) -> None:
    user.write_text(f"hybrid: {text}")
    assert _load(project).flag("hybrid") is value
    with pytest.raises(BadConfig, match="must be true or false"):
        _load(project, {"GIEOK_HYBRID": "maybe"})


def test_a_wrong_setting_is_shown_beside_its_row_and_what_reads_goes_on(
    user: Path, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    user.write_text("search: {limit: many, limits: 3}\nembedder: none\n")
    monkeypatch.chdir(project.parent.parent)
    monkeypatch.setenv("GIEOK_THREADS", "0")

    def told(*arguments: str) -> tuple[int, str, str]:
        return (main(list(arguments)), *capsys.readouterr())

    status, out, err = told("config", "show", "--json")
    shown = json.loads(out)
    assert (status, err) == (0, "")
    assert shown["embedder"] == {"value": "none", "origin": str(user)}
    assert shown["search.limit"]["value"] == "0"
    assert f"search.limit is 'many' in '{user}'" in shown["search.limit"]["error"]
    assert shown["search.limits"]["hint"] == "did you mean 'search.limit'?"
    assert "GIEOK_THREADS" in shown["threads"]["error"]
    lines = told("config", "show")[1].splitlines()
    (at,) = (at for at, line in enumerate(lines) if line.startswith("search.limit "))
    assert "'many'" in lines[at + 1]
    status, _, err = told("status")
    assert (status, [line.count("left out") for line in err.splitlines()]) == (0, [1, 1, 1])
    assert told("remember", "nothing")[0] == 2
    user.write_text("a: [")
    assert str(user) in json.loads(told("config", "show", "--json")[1])
    assert told("status")[0] == 0


def test_what_a_file_says_is_parsed_once_and_again_when_it_changes(
    user: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []
    real = parse_settings_file

    def counting(home: str, file: SettingsFile) -> FileSettings:
        parsed.append(Path(file.path).parent.name)
        return real(home, file)

    monkeypatch.setattr(values, "parse_settings_file", counting)
    user.write_text("search: {limit: 3, limits: 4}\n")
    project.write_text("hook.limit: 2\n")
    for _ in range(2):
        with pytest.raises(BadConfig, match=r"search\.limits") as raised:
            _load(project)
        assert raised.value.args[0].template == "unknown setting {setting!r} in {origin!r}"
    assert parsed == ["home", ".gieok"]
    before = user.stat()
    user.write_text("search: {limit: 3, limit: 5}\n")
    os.utime(user, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert _load(project).integer("search.limit") == 5
    assert parsed == ["home", ".gieok", "home"]
    kept = paths.locate_home() / "resolved"
    assert {file.stat().st_mode & 0o777 for file in kept.iterdir()} == {0o600}
    for file in kept.iterdir():
        file.write_text("{")
    assert _load(project).integer("hook.limit") == 2
    assert len(parsed) == 5


def test_no_password_and_no_secret_is_kept_with_what_a_file_says(user: Path, project: Path) -> None:
    user.write_text("lang: en\ndatabase.url: postgresql://me:sesame@host/db\n")
    user.with_name(".env").write_text(
        "GIEOK_DATABASE_URL=postgresql://me:sesame@host/db\nOPENAI_API_KEY=sk-sesame\n"
    )
    user.with_name(".env").chmod(0o600)
    load_effective_settings({}, {}, project, [])
    assert not any(
        "sesame" in file.read_text() for file in (paths.locate_home() / "resolved").iterdir()
    )


def test_a_wrong_scope_is_an_error_of_its_setting(user: Path, project: Path) -> None:
    for line in ('hook.scopes: "a,b"', 'hook.scopes: "agent:main,b"', "scope: nonsense"):
        user.write_text(line)
        troubles: list[BadConfig] = []
        settings = load_effective_settings({}, {}, project.parent.parent, troubles)
        name = line.partition(":")[0]
        assert [(error.setting, error.origin) for error in troubles] == [(name, str(user))]
        assert settings.text(name) == {"scope": "auto", "hook.scopes": "agent:main"}[name]
    user.write_text("hook.scopes: agent:main, user:kim/character:mina,")
    assert _load(project).text("hook.scopes") == "agent:main, user:kim/character:mina,"


def test_a_name_without_a_value_means_the_default(user: Path, project: Path) -> None:
    user.write_text("hook:\n  scopes:\nobserve.model:\n")
    settings = _load(project)
    assert (settings.text("hook.scopes"), settings.text("observe.model")) == ("agent:main", "rules")


@pytest.mark.parametrize(
    ("name", "too_high"),
    [
        ("logs.max_mb", "10001"),
        ("logs.keep", "101"),
        ("observe.output_tokens", "12001"),
        ("observe.most_observations", "401"),
        ("gemini.chunk_tokens", "513"),
    ],
)
def test_a_number_that_costs_time_or_money_has_a_highest(
    user: Path, name: str, too_high: str
) -> None:
    user.write_text(f"{name}: {too_high}\n")
    with pytest.raises(BadConfig, match="at most"):
        load_effective_settings({}, environment={})
