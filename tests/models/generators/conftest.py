from collections.abc import Iterator

import pytest

from gieok.testing.model_server import ModelServer


@pytest.fixture
def server() -> Iterator[ModelServer]:
    made = ModelServer()
    yield made
    made.shutdown()
    made.server_close()
