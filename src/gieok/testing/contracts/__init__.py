"""Contract suites: pytest classes that test what every backend of a kind does.

A backend's test class inherits them:

    class TestMyStore(StoreContract):
        @pytest.fixture
        def make_store(self, tmp_path):
            numbers = itertools.count()
            return lambda: MyStore(tmp_path / str(next(numbers)))

A store with vectors of lines inherits `LineContract` too.

A store without every ability inherits `DocumentContract` and the contracts of the abilities that it
has. `ProcessContract` is for stores that several processes open, `RefusalContract` for those that a
full disk or a lock can stop.

`JournalContract` is for journals, with a fixture `make_journal`, and `JournalProcessContract` for
those that several processes open. `ArchiveContract` is for archives, with a fixture `make_archive`.
"""

from gieok.testing.contracts.archive_rows import ArchivedContract
from gieok.testing.contracts.archives import ArchiveContract
from gieok.testing.contracts.documents import DocumentContract
from gieok.testing.contracts.durable import DurableContract, ForgettingContract
from gieok.testing.contracts.journal import MessageContract
from gieok.testing.contracts.journal_sequences import SequenceContract
from gieok.testing.contracts.keyword import KeywordContract, ScaleContract
from gieok.testing.contracts.lines import LineContract
from gieok.testing.contracts.machine import MachineContract
from gieok.testing.contracts.positions import LedgerContract, PositionContract
from gieok.testing.contracts.processes import JournalProcessContract, ProcessContract
from gieok.testing.contracts.refusals import RefusalContract
from gieok.testing.contracts.switch import SwitchContract
from gieok.testing.contracts.vector import VectorContract


class StoreContract(
    DocumentContract,
    KeywordContract,
    VectorContract,
    SwitchContract,
    ScaleContract,
    MachineContract,
):
    """Contract of `Store`, `KeywordSearch`, `VectorSearch` and `ModelSwitch`.

    A subclass defines the fixture `make_store`.
    """


class JournalContract(
    MessageContract,
    SequenceContract,
    PositionContract,
    DurableContract,
    ArchivedContract,
    ForgettingContract,
    LedgerContract,
):
    """The whole contract of a journal. A subclass defines the fixture `make_journal`."""


__all__ = [
    "ArchiveContract", "ArchivedContract", "DocumentContract", "DurableContract",
    "ForgettingContract", "JournalContract", "JournalProcessContract", "KeywordContract",
    "LedgerContract", "LineContract", "MachineContract", "MessageContract", "PositionContract",
    "ProcessContract", "RefusalContract", "ScaleContract", "SequenceContract", "StoreContract",
    "SwitchContract", "VectorContract",
]  # fmt: skip
