"""Long-term memory of agents: from transcripts and notes to tiered memory.

`files` reads notes and `capture` reads transcripts into the journal. `talk` derives turns and
claims from the journal, `observer` distils observations, `reflection` condenses observations,
`tiers` moves memories between hot, warm and cold, and `exchange` imports and exports memory.
`sidecar` runs these parts one step at a time.
"""
