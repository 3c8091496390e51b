"""Local replica of a remote store's index, kept where `hybrid` says so.

The replica answers while the server does not.
"""

from gieok.flow import lifecycle
from gieok.home.call import Call
from gieok.model.memory import Scope


def copy_beside(call: Call, scope: Scope, *, force: bool = False) -> None:
    """Bring the local replica in line with what the remote store holds of a scope.

    Raises StoreError.
    """
    for beside in call.home.stores.all()[1:]:
        lifecycle.copy_scope(
            call.home.store,
            beside,
            scope,
            force=force,
            progress=lambda done: call.say(f"copied {done:,}"),
        )
        lifecycle.copy_vectors(call.home.store, beside)
        beside.compact()
