"""Stages of the flow that all ribs share: redact, distil, ingest, follow, ask a model.

The package imports nouns and ports; no rib, no library that does input or output, no surface.
"""
