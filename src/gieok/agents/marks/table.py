"""All marks by which it is told who speaks: a part a host."""

from gieok.agents.marks import anywhere, claude_code, codex, gemini, openclaw, opencode

MARKS = (
    *claude_code.MARKS,
    *codex.MARKS,
    *gemini.MARKS,
    *opencode.MARKS,
    *openclaw.MARKS,
    *anywhere.MARKS,
)
