"""Marks of Hermes, whose sessions say where they came from."""

from gieok.agents.marks.mark import Mark, Speaker, SpeakerKind, build_program_text

_HOST = "hermes"


def _build_hermes_line(source: str) -> dict[str, object]:
    return {"hermes": 1, "session": {"id": "s", "source": source}}


MARKS = (
    Mark(
        host=_HOST,
        kind=SpeakerKind.HEAD,
        sign="session.source",
        speaker=Speaker.AGENT,
        example=_build_hermes_line("subagent"),
        counter=_build_hermes_line("cli"),
        values=("subagent",),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.HEAD,
        sign="session.source",
        speaker=Speaker.PROGRAM,
        example=_build_hermes_line("cron"),
        counter=_build_hermes_line("telegram"),
        values=("cron",),
    ),
    build_program_text(
        _HOST,
        "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted into the summary",
        "The context was compacted, please go on.",
        r"\[CONTEXT (?:COMPACTION|SUMMARY)\b",
    ),
)
