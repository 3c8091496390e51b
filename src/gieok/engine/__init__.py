"""The spine: one file per arrow of the flow. Imports nouns and ports; no rib, no backend, no
surface.
"""
