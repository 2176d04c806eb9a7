# `make evaluate` and `make test` work from a fresh clone: they make the environment first.
VENV ?= .venv
BIN = $(VENV)/bin
PAGES = src/kibitz/table/static tests/front

.PHONY: help evaluate table test check durations verify attack figures format bench release clean

help:
	@echo "make evaluate   both reference tables, 1,000,000 games per row"
	@echo "make table      the table in the browser"
	@echo "make test       formatting, lint, types and tests"
	@echo "make check      formatting, lint, types and the quick tests: before every commit"
	@echo "make verify     the long checks: statistics, and the attack suite"
	@echo "make attack     the attack suite alone: what was tried, held and lost"
	@echo "make figures    every table and plot of README.md and docs, made again; CHECK=1: small versions compared with the pages"
	@echo "make bench      speed of this machine"
	@echo "make release    check version, changelog, tree and wheel, then tag; DRY=1: all but the tag"
	@echo "make PYTHON=python3.13 evaluate   with a Python of your choice; counts when .venv is made (docs/install.md)"

$(VENV)/.installed: pyproject.toml tools/bootstrap
	@echo "installing into $(VENV) …"
	@tools/bootstrap $(VENV) .
	@touch $@

$(VENV)/.installed-tests: pyproject.toml constraints.txt package-lock.json tools/bootstrap tools/browser tools/nginx tools/node
	@echo "installing what tests need into $(VENV) …"
	@tools/bootstrap $(VENV) ".[test]" -c constraints.txt
	@tools/browser $(VENV)
	@tools/nginx
	@tools/node
	@touch $@ $(VENV)/.installed

evaluate: $(VENV)/.installed
	@$(BIN)/kibitz evaluate --published --games 1000000

$(VENV)/.installed-web: pyproject.toml tools/bootstrap
	@echo "installing what the table needs into $(VENV) …"
	@tools/bootstrap $(VENV) ".[web]"
	@touch $@ $(VENV)/.installed

table: $(VENV)/.installed-web
	@$(BIN)/kibitz table

test: $(VENV)/.installed-tests
	@$(BIN)/python tools/stages.py test

check: $(VENV)/.installed-tests
	@$(BIN)/python tools/stages.py check

# How long each test takes, for the order of files, the time left, and which tests are quick. On an idle machine, after `make test`.
durations: $(VENV)/.installed-tests
	@$(BIN)/python tools/stages.py durations

verify: $(VENV)/.installed-tests
	$(BIN)/pytest -m verify

attack: $(VENV)/.installed-tests
	$(BIN)/pytest -m verify tests/verify/attacks

$(VENV)/.installed-report: pyproject.toml constraints.txt tools/bootstrap
	@echo "installing what figures need into $(VENV) …"
	@tools/bootstrap $(VENV) ".[report,learn]" -c constraints.txt
	@touch $@ $(VENV)/.installed

# What is listed in docs/figures.toml. Finished experiments are kept, so after an interruption it goes on where it stopped.
figures: $(VENV)/.installed-report
	@$(BIN)/kibitz figures docs/figures.toml $(if $(CHECK),--check)

bench: $(VENV)/.installed
	@$(BIN)/kibitz bench

$(VENV)/.installed-release: $(VENV)/.installed
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check build==1.6.1
	@touch $@

release: $(VENV)/.installed-release
	@$(BIN)/python tools/release.py $(if $(DRY),--dry-run)

format: $(VENV)/.installed-tests
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	node_modules/.bin/prettier --log-level warn --write $(PAGES)

clean:
	rm -rf $(VENV) node_modules build .mypy_cache .ruff_cache .pytest_cache .hypothesis
