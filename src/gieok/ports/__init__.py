"""What the engine needs of backends: small protocols, batch first.

An ability that not every store has is a protocol of its own (`KeywordSearch`, `VectorSearch`),
never a method that raises NotImplementedError. `gieok.testing.contracts` pins each sentence below;
every backend passes it.
"""
