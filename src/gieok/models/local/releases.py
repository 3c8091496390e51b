"""Releases of the bundled model: the current one, and those whose vectors a store may still hold.

The adapter of the vectors was trained by us (`training/`); release 1 is the model as it was
published.
"""

from typing import NamedTuple


class Release(NamedTuple):
    """Release of the bundled model.

    `folder` changes with the format and the weights, so one release never finds another's files;
    `strength` is the share of the adapter's change that is merged into the weights.
    """

    model: str
    folder: str
    strength: float


#: At half of the adapter, lines are found that share no word with the prompt, and general retrieval
#: stays what it was (docs/reader.md).
CURRENT = Release("e5-small-koen-int8@2", "e5-small-koen-int8-v2", 0.5)
#: Releases whose vectors a store may still hold: they answer until the new ones are made.
EARLIER = (Release("e5-small-koen-int8@1", "e5-small-koen-int8-v1", 0.0),)
