"""What an agent is that overrides no more than it must."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from gieok.agents.agent import Agent, list_readable_agents, load_agent
from gieok.agents.install.change import Edit, RecordedFile, WholeFile
from gieok.agents.install.edits import InstallPlace, OwnCommand
from gieok.agents.table import NAMES
from gieok.agents.transcripts.place import TranscriptPlace

_CALL = OwnCommand(("gieok",), {})


class _Bare(Agent):
    """Agent with a plugin's file, and nothing else."""

    def find_settings_folder(self, site: InstallPlace) -> Path:
        return site.below("BARE_HOME", ".bare")

    def build_edits(self, site: InstallPlace, call: OwnCommand) -> list[Edit]:
        return [WholeFile(self.find_settings_folder(site) / "gieok.js", call.typed())]


class _Reading(_Bare):
    """Agent that writes transcripts in two places."""

    def find_place(self, home: Path, environment: Mapping[str, str]) -> TranscriptPlace:
        return TranscriptPlace(self.find_own_folder(home, environment) / "talks")

    def find_other_places(
        self,
        home: Path,
        environment: Mapping[str, str],
    ) -> tuple[TranscriptPlace, ...]:
        return (TranscriptPlace(self.find_own_folder(home, environment) / "old"),)


def test_an_agent_has_nothing_that_its_file_does_not_give_it(tmp_path: Path) -> None:
    bare, site = _Bare(), InstallPlace(tmp_path, False, {})
    assert bare.find_own_folder(tmp_path, {"BARE_HOME": "/moved"}) == Path("/moved")
    assert bare.find_own_folder(tmp_path, {}) == tmp_path / ".bare"
    assert bare.list_places(tmp_path, {}) == ()
    assert not bare.is_system_session("agent:main:cron:1")
    assert bare.build_command_edits(site, _CALL) == []
    assert bare.find_missing_features(site) is None
    assert bare.list_untrusted_hooks({}, tmp_path / "hooks.json", "") == []
    line = "gieok hook prompt --agent codex"
    assert bare.parse_prompt_command(f'{{"hooks": [{{"command": "{line}"}}]}}') == line


def test_the_place_of_transcripts_comes_before_the_other_places(tmp_path: Path) -> None:
    folders = [place.folder.name for place in _Reading().list_places(tmp_path, {})]
    assert folders == ["talks", "old"]


def test_a_place_says_nothing_of_a_transcript_that_its_class_does_not_know(tmp_path: Path) -> None:
    place, path = TranscriptPlace(tmp_path), tmp_path / "a.jsonl"
    assert place.find_scope(Path("a.jsonl")) is None
    assert not place.is_silent(path)
    assert place.find_working_folder(path) == ""


def test_a_file_that_only_the_record_knows_stays_as_it_is(tmp_path: Path) -> None:
    edit = RecordedFile(tmp_path / "settings.json")
    assert edit.add("mine") == edit.remove("mine") == "mine"


@pytest.mark.parametrize("name", NAMES)
def test_the_conversations_of_every_agent_in_the_table_are_read(name: str) -> None:
    assert load_agent(name).format is not None
    assert name in list_readable_agents()
