"""Contract suites: what every backend of a kind does, as pytest classes to inherit from.

    class TestMyStore(StoreContract):
        @pytest.fixture
        def make_store(self, tmp_path):
            numbers = itertools.count()
            return lambda: MyStore(tmp_path / str(next(numbers)))

A store without every ability inherits `DocumentContract` and the parts that it has. `ProcessContract` is for stores that
several processes open, `RefusalContract` for those that a disk or a lock can stop.
"""

from gieok.testing.contracts.documents import DocumentContract
from gieok.testing.contracts.keyword import KeywordContract
from gieok.testing.contracts.machine import MachineContract
from gieok.testing.contracts.processes import ProcessContract
from gieok.testing.contracts.refusals import RefusalContract
from gieok.testing.contracts.scale import ScaleContract
from gieok.testing.contracts.store import StoreContract
from gieok.testing.contracts.switch import SwitchContract
from gieok.testing.contracts.vector import VectorContract

__all__ = [
    "DocumentContract",
    "KeywordContract",
    "MachineContract",
    "ProcessContract",
    "RefusalContract",
    "ScaleContract",
    "StoreContract",
    "SwitchContract",
    "VectorContract",
]
