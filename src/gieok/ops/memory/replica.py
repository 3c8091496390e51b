"""Local replica of a remote store's index, kept where `hybrid` says so.

The replica answers while the server does not.
"""

from gieok.flow import lifecycle
from gieok.model.memory import Scope
from gieok.ops.context import Context


def copy_beside(context: Context, scope: Scope, *, force: bool = False) -> None:
    """Bring the local replica in line with what the remote store holds of a scope.

    Raises StoreError.
    """
    for beside in context.memory.stores()[1:]:
        lifecycle.copy_scope(
            context.memory.store(),
            beside,
            scope,
            force=force,
            progress=lambda done: context.say(f"copied {done:,}"),
        )
        lifecycle.copy_vectors(context.memory.store(), beside)
        beside.compact()
