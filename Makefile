# The whole path from a fresh clone: `make demo`. Everything lives in .venv and runs/.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
export GOMP_SPINCOUNT ?= 0

.PHONY: demo smoke test lint suite report clean help

help:
	@echo "make demo    collect, train, evaluate, report -> runs/demo (under 20 minutes on 2 cores)"
	@echo "make smoke   the same path in about a minute; its numbers mean nothing"
	@echo "make test    the test suite        make lint    ruff, mypy, import rules"
	@echo "make suite   certify data/suites/household-v1-test.json again        make clean   remove .venv and runs/"

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else f"Python 3.11 or newer is needed, {sys.executable} is {sys.version.split()[0]}; try: make PYTHON=python3.11")'
	@begin=$$(date +%s); \
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { echo "python3 -m venv failed; on Debian/Ubuntu: apt-get install python3-venv" >&2; exit 1; }; \
	$(BIN)/python -m pip install --disable-pip-version-check -q -e '.[dev]' || exit 1; \
	echo $$(( $$(date +%s) - begin )) > $@

demo: $(STAMP)
	MIMIR_INSTALL_S=$$(cat $(STAMP)) $(BIN)/mimir demo --config configs/demo/default.yaml

smoke: $(STAMP)
	$(BIN)/mimir demo --config configs/demo/smoke.yaml --out runs/smoke-$$$$ && rm -rf runs/smoke-$$$$

test: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check mimir_learn/evaluation mimir_learn/cli.py
	$(BIN)/mypy
	$(BIN)/lint-imports

suite: $(STAMP)
	$(BIN)/mimir suite --check true

report: $(STAMP)
	$(BIN)/mimir report --folder runs/demo --image docs/images/demo.png

clean:
	rm -rf $(VENV) runs
