import re
from pathlib import Path

import pytest

from gieok.code.model.document_names import (
    COUNTS,
    IGNORED_FILES,
    SWITCHES,
    WITHOUT_COUNTERPART,
    NamedValue,
    convert_number,
    sort_settings,
)
from gieok.code.model.tuning import Chunking, EscalationRules, SearchWeights, Tuning, parse_tuning
from gieok.errors import BadConfig
from gieok.home.code_settings import load_tuning
from gieok.text.messages import in_language

_FILE = "config.yaml"
_DOCS = Path(__file__).parents[3] / "docs"


def test_a_file_after_the_document_is_understood() -> None:
    tuning = parse_tuning(
        {
            "version": "2.0",
            "chunking": {
                "ignore_patterns": ["**/test_*.py"],
                "max_chunk_lines": 100,
                "min_chunk_lines": 5,
                "supported_extensions": [".py"],
            },
            "search": {"default_top_k": 5, "expand_related": False, "max_expansion_depth": 2},
            "agents": {"validator": {"interval_hours": 1}},
            "escalation": {
                "max_files_changed": 10,
                "min_quality_score": 75,
                "new_module_triggers": False,
                "max_validation_failures": 4,
            },
        },
        _FILE,
    )
    assert tuning == Tuning(
        ignore=("**/test_*.py",),
        escalation=EscalationRules(new_modules=0, files=11, quality=75, failed_validations=4),
        chunking=Chunking(largest=4_000, tiny=200),
        search=SearchWeights(neighbours=0, answers=5),
        unused=("chunking.supported_extensions", "search.max_expansion_depth", "agents"),
    )


@pytest.mark.parametrize("order", [1, -1])
def test_our_own_name_wins_over_the_documents(order: int) -> None:
    rows = [("files", 3), ("max_files_changed", 10)][::order]
    assert parse_tuning({"escalation": dict(rows)}, _FILE).escalation.files == 3


@pytest.mark.parametrize(
    "settings",
    [
        {"escalation": {"max_files_changed": "many"}},
        {"escalation": {"min_quality_score": 101}},
        {"escalation": {"max_files": 10}},
        {"chunking": {"ignore_patterns": "**/test_*.py"}},
        {"watcher": {}},
    ],
)
def test_what_neither_of_the_two_knows_is_refused(settings: dict[object, object]) -> None:
    with pytest.raises(BadConfig):
        parse_tuning(settings, _FILE)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"escalation": {"max_files_changed": -1}},
            "'escalation.max_files_changed' in 'config.yaml' must be a whole number from 0 to 999999",
        ),
        (
            {"chunking": {"max_chunk_lines": 4}},
            "'chunking.max_chunk_lines' in 'config.yaml' must be a whole number from 5 to 2500",
        ),
        (
            {"search": {"default_top_k": 0}},
            "'search.default_top_k' in 'config.yaml' must be a whole number from 1 to 50",
        ),
        (
            {"escalation": {"new_module_triggers": "yes"}},
            "'escalation.new_module_triggers' in 'config.yaml' must be true or false",
        ),
        (
            {"search": {"expand_related": 3}},
            "'search.expand_related' in 'config.yaml' must be true or false",
        ),
        (
            {"escalation": {"new_module_triggers": True, "new_module_added": False}},
            "'escalation.new_module_triggers' and 'escalation.new_module_added' in 'config.yaml' say",
        ),
        (
            {"chunking": {"ignore_patterns": "a*"}},
            "`chunking.ignore_patterns` in 'config.yaml' must be a list of patterns",
        ),
        (
            {"chunking": {"ignore_patterns": 7}, "ignore": ["a*"]},
            "`chunking.ignore_patterns` in 'config.yaml' must be a list of patterns",
        ),
        (
            {"escalation": {"files": 3, "max_files_changed": "many"}},
            "'escalation.max_files_changed' in 'config.yaml' must be a whole number from 0 to 999999",
        ),
        (
            {"escalation": {"new_modules": 2, "new_module_triggers": "yes"}},
            "'escalation.new_module_triggers' in 'config.yaml' must be true or false",
        ),
        ({"version": {"a": 1}}, "`version` in 'config.yaml' must be a number or a text"),
    ],
)
def test_what_is_wrong_is_named_as_it_is_written(settings: dict[object, object], said: str) -> None:
    with pytest.raises(BadConfig) as failure:
        parse_tuning(settings, _FILE)
    assert str(failure.value).startswith(said)


def test_two_names_that_agree_are_understood() -> None:
    both = {"new_module_triggers": False, "new_module_added": False}
    assert parse_tuning({"escalation": both}, _FILE).escalation.new_modules == 0


def test_two_values_that_are_equal_agree_whichever_objects_they_are() -> None:
    one, other = NamedValue("escalation.max_files_changed", 10**5), int("100000")
    again = one._replace(value=other)
    assert one.value is not again.value
    assert convert_number([one, again], 0, 10**6, _FILE) == 10**5 + 1
    with pytest.raises(BadConfig):
        convert_number([one._replace(value=1), one._replace(value=True)], 0, 10**6, _FILE)


def test_the_page_names_every_setting_of_the_document() -> None:
    text = (_DOCS / "code.md").read_text(encoding="utf-8")
    names = {*re.findall(r"`\w+`", text)} | {"`escalation`"}
    for full in (*COUNTS, *SWITCHES, *WITHOUT_COUNTERPART, IGNORED_FILES):
        part, _, name = full.partition(".")
        assert f"`{full}`" in text or {f"`{part}`", f"`{name}`"} <= names, full


def test_every_name_is_one_of_a_setting_or_without_counterpart() -> None:
    ours = sort_settings({"escalation": {}, "search": {}}, _FILE).settings
    assert ours == {"escalation": {}, "search": {}}
    for full, known in {**COUNTS, **SWITCHES}.items():
        part, _, name = known.setting.partition(".")
        assert name in getattr(Tuning(), part)._fields
        assert full not in WITHOUT_COUNTERPART


def test_what_is_not_used_is_said_in_the_readers_language(tmp_path: Path) -> None:
    file = tmp_path / ".gieok" / "code" / "config.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("embedding: {model: text-embedding-004}\nescalation: {max_files_changed: 5}\n")
    note = load_tuning(tmp_path / "home", tmp_path).note
    assert [part.rpartition(": ")[2] for part in note.split("; ")][1:] == ["embedding"]
    assert "쓰지 않는 것" in in_language(note, "ko")
