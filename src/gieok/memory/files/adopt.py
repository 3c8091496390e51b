"""One-time adoption: trusts the project records that a store held before trust existed.

They had been injected all along.
"""

from collections import defaultdict
from functools import partial
from pathlib import Path

from gieok.memory.files import roots
from gieok.ports.store import Store
from gieok.settings import grants, trust
from gieok.settings.grants import Grant, TrustedContent


def adopt_stored_records(home: Path, store: Store) -> None:
    """Trust the records that a store holds, by content; raises StoreError.

    Later records are indexed only once they are trusted. Starts over after a kill; leaves
    `trust.adopted_file` behind when done.
    """
    entries_by_project: dict[str, set[TrustedContent]] = defaultdict(set)
    for scope in store.scopes():
        hashes = store.hashes(scope)
        for root in roots.load_roots(store, scope):
            for key, digest in hashes.items():
                if root.owns(key) and (
                    record := grants.record_of(str(root.file(key.partition("/")[2])))
                ):
                    entries_by_project[record[0]].add(
                        grants.build_trusted_content(record[1], digest)
                    )
    for project, entries in entries_by_project.items():
        if not (grants.is_own(project) or trust.is_carried(str(home), project)):
            grants.edit_grant(home, project, partial(Grant.with_entries, entries=entries))
    grants.mark_adopted(home)
