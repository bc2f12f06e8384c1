# The front door. Everything here is one line over CMake; `make help` lists the targets.
.DEFAULT_GOAL := all
.PHONY: all demo python test bench bench-peers format lint clean help
BUILD := build
CMAKE := cmake --preset release
DATA := $(abspath ../shared/data)
ifneq ($(wildcard $(DATA)/SHA256SUMS),)
export MBLL_DATA ?= $(DATA)
endif

all: ## build build/bin/mbll
	@scripts/setup build
	@$(CMAKE) >/dev/null
	@cmake --build $(BUILD)

demo: all ## build, fit the built-in data, write report.html
	@$(BUILD)/bin/mbll demo --out $(BUILD)/demo
	@echo "the page: $(abspath $(BUILD)/demo/report.html)"

# The package in .venv/ is linked in place: changes of its Python files need nothing, those of C++ a build.
VENV := .venv
INSTALLED := $(VENV)/.installed
python: ## make .venv/ with the Python package and its test tools
	@scripts/setup build python
	@$(CMAKE) >/dev/null
	@cmake --build $(BUILD) --target mbll
	@$(MAKE) --no-print-directory $(INSTALLED)

$(VENV)/.tools: pyproject.toml
	@python3 -m venv $(VENV)
	@$(VENV)/bin/python -m pip install -q --disable-pip-version-check $$($(VENV)/bin/python scripts/python-requirements)
	@touch $@

$(INSTALLED): $(VENV)/.tools $(BUILD)/libmbll.a pyproject.toml $(wildcard python/CMakeLists.txt python/src/*)
	@$(VENV)/bin/python -m pip install -q --disable-pip-version-check --no-build-isolation --no-deps \
	  --config-settings=cmake.define.mbll_DIR=$(abspath $(BUILD)) -e .
	@touch $@

test: python ## build and run every test (MBLL_SKIP_BROWSER=1: all but the report page's)
	@scripts/setup build test $(if $(filter 1,$(MBLL_SKIP_BROWSER)),,web-test)
	@$(CMAKE) -DMBLL_BUILD_TESTS=ON -DMBLL_BUILD_EXAMPLES=ON -DMBLL_TEST_PYTHON=$(abspath $(VENV))/bin/python >/dev/null
	@cmake --build $(BUILD)
	@ctest --test-dir $(BUILD) --output-on-failure -j $$(nproc)

bench: python ## measure against the bare BLAS calls that bound us, NumPy, pandas and scikit-learn
	@scripts/setup build bench
	@$(CMAKE) -DMBLL_BUILD_BENCHMARKS=ON >/dev/null
	@cmake --build $(BUILD)
	@bench/run $(BUILD)/bin $(VENV)/bin/python

bench-peers: ## train the same networks with PyTorch, LibTorch and VBLL (installs them) and print the ratios
	@scripts/setup build peers
	@$(CMAKE) >/dev/null
	@cmake --build $(BUILD) --target mbll
	@cmake -G Ninja -S bench/peers -B $(BUILD)/peers -Dmbll_DIR=$(abspath $(BUILD)) >/dev/null
	@cmake --build $(BUILD)/peers
	@/usr/bin/python3 bench/peers/run.py $(BUILD)/peers

format: ## format every source file in place
	@scripts/setup lint
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format-16 -i

lint: ## what the CI enforces: format and clang-tidy
	@scripts/setup build lint
	@$(CMAKE) >/dev/null
	@scripts/lint $(BUILD)

clean: ## remove what was built
	@rm -rf build build-debug build-sanitize .venv

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14
