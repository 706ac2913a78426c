"""`python -m dncsc` is the command `dncsc`."""

import sys

from dncsc.cli import main

if __name__ == "__main__":
    sys.exit(main())
