"""The stretches of the flow that all ribs share: redact, distil, ingest, follow, ask a model.

Imports nouns and ports; no rib, nothing that does input or output by a library, no surface.
"""
