"""Gives the hook all the time that indexing at a session's start needs, where this is imported.

A shared machine is slow at times, and no test but those of the deadline depends on it.
"""

import gieok.__main__ as program
import gieok.surfaces.hook.run as hook

program._REFRESH_S = 600
hook._ENDS_S = {"session-start": 600, "pre-compact": 600}
