"""Every error has its exit status, HTTP status and code of JSON-RPC."""

from gieok import errors
from gieok.errors import STATUS, GieokError


def _all(kind: type[GieokError]) -> set[type[GieokError]]:
    return {kind}.union(*map(_all, kind.__subclasses__()))


def test_each_code_is_in_the_table_and_no_other() -> None:
    assert {kind.code for kind in _all(GieokError) if kind.__module__ == errors.__name__} == set(
        STATUS
    )
