"""Make the downloads: `python -m formats pdf|epub|zip [CHAPTER …]`, in the environment of the book."""

import sys

try:
    from formats.command import main
except ModuleNotFoundError as error:
    sys.exit(
        f"{error.name} is missing in {sys.executable}: in the book's folder, run `make pdf`, `epub` or `zip` instead"
    )

if __name__ == "__main__":
    sys.exit(main())
