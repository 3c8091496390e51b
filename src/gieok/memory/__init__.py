"""Long-term memory of agents: from transcripts and notes to tiered memory.

`files` reads notes, `capture` transcripts; `talk` makes turns and claims of the journal, `observer`
distils observations, `reflection` condenses them, `tiers` moves them between hot, warm and cold,
`exchange` brings memory in and out. `sidecar` runs them one step at a time.
"""
