"""`python -m mathcore verify [--json FILE]`: check the whole book and print what was found."""

import argparse
import json
import sys
from pathlib import Path

from mathcore import remembering
from mathcore.verification import table, verify


def main(arguments=None):
    """Run a command; return the exit status: 0 if all holds, 1 if anything fails."""
    parser = argparse.ArgumentParser(prog="python -m mathcore", description="Check the book's mathematics.")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("verify", help="check every statement and number, and print a table")
    check.add_argument("--json", metavar="FILE", type=Path, help="also write the report as JSON")
    options = parser.parse_args(arguments)
    remembering.distrust()  # this check is the one that everything else may rely on
    report = verify()
    print(table(report))
    for failure in report.failures:
        print(failure, file=sys.stderr)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(report.as_dict(), indent=2, ensure_ascii=False) + "\n", "utf-8")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
