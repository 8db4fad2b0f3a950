"""Write all exercises and questions as files for platforms: `python -m exports`, in the environment of the book."""

import sys

try:
    from exports.command import main
except ModuleNotFoundError as error:
    sys.exit(f"{error.name} is missing in {sys.executable}: in the book's folder, run `make exports` instead")

if __name__ == "__main__":
    sys.exit(main())
