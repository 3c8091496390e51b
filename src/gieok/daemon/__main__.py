"""`python -m gieok.daemon`: run in the foreground, as `gieok up` and a system's service do."""

import sys

from gieok.daemon.process import main

if __name__ == "__main__":
    sys.exit(main())
