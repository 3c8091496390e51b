"""Protocols that the engine needs of backends: small, and batch first.

An ability that not every store has is a protocol of its own (`KeywordSearch`, `VectorSearch`),
never a method that raises NotImplementedError. `gieok.testing.contracts` tests each sentence below;
every backend passes these tests.
"""
