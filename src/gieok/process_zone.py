"""Time zone of this process, for the hook, which has no time for `datetime`."""

import os
import time

#: The value of the setting `zone` that means the machine's.
AUTO_ZONE = "auto"


def set_process_zone(name: str) -> None:
    """Set the time zone of this process; does nothing for `auto`, or if a system cannot.

    For programs of Gieok alone: a program that opens a memory keeps its own clock.
    """
    if name != AUTO_ZONE and hasattr(time, "tzset"):
        os.environ["TZ"] = name
        time.tzset()
