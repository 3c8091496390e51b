"""Google's SDK, and the errors that it raises. Importing it takes more than a second."""

import json
from typing import NamedTuple

import httpx2
import pydantic
from google import genai
from google.genai import errors, types

__all__ = ["ERRORS", "SdkErrors", "genai", "types"]


class SdkErrors(NamedTuple):
    """Errors that the SDK raises, by what they say.

    `misunderstood`: an answer had another form than the service's, such as the page of a proxy; the
    SDK reads it without checking all of its form. `late`: the service was connected, and did not
    answer. A ValueError that is none of them: it made no call, or one that did not end.
    """

    of_service: type[errors.APIError]
    late: type[Exception]
    misunderstood: tuple[type[Exception], ...]
    every: tuple[type[Exception], ...]


_MISUNDERSTOOD = (
    errors.UnknownApiResponseError,
    json.JSONDecodeError,
    pydantic.ValidationError,
    AttributeError,
    KeyError,
    TypeError,
)
ERRORS = SdkErrors(
    of_service=errors.APIError,
    late=httpx2.ReadTimeout,
    misunderstood=_MISUNDERSTOOD,
    every=(errors.APIError, httpx2.HTTPError, OSError, ValueError, *_MISUNDERSTOOD),
)
