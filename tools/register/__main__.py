"""`python -m tools.register` prints the register of this checkout, as JSON."""

from __future__ import annotations

import sys

from tools.register.register import made

if __name__ == "__main__":
    sys.stdout.buffer.write(made().encode())
