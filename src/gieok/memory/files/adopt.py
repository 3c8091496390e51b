"""Trusts, once, the projects' records that a store held before trust existed: they were injected
all along.
"""

from collections import defaultdict
from functools import partial
from pathlib import Path

from gieok import grants, trust
from gieok.grants import Grant, TrustedContent
from gieok.memory.files import roots
from gieok.ports.store import Store


def adopt(home: Path, store: Store) -> None:
    """Trust the records that a store holds, by content; later ones are indexed only once trusted.
    Raises StoreError.

    Starts over after a kill; leaves `trust.adopted_file` behind when done.
    """
    found: dict[str, set[TrustedContent]] = defaultdict(set)
    for scope in store.scopes():
        hashes = store.hashes(scope)
        for root in roots.load(store, scope):
            for key, digest in hashes.items():
                if root.owns(key) and (
                    record := grants.record_of(str(root.file(key.partition("/")[2])))
                ):
                    found[record[0]].add(grants.named(record[1], digest))
    for project, entries in found.items():
        if not (grants.is_own(project) or trust.is_carried(str(home), project)):
            grants.change(home, project, partial(Grant.with_entries, entries=entries))
    grants.mark_adopted(home)
