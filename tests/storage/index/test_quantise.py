"""A vector is one scale and a byte for each dimension."""

import numpy as np
import pytest

from gieok.storage.index.quantise import pack, restore_vector, unpack

_ROWS = {
    "values on both sides": ([0.1, -0.05, 0.0, 0.025], [127, -64, 0, 32]),
    "a value that stands alone": ([-2.0], [-127]),
    "nothing": ([0.0, 0.0, 0.0], [0, 0, 0]),
}


@pytest.mark.parametrize("name", _ROWS)
def test_the_largest_value_gets_the_largest_byte(name: str) -> None:
    wanted, whole = _ROWS[name]
    vector = np.array(wanted, "<f4")
    packed = pack(vector.tobytes())
    assert np.frombuffer(packed[4:], np.int8).tolist() == whole
    largest = max(abs(value) for value in wanted)
    assert np.frombuffer(packed[:4], "<f4")[0] == pytest.approx(largest / 127, abs=1e-13)
    restored = restore_vector(packed)
    assert pack(restored) == packed
    assert np.frombuffer(restored, "<f4") == pytest.approx(vector, abs=largest / 254 + 1e-9)


def test_packed_vectors_are_read_as_rows_with_their_scales() -> None:
    rows = [pack(np.array(row, "<f4").tobytes()) for row in ([1.0, 0.5], [0.0, -4.0])]
    values, scales = unpack(rows, 2)
    assert values.tolist() == [[127, 64], [0, -127]]
    assert scales.tolist() == pytest.approx([1 / 127, 4 / 127])
    assert unpack([], 2)[0].shape == (0, 2)
