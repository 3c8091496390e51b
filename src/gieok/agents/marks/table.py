"""All marks that tell who speaks, one group of rows for each host."""

from gieok.agents.marks import anywhere, claude_code, codex, gemini, openclaw, opencode

MARKS = (
    *claude_code.MARKS,
    *codex.MARKS,
    *gemini.MARKS,
    *opencode.MARKS,
    *openclaw.MARKS,
    *anywhere.MARKS,
)
