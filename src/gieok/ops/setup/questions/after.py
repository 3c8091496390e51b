"""What is offered once the settings are saved."""

from collections.abc import Sequence

from gieok.ops.operation import Words
from gieok.ops.setup.interview import ASKED, NO, YES, AnswerKind, Interview, SetupQuestion, yes_no
from gieok.ops.setup.machine import FoundAgent
from gieok.ops.setup.questions.agents import format_megabytes, format_transcript_count
from gieok.ports.dialogue import Pick

AFTER_TITLE = {1: Words("And now", "이제")}


def to_install(known: Interview) -> list[FoundAgent]:
    """Return the agents that were ticked and call no Gieok yet."""
    return [
        one
        for one in known.machine.agents
        if one.name in known.ticked("agents") and not one.is_installed
    ]


def _select_transcript_agents(known: Interview) -> list[FoundAgent]:
    return [
        one
        for one in known.machine.agents
        if one.name in known.ticked("agents") and one.transcripts
    ]


def _install_note(known: Interview) -> Sequence[str]:
    names = ", ".join(one.name for one in to_install(known))
    told = known.words(
        (
            f"{names}: what you told before stands before every prompt. `gieok install AGENT "
            f"--uninstall` takes it out."
        ),
        f"{names}: 프롬프트마다 기억을 앞에 둡니다. 되돌리기: `gieok install AGENT --uninstall`",
    )
    return (told,)


def _history_note(known: Interview) -> Sequence[str]:
    found = _select_transcript_agents(known)
    count = format_transcript_count(known, sum(one.transcripts for one in found))
    size = format_megabytes(sum(one.size for one in found))
    told = known.words(
        "Ctrl-C stops it; the rest comes later.", "Ctrl-C로 멈추면 나머지는 나중에 읽습니다."
    )
    return (f"{count}, {size}. {told}",)


def _is_daemon_running(known: Interview) -> bool:
    daemon = known.context.admin.daemon
    return daemon is not None and daemon().status() is not None


def _suggest_daemon_start(known: Interview) -> str:
    is_off = known.setting("daemon.autostart") == "off" or bool(
        known.context.caller.environment.get("CI")
    )
    return NO if is_off else YES


def _suggest_vault_path(known: Interview) -> str:
    return known.shown_path(known.machine.vaults[0]) if known.machine.vaults else ""


def _vault_picks(known: Interview) -> list[Pick]:
    return [
        Pick(
            ASKED,
            known.words(
                "yes, but agents get nothing of them unasked",
                "예, 다만 묻지 않으면 에이전트에 주지 않음",
            ),
        ),
        Pick(
            YES,
            known.words(
                "yes, and agents get what bears on a prompt",
                "예, 프롬프트와 관련 있으면 에이전트에도 줌",
            ),
        ),
        Pick(NO, known.words("no", "아니요")),
    ]


AFTER = (
    SetupQuestion(
        name="install",
        step=1,
        kind=AnswerKind.ONE,
        words=Words("Put Gieok into these agents?", "이 에이전트들에 Gieok을 넣을까요?"),
        note=_install_note,
        applies=lambda known: bool(to_install(known)),
        picks=yes_no,
        default=lambda known: YES,
    ),
    SetupQuestion(
        name="take_in",
        step=1,
        kind=AnswerKind.ONE,
        words=Words("Take in what was said so far?", "지금까지의 대화를 읽어들일까요?"),
        note=_history_note,
        applies=lambda known: bool(_select_transcript_agents(known)),
        picks=yes_no,
        default=lambda known: YES,
    ),
    SetupQuestion(
        name="index_vault",
        step=1,
        kind=AnswerKind.ONE,
        words=Words("Search the notes of your vault too?", "보관함의 노트도 검색할까요?"),
        note=lambda known: (_suggest_vault_path(known),),
        applies=lambda known: bool(known.machine.vaults),
        picks=_vault_picks,
        default=lambda known: NO,
    ),
    SetupQuestion(
        name="start",
        step=1,
        kind=AnswerKind.ONE,
        words=Words("Start the service now?", "서비스를 지금 시작할까요?"),
        note=lambda known: (
            (
                known.words(
                    "It reads along as you work; nothing leaves this machine.",
                    "일하는 동안 함께 읽습니다. 이 컴퓨터 밖으로 나가지 않습니다.",
                ),
            )
            if known.text("model") in ("", "rules")
            else ()
        ),
        applies=lambda known: (
            known.context.admin.daemon is not None and not _is_daemon_running(known)
        ),
        picks=yes_no,
        default=_suggest_daemon_start,
    ),
)
