"""What lies on this machine beside Gieok: Git, parsers, the keyring, files of other programs."""

import gieok.threads  # noqa: F401
