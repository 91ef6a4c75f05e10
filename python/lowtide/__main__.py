"""`python -m lowtide` is the command `lowtide`, the one that came with this package."""

import os
import sys

from lowtide._command import CommandMissing, find_command


def main() -> int:
    try:
        command = find_command()
    except CommandMissing as missing:
        print(missing, file=sys.stderr)
        return 3
    os.execv(command, [command, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
