"""Long-term memory of agents: from transcripts and notes to tiered memory.

`files` reads notes, `capture` reads transcripts; `talk` makes turns and claims of the journal,
`observer` distils observations, `reflection` condenses observations, `tiers` moves them between
hot, warm and cold, `exchange` brings memory in and out. `sidecar` runs these parts one step at a
time.
"""
