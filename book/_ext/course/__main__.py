"""Write the folder for lecturers: `python -m course`, in the environment of the book."""

import sys

try:
    from course.command import main
except ModuleNotFoundError as error:
    sys.exit(f"{error.name} is missing in {sys.executable}: in the book's folder, run `make course` instead")

if __name__ == "__main__":
    sys.exit(main())
