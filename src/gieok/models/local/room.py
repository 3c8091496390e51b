"""Check that the process may take the memory that the model needs.

Under `ulimit -v`, OpenBLAS ends the process instead of raising.
"""

import os

from gieok.errors import EmbedderFailed, Phrase

#: Address space beyond what the process has: for a loaded model (220 MB were seen), and to convert
#: it once (650 MB).
LOADED_BYTES, CONVERTED_BYTES = 256 << 20, 700 << 20
#: The same for a head of the reader where the libraries are loaded already (95 MB were seen).
HEAD_BYTES = 112 << 20
_HINT = "raise `ulimit -v`, or set `embedder: none`"


def require_address_space(needed_bytes: int) -> None:
    """Raise EmbedderFailed where a limit leaves less than `needed_bytes` of address space."""
    if os.name != "posix":
        return
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit - _measure_address_space() < needed_bytes:
        raise build_memory_shortage_error(
            Phrase(
                "it needs {needed_mb} MB more than `ulimit -v {limit_kib}` leaves",
                needed_mb=needed_bytes >> 20,
                limit_kib=limit >> 10,
            )
        )


def build_memory_shortage_error(what: str) -> EmbedderFailed:
    """Return the error for too little memory."""
    return EmbedderFailed(
        "too little memory for the embedding model: {what}", what=Phrase(what), hint=_HINT
    )


def _measure_address_space() -> int:
    try:
        # One line of a pseudo-file.
        with open("/proc/self/statm", "rb") as statistics:  # noqa: PTH123
            return int(statistics.read().split()[0]) * os.sysconf("SC_PAGESIZE")
    except OSError:  # macOS, which has no such limit either
        return 0
