"""Step 1: whose transcripts are read."""

import os
from collections.abc import Mapping, Sequence

from gieok.agents.agent import list_readable_agents
from gieok.agents.unread_hosts import name_unread_hosts
from gieok.commands.prompt.hosts import list_unread_hosts
from gieok.commands.setup.dialogue import Pick
from gieok.commands.setup.interview import Interview
from gieok.commands.setup.questions.question import AnswerKind, SettingQuestion, SetupQuestion
from gieok.text.amounts import format_size
from gieok.text.messages import Words

_SETTING, _FOLDERS = "observe.agents", "observe.folders"
_MORE = "folders"


def format_transcript_count(known: Interview, count: int) -> str:
    """Return the number of transcripts as text."""
    return known.words("{count} transcript", plural="{count:,} transcripts", count=count)


class _AgentsQuestion(SetupQuestion):
    """Agents of this machine whose transcripts are read; Enter takes them as they are set."""

    name = "agents"
    step = 1
    kind = AnswerKind.MANY
    words = Words("Whose conversations may be remembered?")

    def note(self, known: Interview) -> Sequence[str]:
        lines = []
        if not known.machine.agents:
            lines.append(
                known.words("No agent was found here. A folder of notes is asked for at the end.")
            )
        if unread := list_unread_hosts(known.call):
            lines.append(name_unread_hosts(unread).say(known.call.lang))
        return lines

    def picks(self, known: Interview) -> Sequence[Pick]:
        picks = []
        for agent in known.machine.agents:
            count = format_transcript_count(known, agent.transcripts)
            where = f", {known.shown_path(agent.folder)}" if agent.folder else ""
            detail = (
                f"{count}, {format_size(agent.size)}{where}"
                if agent.transcripts
                else known.words("nothing yet")
            )
            picks.append(
                Pick(
                    agent.name,
                    agent.name,
                    detail if agent.folder else known.words("no transcripts"),
                )
            )
        return [
            *picks,
            Pick(_MORE, known.words("transcripts in other folders …")),
        ]

    def default(self, known: Interview) -> tuple[str, ...]:
        named = known.setting(_SETTING)
        names = [agent.name for agent in known.machine.agents]
        listed = [name.strip() for name in named.split(",")]
        ticked = names if named == "auto" else [name for name in names if name in listed]
        return (*ticked, *([_MORE] if known.setting(_FOLDERS) else []))

    def settings(self, known: Interview) -> Mapping[str, str]:
        ticked, readable = set(known.ticked(self.name)), set(list_readable_agents())
        here = {agent.name for agent in known.machine.agents} & readable
        if ticked & here == set(self.default(known)) & here:
            setting_value = known.setting(_SETTING)
        elif here <= ticked:
            setting_value = "auto"
        else:
            listed = {name.strip() for name in known.setting(_SETTING).split(",")} & readable
            setting_value = ",".join(sorted((ticked & here) | (listed - here))) or "none"
        return {_SETTING: setting_value, **({} if _MORE in ticked else {_FOLDERS: ""})}


class _FoldersQuestion(SettingQuestion):
    """Further folders of transcripts, asked where the person ticked them."""

    name = "folders"
    step = 1
    kind = AnswerKind.TEXT
    decides = (_FOLDERS,)
    words = Words.of("Folders of JSONL transcripts ({pathsep} between)", pathsep=os.pathsep)

    def applies(self, known: Interview) -> bool:
        return _MORE in known.ticked("agents")

    def wrong(self, known: Interview, text: str) -> str:
        parts = [part for part in text.split(os.pathsep) if part.strip()]
        if not parts:
            return known.words("name a folder")
        gone = next((part for part in parts if not known.path(part).is_dir()), "")
        return known.words("there is no folder {gone}", gone=gone) if gone else ""


AGENTS = (_AgentsQuestion(), _FoldersQuestion())
