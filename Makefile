# `make help` lists the targets. Needs Python 3.11 or newer; everything else is installed by the targets themselves.

PYTHON = python3
NAME =
ARGS =

# what resolves requirements.lock, and the dependency groups of pyproject.toml that go into it
UV = uv==0.13.8
GROUPS = book formats test setup

# With sympy's default cache of 1000 entries, loading all chapters takes a fifth longer. Without bytecode files, each
# process would compile all sources again.
HERE = PATH="$$PWD/.venv/bin:$$PATH" SYMPY_CACHE_SIZE=20000 PYTHONDONTWRITEBYTECODE=
RUN = $(HERE) .venv/bin/python -m

help: ## list these targets
	@echo "make TARGET, where TARGET is one of"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | awk -F'|' '{ printf "  %-14s %s\n", $$1, $$2 }'

book: setup ## build the site into _build/html
	@$(RUN) mathbook.build

serve: setup ## serve the site on this machine and rebuild it on every change
	@$(RUN) mathbook.build --serve

instructor: setup ## build the edition with all keys, and _build/course for lecturers
	@$(RUN) mathbook.build --instructor
	@$(RUN) course $(ARGS)

course: book ## write _build/course alone; ARGS="--seed 7" draws other exams, --students FILE other homework
	@$(RUN) course $(ARGS)

exports: book ## write all exercises as Moodle XML and QTI 2.1 into _build/exports
	@$(RUN) exports

pdf: book ## print the chapters and the whole book into _build/pdf; NAME=young-daly for one chapter
	@"$(PYTHON)" .ci/browser.py chromium
	@$(RUN) formats pdf $(NAME)

epub: book ## write _build/epub/book.epub (NAME=chapter: NAME.epub)
	@"$(PYTHON)" .ci/browser.py chromium
	@$(RUN) formats epub $(NAME)

zip: book ## write _build/zip/book.zip, the site as an archive to open from disk
	@$(RUN) formats zip

chapter: setup ## build one chapter only, as in: make chapter NAME=young-daly
	@test -n "$(NAME)" || { echo "Say which chapter: make chapter NAME=young-daly" >&2; exit 1; }
	@$(RUN) mathbook.build --chapter "$(NAME)"

verify: setup ## check every formula, derivation, example and exercise; print the table
	@$(RUN) mathcore verify

check: setup lint ## lint and the fast tests: no browser, no notebooks
	@$(RUN) pytest -n 2 --dist loadgroup --ignore tests/browser -m "not slow and not exhaustive and not browser" $(ARGS)

test: lint browser verify book ## all tests, with the built site in Chromium and Firefox
	@$(RUN) pytest -n auto --dist loadgroup -m "not extended" $(ARGS)

nightly: browser book ## tests too long for every push: every browser and size, exports, printed formats, the wheel, mutation test
	@$(RUN) pytest -n auto --dist loadgroup -m extended tests/browser $(ARGS)
	@$(RUN) pytest -m extended --ignore=tests/browser $(ARGS)
	@$(MAKE) exports instructor pdf epub zip
	@$(MAKE) reference-run
	@$(MAKE) mutation-test ARGS="--count 40"

reference-run: python ## the reference run: a small training job with real faults; ARGS="hang" for some of them
	@"$(PYTHON)" .ci/reference_run.py
	@.venv-practice/bin/python -W ignore -m practice.run $(ARGS)

artefacts: setup ## update the numbers of book/artefacts from the statements that their comments name
	@$(HERE) .venv/bin/python .ci/numbers_of_artefacts.py

lighthouse: browser book ## Lighthouse on pages: ARGS="young-daly --runs 1"; needs npx and a network
	@$(HERE) .venv/bin/python .ci/lighthouse.py $(ARGS)

mutation-test: setup ## seed random errors and list those that no check finds: ARGS="--count 40 --kind fact"
	@$(HERE) .venv/bin/python tests/support/run_mutation_tests.py $(ARGS)

lint: setup ## ruff: rules and format; mypy: types; terms of the field
	@$(RUN) ruff check --quiet .
	@$(RUN) ruff format --check --quiet . || { echo "Not in the book's format: run make format" >&2; exit 1; }
	@$(RUN) mypy --no-error-summary
	@$(HERE) .venv/bin/python .ci/terms.py

format: setup ## format the Python files
	@$(RUN) ruff check --fix .
	@$(RUN) ruff format .

setup: python ## create .venv and node_modules from the locks (the other targets do so themselves)
	@"$(PYTHON)" .ci/bootstrap.py

browser: setup ## find or install Chromium and Firefox for the tests (make test does it itself)
	@"$(PYTHON)" .ci/browser.py

lock: setup ## resolve requirements.lock and package-lock.json again, within the pins
	@"$(PYTHON)" -m venv _build/lock
	@_build/lock/bin/python -m pip install --quiet $(UV)
	@_build/lock/bin/uv pip compile pyproject.toml $(GROUPS:%=--group=%) --upgrade --universal --python-version=3.11 \
		--generate-hashes --only-binary=:all: --no-annotate --quiet --custom-compile-command="make lock" -o requirements.lock
	@$(HERE) npm update --package-lock-only --loglevel=error

clean: ## remove what was built
	@rm -rf _build

python:
	@command -v "$(PYTHON)" >/dev/null 2>&1 || { echo "There is no $(PYTHON) here: install Python 3.11 or newer, or name yours, as in: make book PYTHON=python3.12" >&2; exit 1; }

.PHONY: help book serve instructor course exports pdf epub zip chapter verify check test nightly reference-run artefacts lighthouse mutation-test lint format setup browser lock clean python
