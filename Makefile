# SPDX-License-Identifier: MIT
# Common commands. They call CMake and Ninja.
#
#   make            build/heddle
#   make demo       builds, compares three schedulers on three workloads, writes a report
#   make test       every test; T=name runs those whose name matches
#   make accuracy   comparison with GPGPU-Sim; C=part of a case name
#   make hardware   comparison with a real V100; K=part of a kernel name, OPTIONS=of heddle run;
#                   NVCC=nvcc: of the workloads as that nvcc builds them;
#                   GPU=rtx3080|titanv|v100 PROGRAMS=folder: of programs in bench/hardware/README.md,
#                   with LONGEST=microseconds of a kernel, default 100; TABLE=of another card
#   make microbenchmarks    GPU=v100 compared with published measurements; Q=part of a name
#   make bench      speed of the simulator; GROWTH=1 adds long runs; AGAINST=commit compares with
#                   that commit instead; C=part of a case name
#   make docs       the documentation as a site: build/docs/index.html
#   make fuzz       fuzzes the parsers, FUZZ_SECONDS each
#   make install    installs into PREFIX, default /usr/local; DESTDIR is prepended
#   make format     clang-format on the lines that differ from HEAD; tables are aligned by hand
#   make clean      removes this build directory
#
# PAGE=no builds without the report page, where npm cannot reach its registry.
# SAN=1 builds with address and undefined-behaviour sanitizers, TSAN=1 with the
# thread sanitizer, each in a separate directory. BUILD=dir builds elsewhere.
# CMAKE_FLAGS=... is passed on. VERBOSE=1 shows every command of the build.

BUILD ?= $(if $(SAN),build-san,$(if $(TSAN),build-tsan,build))
FUZZ_BUILD ?= build-fuzz
FUZZ_SECONDS ?= 300
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
CMAKE_FLAGS ?=
export PAGE VERBOSE
CONFIGURE = cmake -S . -G Ninja -DCMAKE_EXPORT_COMPILE_COMMANDS=ON $(CMAKE_FLAGS)
HEDDLE = $(BUILD)/heddle

.PHONY: all configure build build-all build-benches demo pictures test accuracy hardware microbenchmarks bench docs fuzz install format clean

all: build

# Again when something was missing the last time: it may have been installed since.
configure:
	@if ! test -f $(BUILD)/build.ninja || grep -Eq '^(cmocka|HEDDLE_)[^=]*=.*NOTFOUND' $(BUILD)/CMakeCache.txt; then \
	  $(CONFIGURE) -B $(BUILD) -DHEDDLE_SANITIZE=$(if $(SAN),ON,OFF) \
	    -DHEDDLE_TSAN=$(if $(TSAN),ON,OFF) --log-level=WARNING; fi

build:
	@tools/setup build --if-possible cc page figures
	@find $(BUILD)/page -name report.html -empty -delete 2>/dev/null; true  # try again
	@$(MAKE) -s --no-print-directory configure
	@tools/build $(BUILD) $(JOBS) heddle cuda_libraries

build-all:
	@tools/setup build cc test --if-possible page figures browser
	@find $(BUILD)/page -name report.html -empty -delete 2>/dev/null; true
	@$(MAKE) -s --no-print-directory configure
	@tools/build $(BUILD) $(JOBS) all benches

demo: build
	@if test -s $(BUILD)/page/report.html; then \
	  $(HEDDLE) study quick --db $(BUILD)/demo.db --report $(BUILD)/demo.html && \
	  echo "Now open $(BUILD)/demo.html"; \
	else \
	  $(HEDDLE) study quick --db $(BUILD)/demo.db && \
	  echo "No page: this heddle was built without it (no node, or PAGE=no)"; \
	fi

# Those of docs/pictures, from the demo's report.
pictures: build-all demo
	@tools/page tests $(BUILD)/page
	@ln -sfn $(CURDIR)/tests/report $(BUILD)/page/tests
	@cd $(BUILD)/page && HEDDLE_BROWSER=$$(command -v chromium) node --preserve-symlinks --preserve-symlinks-main \
	  tests/pictures.mjs $(abspath $(BUILD))/demo.html $(CURDIR)/docs/pictures
	@$(HEDDLE) study l1_size --db $(BUILD)/l1_size.db --quiet
	@$(HEDDLE) figure $(BUILD)/l1_size.db speedup --width page -o docs/pictures/sweep.svg

test: build-all
	@cd $(BUILD) && ctest --output-on-failure -O ctest.log -j $(JOBS) $(if $(T),-R '$(T)')
	@tools/skips $(BUILD)

build-benches: build
	@tools/build $(BUILD) $(JOBS) benches

accuracy: build-benches
	@$(BUILD)/bench/accuracy tests/reference $(C)

hardware: build-benches
ifneq ($(PROGRAMS)$(filter-out v100,$(GPU)),)
	@test -n '$(PROGRAMS)' || { echo "GPU=$(GPU) needs PROGRAMS=folder, of the programs in" \
	  "bench/hardware/README.md" >&2; exit 2; }
	@$(BUILD)/bench/hardware_programs $(HEDDLE) bench/hardware/$(or $(TABLE),$(GPU),v100)-programs.tsv '$(PROGRAMS)' \
	  $(or $(GPU),v100) $(BUILD)/hardware-$(or $(TABLE),$(GPU),v100)-programs $(or $(LONGEST),100) '$(K)' $(OPTIONS)
	@echo "table and scatter plot: $(BUILD)/hardware-$(or $(TABLE),$(GPU),v100)-programs.csv and .svg"
else
	@$(if $(NVCC),bench/hardware/build_workloads '$(NVCC)' bench/hardware/v100.tsv $(BUILD)/hardware-nvcc)
	@$(BUILD)/bench/hardware $(if $(NVCC),--programs $(abspath $(BUILD))/hardware-nvcc) $(HEDDLE) \
	  bench/hardware v100 $(BUILD)/hardware-v100$(if $(NVCC),-nvcc).svg '$(K)' $(OPTIONS)
	@echo "scatter plot: $(BUILD)/hardware-v100$(if $(NVCC),-nvcc).svg"
endif

microbenchmarks: build-benches
	@$(BUILD)/bench/microbenchmarks bench/microbenchmarks $(or $(GPU),v100) $(Q)

ifdef AGAINST
bench: build
	@tools/bench_against $(AGAINST) $(BUILD) $(JOBS) $(C)
else
bench: build-benches
	@$(BUILD)/bench/speed $(HEDDLE) $(BUILD)/bench/hostmark tests/reference $(C)
	@$(if $(GROWTH),$(BUILD)/bench/growth tests/reference && $(BUILD)/bench/reuse)
endif

docs:
	@tools/setup docs
	@tools/docs $(BUILD)/docs
	@echo "Now open $(BUILD)/docs/index.html"

fuzz:
	@tools/setup build fuzz
	@test -f $(FUZZ_BUILD)/build.ninja || $(CONFIGURE) -B $(FUZZ_BUILD) -DHEDDLE_FUZZ=ON \
	  -DCMAKE_C_COMPILER=clang --log-level=WARNING
	@tools/build $(FUZZ_BUILD) $(JOBS) fuzzers
	@tools/fuzz $(FUZZ_BUILD) $(FUZZ_SECONDS) $(T)

install: build
	@tools/build $(BUILD) $(JOBS) documents
	@DESTDIR='$(DESTDIR)' cmake --install $(BUILD) --prefix '$(abspath $(PREFIX))' >/dev/null
	@echo "heddle is in $(DESTDIR)$(abspath $(PREFIX))/bin"

format:
	@tools/setup format
	@git diff -U0 --no-color HEAD -- '*.c' '*.h' | clang-format-diff -p1 -i

clean:
	@rm -rf $(BUILD)
