# The two commands of the README are `make lab` and `make test`; `make help` lists all.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
PIP_ARGS ?=
LAB_ARGS ?= $(if $(filter 0,$(shell id -u)),--allow-root)
FOLDER ?= data/sample_class
# The sample class has a gradebook of its own, so that it never mixes with a real one.
CLASS ?= $(if $(filter data/sample_class,$(FOLDER)),class/sample,class)
SITE ?= build/site
BIN := .venv/bin
READY := .venv/.ready

COLAB := .venv-colab
COLAB_READY := $(COLAB)/.ready

.PHONY: help setup lab build sample site release grade cards test without-browser lint unit \
	drift mutants survivors nbval browser timing flaky constraints proxied \
	gradescope-image

help:  ## List what can be made
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 18

setup: $(READY)  ## Make .venv with the pinned versions (PIP_ARGS goes to pip)

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| (echo "This needs Python 3.11 or newer; call make PYTHON=/path/to/python3.11"; false)
	@echo "Setting up .venv: this downloads about 300 MB once and takes a few minutes."
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet -c constraints.txt $(PIP_ARGS) -e '.[dev]'
	@touch $@
	@echo "Ready."

lab: setup  ## Open JupyterLab on the five notebooks
	@echo "Opening JupyterLab. Stop it with Ctrl-C."
	$(BIN)/jupyter lab $(LAB_ARGS) notebooks

build: setup  ## lessons/ → solutions/ and notebooks/
	$(BIN)/autograder build

sample: setup  ## lessons/ → data/sample_class/, after a change of a lesson
	PYTHONPATH=lessons:tests $(BIN)/python tests/sample_class.py

site: setup  ## The lessons as pages to read: build/site/index.html
	rm -rf "$(SITE)"
	$(BIN)/python docs/site/pages.py "$(SITE)-pages"
	$(BIN)/sphinx-build -q -W --keep-going -c docs/site -d "$(SITE)-pages/.doctrees" \
		"$(SITE)-pages" "$(SITE)"

release: setup  ## solutions/ → class/release/, for students
	$(BIN)/autograder release

grade: setup  ## Grade a class: FOLDER=data/sample_class by default
	$(BIN)/autograder grade "$(FOLDER)" --class-dir "$(CLASS)"

cards: setup  ## Write the recall cards as an Anki deck
	$(BIN)/autograder cards

test: setup  ## All that CI runs
	@$(MAKE) --no-print-directory -j2 without-browser $(COLAB_READY)
	@$(MAKE) --no-print-directory browser

# One after the other, while the environment for the browser tests is downloaded.
without-browser:
	@for part in lint unit drift mutants nbval; do \
		$(MAKE) --no-print-directory $$part || exit; done

lint: setup  ## Style of the code
	@echo "== lint"
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

unit: setup  ## Tests of the package, the checks and the lessons
	@echo "== unit"
	$(BIN)/pytest -q -n auto --dist loadfile --no-loadscope-reorder \
		tests --ignore=tests/browser

drift: setup  ## Are the built notebooks what the lessons say?
	@echo "== drift"
	$(BIN)/autograder build --check

mutants: setup  ## Every known wrong and right answer, against the checks
	@echo "== mutants"
	PYTHONPATH=lessons:tests $(BIN)/python tests/mutants.py

survivors: setup  ## Which small changes to the answers of LESSON do its checks miss?
	PYTHONPATH=lessons:tests $(BIN)/python tests/survivors.py $(LESSON)

nbval: setup  ## Run the solution notebooks and compare their outputs
	@echo "== nbval"
	$(BIN)/pytest -q -n auto --dist loadfile -p no:cacheprovider --nbval --nbval-current-env solutions

$(COLAB_READY): tests/browser/colab.txt
	@echo "Setting up $(COLAB), an environment shaped like Colab's."
	$(PYTHON) -m venv $(COLAB)
	nice -n 19 $(COLAB)/bin/pip install --quiet $(PIP_ARGS) -r tests/browser/colab.txt
	@touch $@

browser: setup $(COLAB_READY)  ## The figures, by keyboard, in two front ends
	@echo "== browser"
	$(BIN)/pytest -q -n auto --dist loadgroup -k "not on_screen_in_time" tests/browser
	$(BIN)/pytest -q -k "on_screen_in_time and lab" tests/browser  # alone: it measures

timing: setup  ## How long each solved lesson takes from top to bottom
	PYTHONPATH=lessons:tests $(BIN)/python tests/time_lessons.py

constraints: setup  ## Pin what is installed now
	@(echo "# What CI runs. Made by: make constraints"; \
	  $(BIN)/pip freeze --exclude-editable | sed 's/+cpu//') > constraints.txt

proxied: setup  ## Every known answer through the sandbox and in one process
	PYTHONPATH=lessons:tests $(BIN)/python tests/proxied.py

flaky: setup  ## Run the checks of lesson 3 with 200 seeds; none may fail
	PYTHONPATH=lessons:tests $(BIN)/python tests/repeat_checks.py

gradescope-image: setup  ## The zip for Gradescope in a fresh Debian (as root)
	PIP_ARGS='$(PIP_ARGS)' tests/gradescope_image.sh
