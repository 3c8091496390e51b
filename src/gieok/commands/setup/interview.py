"""Inputs of a question: the machine, the current settings, and the answers so far."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from gieok.commands.setup.machine import Surroundings, survey_machine
from gieok.commands.setup.note_folder import NoteFolder, read_typed_path, survey_note_folder
from gieok.home.call import Call
from gieok.home.setting_rows import list_setting_rows
from gieok.ports.setup import Provider

Given = str | tuple[str, ...]
YES, NO = "yes", "no"


class Interview:
    """State of one run of `gieok setup`; `now` is setting → (text, origin)."""

    def __init__(self, call: Call, answers: Mapping[str, Given] = MappingProxyType({})) -> None:
        self.call = call
        self.answers = answers
        self._surveys: dict[Path, NoteFolder] = {}
        self.access = call.home.setup
        self.now = {
            row.name: (row.value, row.origin) for row in list_setting_rows(call.home.settings)
        }

    @cached_property
    def machine(self) -> Surroundings:
        """Return the survey of this machine."""
        return survey_machine(self.call)

    @cached_property
    def providers(self) -> Mapping[str, Provider]:
        """Return the providers that could observe, by name."""
        return {provider.name: provider for provider in self.access.providers()}

    @cached_property
    def ollama(self) -> Sequence[str] | None:
        """Return the models of the Ollama on this machine; None where none answers."""
        return self.access.ollama()

    def survey_notes(self, folder: Path) -> NoteFolder:
        """Return what is in a folder of notes, as it was when it was first looked at."""
        if folder not in self._surveys:
            self._surveys[folder] = survey_note_folder(self.call, folder)
        return self._surveys[folder]

    def with_answers(self, answers: Mapping[str, Given]) -> "Interview":
        """Return a copy with other answers; the survey results stay."""
        interview = object.__new__(Interview)
        interview.__dict__.update(self.__dict__)
        interview.answers = answers
        return interview

    def words(self, template: str, about: str = "", plural: str = "", **values: object) -> str:
        """Return a message in the person's language."""
        return self.call.words(template, about, plural, **values)

    def setting(self, name: str) -> str:
        """Return the current text of a setting."""
        return self.now[name][0]

    def is_fixed(self, name: str) -> bool:
        """Return whether a variable or a flag fixes a setting, so that an answer has no effect."""
        return self.now[name][1] not in ("default", str(self.call.home.folder / "config.yaml"))

    def text(self, name: str) -> str:
        """Return the answer to a single-choice or text question; '' where it was not asked."""
        answer = self.answers.get(name, "")
        return answer if isinstance(answer, str) else ",".join(answer)

    def ticked(self, name: str) -> tuple[str, ...]:
        """Return the answer to a multiple-choice question."""
        answer = self.answers.get(name, ())
        return answer if isinstance(answer, tuple) else ()

    def path(self, text: str) -> Path:
        """Return the path that a person typed or dropped, with `~` expanded."""
        return read_typed_path(self.call.caller, text)

    def shown_path(self, path: Path | str) -> str:
        """Return a path as a person writes it."""
        text, user = str(path), str(self.call.caller.user)
        return "~" + text[len(user) :] if text == user or text.startswith(user + "/") else text
