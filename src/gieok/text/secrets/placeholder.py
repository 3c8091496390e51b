"""The placeholder of a secret that was cut from a text."""

import re

#: `[redacted:KIND]`.
PLACEHOLDER = re.compile(r"\[redacted:[a-z0-9-]{1,40}\]")
