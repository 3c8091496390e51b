"""What onnxruntime raises."""


def run_errors() -> tuple[type[Exception], ...]:
    """Return what onnxruntime raises: its errors have no base class of their own. Raises
    ImportError without it.
    """
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    return tuple(
        kind
        for kind in vars(state).values()
        if isinstance(kind, type) and issubclass(kind, Exception)
    )
