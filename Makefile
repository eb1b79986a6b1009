# Everything from a fresh clone: `make test` creates .venv, installs what is pinned and runs every check.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo studio test studio-test lint types layers pytest golden spark judgements quality papers benchmark fuzz mutants \
	screenshots wordnet clean

test: lint types layers pytest

# Masks the bundled survey and shows what came of it, in build/demo
demo: .venv/installed
	$(BIN)/allonym demo -o build/demo --report build/demo/report.html

# Opens the studio on the bundled survey, or on FILE=…
studio: .venv/installed
	$(BIN)/allonym studio $(FILE)

.venv/installed: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	$(BIN)/python -m compileall -q src
	touch $@

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/installed
	$(BIN)/mypy

layers: .venv/installed
	$(BIN)/lint-imports --no-cache

pytest: .venv/installed
	$(BIN)/pytest -q -n 2

# Records the golden files anew, from what the code does now: tests/golden/expected
golden: .venv/installed
	ALLONYM_GOLDEN=record $(BIN)/pytest -q -n 2 tests/golden

# On a real Spark, whose master and workers are processes on this machine (Debian: apt install default-jre-headless), in an
# environment of its own
spark: build/spark/installed
	build/spark/bin/python -m pytest -q tests/spark

build/spark/installed: requirements.lock spark/requirements.lock pyproject.toml
	$(PYTHON) -m venv build/spark
	build/spark/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.lock -r spark/requirements.lock
	build/spark/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

# The studio in a real browser (Debian: apt install chromium); skipped, saying so, where there is none
studio-test: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r browser/requirements.lock
	$(BIN)/pytest -q browser

# Tables of the docs: correlations with human judgement; coverage and precision of linking
judgements: .venv/installed
	$(BIN)/python benchmarks/judgements.py

quality: .venv/installed
	$(BIN)/python benchmarks/linking_quality.py

# Every published figure and claim of the five papers, tested; writes docs/papers.md and its charts
papers: .venv/installed
	$(BIN)/python benchmarks/papers_page.py

# Beside NLTK, semsimian, polars, anjana, anonypy and pycanon, in environments of their own; writes docs/benchmarks.md and
# parts of docs/methods
benchmark: build/spark/installed
	$(PYTHON) -m venv build/benchmark
	build/benchmark/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.lock -r benchmarks/requirements.lock
	build/benchmark/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	build/benchmark/bin/python -m compileall -q src
	build/benchmark/bin/python benchmarks/similarity.py
	build/benchmark/bin/python benchmarks/mask_adult.py
	build/benchmark/bin/python benchmarks/many_tuples.py
	build/benchmark/bin/python benchmarks/blocks.py
	build/benchmark/bin/python benchmarks/growth.py
	build/benchmark/bin/python benchmarks/hierarchies.py
	build/benchmark/bin/python benchmarks/fusion.py
	build/benchmark/bin/python benchmarks/noise.py
	build/benchmark/bin/python benchmarks/sets.py
	build/benchmark/bin/python benchmarks/privacy_cost.py
	build/benchmark/bin/python benchmarks/refine.py
	build/benchmark/bin/python benchmarks/many_rows.py
	build/benchmark/bin/python benchmarks/scaling.py
	build/benchmark/bin/python benchmarks/engines.py build/spark/bin/python
	build/benchmark/bin/python benchmarks/studio.py
	$(PYTHON) -m venv build/peers
	build/peers/bin/python -m pip install --quiet --disable-pip-version-check -r benchmarks/peers.lock
	build/benchmark/bin/python benchmarks/peers.py build/peers/bin/python
	$(PYTHON) -m venv build/pycanon
	build/pycanon/bin/python -m pip install --quiet --disable-pip-version-check -r benchmarks/pycanon.lock
	build/benchmark/bin/python benchmarks/pycanon_comparison.py build/pycanon/bin/python

# Fuzzes every reader for a minute each; whether the tests would see mistakes in masking, measures and releases
fuzz: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r fuzz/requirements.lock
	$(BIN)/python fuzz/run.py

mutants: .venv/installed
	$(BIN)/python tools/mutants.py

# Pictures for the docs, by a browser (Debian: apt install chromium)
screenshots: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r browser/requirements.lock -r tools/requirements.lock
	$(BIN)/python tools/screenshots.py

# Recompiles the bundled WordNet from a WNDB directory (Debian: apt install wordnet-base)
wordnet: .venv/installed
	$(BIN)/python tools/build_wordnet.py $(or $(WNDB),/usr/share/wordnet)

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
