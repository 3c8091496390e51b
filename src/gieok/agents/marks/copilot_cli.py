"""Marks of Copilot CLI, whose events name the sub-agent that they are of."""

from gieok.agents.marks.mark import SAID, SOMETHING, Mark, Speaker, SpeakerKind

_HOST = "copilot-cli"

MARKS = (
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="agentId",
        speaker=Speaker.AGENT,
        example={"type": "user.message", "data": {"content": SAID}, "agentId": "a"},
        counter={"type": "user.message", "data": {"content": SAID}},
        values=(SOMETHING,),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="data.parentToolCallId",
        speaker=Speaker.AGENT,
        example={"type": "assistant.message", "data": {"parentToolCallId": "call_1"}},
        counter={"type": "assistant.message", "data": {"content": SAID}},
        values=(SOMETHING,),
    ),
    # A skill, a queue or another program wrote the message; it names itself.
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="data.source",
        speaker=Speaker.PROGRAM,
        example={"type": "user.message", "data": {"source": "skill-pdf"}},
        counter={"type": "user.message", "data": {"content": SAID}},
        values=(SOMETHING,),
    ),
)
