"""Marks of pi, whose entries say by a role what a program or an extension wrote.

A skill that a person calls, and the files that a prompt names, stand in the person's message, before
the person's own words.
"""

from functools import partial

from gieok.agents.marks.mark import Mark, Speaker, SpeakerKind, build_program_front

_HOST = "pi"
_build_pi_front = partial(build_program_front, _HOST)
MARKS = (
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="message.role",
        speaker=Speaker.PROGRAM,
        example={"type": "message", "message": {"role": "bashExecution", "command": "ls"}},
        counter={"type": "message", "message": {"role": "user", "content": "ls"}},
        values=("bashExecution", "custom", "hookMessage", "branchSummary", "compactionSummary"),
    ),
    # Greedy: what is told may hold the closing tag itself. No blocks: a person may write `<file>`.
    _build_pi_front(
        r"<skill name=\"[^\"\n]*\" location=\"[^\"\n]*\">\n(?s:.*)\n</skill>\s*",
        '<skill name="deploy" location="/x/SKILL.md">\nReferences are relative to /x.\n\n'
        "not theirs\n</skill>\n\n",
        "What does <skill> mean?",
    ),
    _build_pi_front(
        r"<file name=\"[^\"\n]*\">(?s:.*)</file>\s*",
        '<file name="/x/a.md">\nnot theirs\n</file>\n<file name="/x/b.png"></file>\n',
        "Close it with </file>, or <file>a</file> is open.",
    ),
)
