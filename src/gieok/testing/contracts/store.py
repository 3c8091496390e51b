"""The whole contract of a store that has every ability."""

from gieok.testing.contracts.documents import DocumentContract
from gieok.testing.contracts.keyword import KeywordContract
from gieok.testing.contracts.machine import MachineContract
from gieok.testing.contracts.scale import ScaleContract
from gieok.testing.contracts.switch import SwitchContract
from gieok.testing.contracts.vector import VectorContract


class StoreContract(DocumentContract, KeywordContract, VectorContract, SwitchContract, ScaleContract, MachineContract):
    """`Store`, `KeywordSearch`, `VectorSearch` and `ModelSwitch`. A subclass gives the fixture `make_store`."""
