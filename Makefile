# The whole book by words: `make help` lists them. Needs Python 3.11 or newer; the rest is set up.

PYTHON = python3
NAME =
ARGS =

# With sympy's usual memory of 1000 each, to load all chapters takes a fifth longer;
# and where Python may not keep what it compiled, each of its processes compiles the book's sources again.
HERE = PATH="$$PWD/.venv/bin:$$PATH" SYMPY_CACHE_SIZE=20000 PYTHONDONTWRITEBYTECODE=
RUN = $(HERE) .venv/bin/python -m

help: ## list these words
	@echo "make WORD, where WORD is one of"
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1|\2/p' Makefile | awk -F'|' '{ printf "  %-10s %s\n", $$1, $$2 }'

book: setup ## build the site into _build/html
	@$(RUN) mathbook.build

serve: setup ## show the site on this machine and rebuild it on every change
	@$(RUN) mathbook.build --serve

instructor: setup ## build the edition with all keys, and the lecturers' folder _build/course
	@$(RUN) mathbook.build --instructor
	@$(RUN) course

exports: book ## write all exercises for Moodle (XML, GIFT) and as QTI 2.1 into _build/exports
	@$(RUN) exports

pdf: printer book ## print the chapters and the whole book into _build/pdf, and link them: NAME=young-daly for one alone
	@$(RUN) formats pdf $(NAME)

epub: printer book ## write _build/epub/book.epub, and link it
	@$(RUN) formats epub $(NAME)

zip: book ## write _build/zip/book.zip, the site to unpack and open from disk, and link it
	@$(RUN) formats zip

chapter: setup ## build one chapter only, as in: make chapter NAME=young-daly
	@test -n "$(NAME)" || { echo "Say which chapter: make chapter NAME=young-daly" >&2; exit 1; }
	@$(RUN) mathbook.build --chapter "$(NAME)"

verify: setup ## check every formula, derivation, example and exercise; print the table
	@$(RUN) mathcore verify

check: setup lint ## the fast tests, under a minute: no browser, no notebooks, nothing that starts a process for each case
	@$(RUN) pytest --ignore tests/browser -m "not slow and not sweep and not browser" $(ARGS)

test: lint browser verify book ## the tests, on the built site in Chromium and Firefox as well
	@$(RUN) pytest -n auto --dist loadgroup -m "not again" $(ARGS)

again: browser book ## what `make test` leaves out: its visits once more, in every other browser, size and way
	@$(RUN) pytest -n auto --dist loadgroup -m again tests/browser $(ARGS)

practice: python ## run, strike and resume a small training job in real processes; ARGS="hang" for some faults
	@"$(PYTHON)" .ci/practice.py
	@.venv-practice/bin/python -W ignore -m practice.run $(ARGS)

bench: setup ## measure speed beside the same thing by hand
	@$(RUN) pytest tests/benchmarks --benchmark-enable --benchmark-only $(ARGS)

measure: browser book ## weigh and time pages as a slow phone has them: ARGS="young-daly --runs 1"; needs npx and a network
	@$(HERE) .venv/bin/python .ci/measure.py $(ARGS)

mutants: setup ## plant slips at random and count how many no check finds: ARGS="--count 40 --kind fact"
	@$(HERE) .venv/bin/python tests/mutants.py $(ARGS)

lint: setup ## ruff: rules and format; mypy: types
	@$(RUN) ruff check --quiet .
	@$(RUN) ruff format --check --quiet . || { echo "Not in the book's format: run make format" >&2; exit 1; }
	@$(RUN) mypy --no-error-summary

format: setup ## put the Python files into the book's format
	@$(RUN) ruff check --fix .
	@$(RUN) ruff format .

setup: python ## make .venv and node_modules as the locks say (the words above do it themselves)
	@"$(PYTHON)" .ci/bootstrap.py

browser: setup ## find or install Chromium and Firefox for the tests (make test does it itself)
	@"$(PYTHON)" .ci/browser.py

printer: setup ## find or install Chromium, which prints the book
	@"$(PYTHON)" .ci/browser.py chromium

lock: python ## resolve requirements.lock and package-lock.json anew
	@"$(PYTHON)" .ci/lock.py

clean: ## take away what was built
	@rm -rf _build

distclean: clean ## take away the environment and the browser parts as well
	@rm -rf .venv .venv-practice node_modules

python:
	@command -v "$(PYTHON)" >/dev/null 2>&1 || { echo "There is no $(PYTHON) here: install Python 3.11 or newer, or name yours, as in: make book PYTHON=python3.12" >&2; exit 1; }

.PHONY: help book serve instructor exports pdf epub zip printer chapter verify check test again practice bench measure mutants lint format setup browser lock clean distclean python
