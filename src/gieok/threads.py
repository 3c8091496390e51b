"""Limit of numeric code to one thread, unless the user says otherwise.

Two threads on busy cores cost ten times the CPU for the small matrices of a search (measured).
Numeric libraries read the environment variables set here when they are first imported, so every
subpackage that may import such a library imports this module first.
"""

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ.setdefault(_variable, "1")
