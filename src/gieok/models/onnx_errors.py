"""Exception types of onnxruntime."""


def run_errors() -> tuple[type[Exception], ...]:
    """Return the exception types that onnxruntime raises: they have no base class of their own.

    Raises ImportError without onnxruntime.
    """
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    return tuple(
        kind
        for kind in vars(state).values()
        if isinstance(kind, type) and issubclass(kind, Exception)
    )
