"""Names of scopes, and the beginnings and ends of keys that say whose a text is."""

#: The user's own scope, before anything is configured.
USER_SCOPE = "agent:main"
#: The owner of a home among the users of its characters, where nobody else is named.
ME = "me"
#: Conversations are kept under this name, beside the names of indexed folders:
#: `sessions/<agent>/<file>`.
SESSIONS = "sessions"
#: Ends the key of a statement about the user that was made in a project and is kept in the user's
#: scope too.
PROMOTED = "/user"
#: Scopes of content that existed before Gieok: agents' own memory, instruction files, commits.
SEEDS = "seeds"
_BROUGHT = "/from:repository"
#: A scope: `kind:name` parts, joined by `/`.
SCOPE_PATTERN = r"[^\s/:]+:[^\s/]+(/[^\s/:]+:[^\s/]+)*"


def repository_scope(scope: str) -> str:
    """Return the scope of a repository's own content.

    The scope is searched with the project's, and never injected.
    """
    return f"{scope}{_BROUGHT}"


def is_brought(scope: str) -> bool:
    """Return whether a scope is a `repository_scope`."""
    return scope.endswith(_BROUGHT)


def is_served(scope: str) -> bool:
    """Return whether a scope belongs to a service of characters.

    The service learns from its own conversations, which stay as they are.
    """
    return scope.startswith("character:") or "/character:" in scope or "/canon:" in scope


def is_of_account(scope: str) -> bool:
    """Return whether a scope belongs to a service of characters, or to a user but for the owner.

    Who erases such an account erases it on this device alone.
    """
    users = {part for part in scope.split("/") if part.startswith("user:")}
    return is_served(scope) or bool(users - {f"user:{ME}"})
