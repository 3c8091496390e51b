"""Backends: stores, journals, embedders, generators and the rest. Only `gieok.app` loads them,
through `gieok.registry`.

Numeric code runs on one thread unless the user says otherwise: two threads on busy cores cost ten
times the CPU for the small matrices of a search (measured). Numeric libraries read this when they
are first imported.
"""

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ.setdefault(_variable, "1")
