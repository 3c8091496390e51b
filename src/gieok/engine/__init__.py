"""The spine: one file per arrow of the flow. Knows nouns and ports; knows no rib, no backend, no surface."""
