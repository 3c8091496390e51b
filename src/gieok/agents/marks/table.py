"""All marks that tell who speaks, one group of rows for each host."""

from gieok.agents.marks import (
    anywhere,
    claude_code,
    codex,
    copilot_cli,
    gemini,
    hermes,
    kilo,
    kimi_code,
    openclaw,
    opencode,
    pi,
)

MARKS = (
    *claude_code.MARKS,
    *codex.MARKS,
    *copilot_cli.MARKS,
    *gemini.MARKS,
    *opencode.MARKS,
    *kilo.MARKS,
    *kimi_code.MARKS,
    *hermes.MARKS,
    *pi.MARKS,
    *openclaw.MARKS,
    *anywhere.MARKS,
)
