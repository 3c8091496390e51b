"""Marks of Kimi Code, whose prompts say where they came from."""

from gieok.agents.marks.mark import SOMETHING, Mark, Speaker, SpeakerKind

_HOST = "kimi-code"


def _build_kimi_prompt(kind: str) -> dict[str, object]:
    return {"type": "turn.prompt", "input": [], "origin": {"kind": kind}}


MARKS = (
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="origin.kind",
        speaker=Speaker.PERSON,
        example=_build_kimi_prompt("user"),
        counter=_build_kimi_prompt("hook"),
        values=("user",),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="origin.kind",
        speaker=Speaker.PROGRAM,
        example=_build_kimi_prompt("hook"),
        counter=_build_kimi_prompt("user"),
        values=(SOMETHING,),
    ),
)
