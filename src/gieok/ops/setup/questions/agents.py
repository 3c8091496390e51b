"""Step 1: whose transcripts are read."""

import os
from collections.abc import Mapping, Sequence

from gieok.agents.agent import observed
from gieok.ops.operation import Words
from gieok.ops.setup.interview import AnswerKind, Interview, SetupQuestion
from gieok.ports.dialogue import Pick

_SETTING, _FOLDERS = "observe.agents", "observe.folders"
_MORE = "folders"


def format_megabytes(size: int) -> str:
    """Return a size as a person reads it."""
    if size < 1e6:
        return f"{max(size / 1e3, 1):,.0f} kB"
    return f"{size / 1e6:,.1f} MB" if size < 1e8 else f"{size / 1e6:,.0f} MB"


def format_transcript_count(known: Interview, count: int) -> str:
    """Return how many there are."""
    return known.words(
        "1 transcript" if count == 1 else f"{count:,} transcripts", f"대화 {count:,}개"
    )


def _list_agent_picks(known: Interview) -> Sequence[Pick]:
    picks = []
    for agent in known.machine.agents:
        count = format_transcript_count(known, agent.transcripts)
        where = f", {known.shown_path(agent.folder)}" if agent.folder else ""
        detail = (
            f"{count}, {format_megabytes(agent.size)}{where}"
            if agent.transcripts
            else known.words("nothing yet", "아직 없음")
        )
        picks.append(
            Pick(
                agent.name,
                agent.name,
                detail if agent.folder else known.words("no transcripts", "기록 안 읽음"),
            )
        )
    return [
        *picks,
        Pick(_MORE, known.words("transcripts in other folders …", "다른 폴더의 대화 기록 …")),
    ]


def _suggest_agents(known: Interview) -> tuple[str, ...]:
    named = known.setting(_SETTING)
    names = [agent.name for agent in known.machine.agents]
    listed = [name.strip() for name in named.split(",")]
    ticked = names if named == "auto" else [name for name in names if name in listed]
    return (*ticked, *([_MORE] if known.setting(_FOLDERS) else []))


def _note_missing_agents(known: Interview) -> Sequence[str]:
    if known.machine.agents:
        return ()
    return (
        known.words(
            "no agent was found here; `gieok setup` again once one is",
            "찾은 에이전트가 없습니다. 설치한 뒤 다시 실행하세요",
        ),
    )


def _build_agent_settings(known: Interview) -> Mapping[str, str]:
    ticked, readable = set(known.ticked("agents")), set(observed())
    here = {agent.name for agent in known.machine.agents} & readable
    if ticked & here == set(_suggest_agents(known)) & here:
        setting_value = known.setting(_SETTING)
    elif here <= ticked:
        setting_value = "auto"
    else:
        listed = {name.strip() for name in known.setting(_SETTING).split(",")} & readable
        setting_value = ",".join(sorted((ticked & here) | (listed - here))) or "none"
    return {_SETTING: setting_value, **({} if _MORE in ticked else {_FOLDERS: ""})}


def _explain_missing_folder(known: Interview, text: str) -> str:
    parts = [part for part in text.split(os.pathsep) if part.strip()]
    if not parts:
        return known.words("name a folder", "폴더를 적으세요")
    gone = next((part for part in parts if not known.path(part).is_dir()), "")
    return known.words(f"there is no folder {gone}", f"{gone} 폴더가 없습니다") if gone else ""


AGENTS = (
    SetupQuestion(
        name="agents",
        step=1,
        kind=AnswerKind.MANY,
        words=Words("Whose conversations may be remembered?", "누구와의 대화를 기억할까요?"),
        note=_note_missing_agents,
        picks=_list_agent_picks,
        default=_suggest_agents,
        settings=_build_agent_settings,
    ),
    SetupQuestion(
        name="folders",
        step=1,
        kind=AnswerKind.TEXT,
        decides=(_FOLDERS,),
        words=Words(
            f"Folders of JSONL transcripts ({os.pathsep} between)",
            f"JSONL 기록 폴더 (사이에 {os.pathsep})",
        ),
        applies=lambda known: _MORE in known.ticked("agents"),
        default=lambda known: known.setting(_FOLDERS),
        wrong=_explain_missing_folder,
        settings=lambda known: {_FOLDERS: known.text("folders")},
    ),
)
