"""Marks of pi, whose entries say by a role what a program or an extension wrote."""

from gieok.agents.marks.mark import Mark, Speaker, SpeakerKind

MARKS = (
    Mark(
        host="pi",
        kind=SpeakerKind.FIELD,
        sign="message.role",
        speaker=Speaker.PROGRAM,
        example={"type": "message", "message": {"role": "bashExecution", "command": "ls"}},
        counter={"type": "message", "message": {"role": "user", "content": "ls"}},
        values=("bashExecution", "custom", "hookMessage", "branchSummary", "compactionSummary"),
    ),
)
