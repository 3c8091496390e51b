"""Time zone of a user's days."""

from datetime import tzinfo

from gieok.errors import BadRequest
from gieok.model.accounts import Account
from gieok.zone import find_zone


def zone_named(name: str, home: tzinfo | None = None) -> tzinfo:
    """Return a time zone by name, the home's zone for ''. Raises BadRequest for an unknown name."""
    if not name and home is not None:
        return home
    try:
        return find_zone(name)
    except ValueError as error:
        raise BadRequest(
            "unknown time zone {name!r}", name=name[:80], hint="use a name such as Asia/Seoul"
        ) from error


def find_account_zone(account: Account | None, home: tzinfo) -> tzinfo:
    """Return the time zone of a user's days: the user's own, else the home's.

    The home's zone is also used where the user's zone name is no longer known.
    """
    try:
        return zone_named(account.zone if account else "", home)
    except BadRequest:
        return home
