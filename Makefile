# A thin front for Meson. `make` builds build/motet; `make help` lists the rest.
.DEFAULT_GOAL := all
.PHONY: all help run stop test check soak mutate faults loaded bench fuzz fmt fmt-check lint layers words asan tsan \
	clang golden conformance valgrind install clean packages packages-test deb sbom reproduce wasm vscode \
	docs page studio site program

BUILD   := build
ASAN    := build-asan
TSAN    := build-tsan
FUZZ    := build-fuzz
SOURCES := $(shell git ls-files '*.c' '*.h' 2>/dev/null)
ASAN_ENV := ASAN_OPTIONS=handle_segv=2:handle_sigill=2:detect_leaks=1:intercept_tls_get_addr=0:abort_on_error=0 \
	UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
# A build that was set up before the page was built has none: it gets it.
with_page = test ! -f build-studio/files.json || grep -q build-studio/files.json $(1)/build.ninja || \
	meson setup --reconfigure $(1) >/dev/null
# Half the work of a sanitized build is the optimizer: meson.build says which rooms have
# some of it. Lines are all that a stack trace needs. The two checks of every access to memory
# end in a trap, with a stack trace and without a text: half of all data would be their texts,
# and every start of a program would read them.
SANITIZE := CC=clang meson setup -Dwerror=true -Dtests=enabled -Ddebug=true -Db_lundef=false

all: program ## build build/motet (release), the library and what tests need
	@tools/build $(BUILD)

program: packages page $(BUILD)/build.ninja
	@$(call with_page,$(BUILD))
	@tools/build $(BUILD) src/cli/motet
	@ln -sf src/cli/motet $(BUILD)/motet

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort | expand -t 14

# Before the program, which has it inside.
page: packages
	@tools/studio

studio: ## the page under /studio/, in build-studio
	@tools/install studio
	@tools/studio --must

site: studio ## the same page as static files, for any web server: build-studio/site
	@echo build-studio/site

packages:
	@tools/install build

# A build that was set up before cmocka was there (`make run`) has no tests: it gets them.
packages-test:
	@tools/install test
	@test ! -f $(BUILD)/build.ninja -o -d $(BUILD)/tests || \
		meson setup --reconfigure $(BUILD) -Dtests=enabled >/dev/null

$(BUILD)/build.ninja:
	@echo "Configuring $(BUILD)"
	@meson setup $(BUILD) --buildtype=release -Dwerror=true >/dev/null

$(ASAN)/build.ninja: page
	@test -f $@ || $(SANITIZE) $(ASAN) -Doptimization=0 -Db_sanitize=address,undefined \
		-Dc_args='-g1 -fno-sanitize-recover=all -fsanitize-trap=null,alignment' >/dev/null
	@$(call with_page,$(ASAN))

$(TSAN)/build.ninja: page
	@test -f $@ || $(SANITIZE) $(TSAN) -Doptimization=0 -Db_sanitize=thread -Db_pie=false \
		-Dc_args=-g1 >/dev/null
	@$(call with_page,$(TSAN))

$(FUZZ)/build.ninja:
	@CC=clang meson setup $(FUZZ) --buildtype=debugoptimized -Dfuzzers=true \
		-Db_sanitize=address,undefined -Db_lundef=false >/dev/null

run: ## build, start the escrow service, walk it, leave it up
	@echo "1 of 4: installing what is missing"
	@tools/install build
	@tools/install studio || echo "Going on without Studio: the plain page stays."
	@echo "2 of 4: building $(BUILD)/motet"
	@$(MAKE) --no-print-directory program
	@tools/run-demo $(BUILD)/motet

stop: ## end the service that `make run` left up
	@tools/run-demo $(BUILD)/motet stop

test: packages-test layers words fmt-check ## install what is missing and run every test
	@tools/run-tests

check: packages-test all ## the unit tests of the release build, under a minute
	@meson test -C $(BUILD) --no-rebuild --suite unit --print-errorlogs

asan: packages-test $(ASAN)/build.ninja ## all tests under ASan and UBSan
	@ninja -C $(ASAN) --quiet
	@$(ASAN_ENV) meson test -C $(ASAN) --no-rebuild --print-errorlogs

tsan: packages-test $(TSAN)/build.ninja ## the tests that have threads, under TSan
	@ninja -C $(TSAN) --quiet
	@setarch -R meson test -C $(TSAN) --no-rebuild --print-errorlogs --suite threads

mutate: packages-test page ## change one line at a time: do the tests notice? (COUNT, SEED, ROOM, RESUME)
	@tools/mutate --count $(or $(COUNT),300) $(if $(SEED),--seed $(SEED)) $(if $(ROOM),--room $(ROOM)) $(if $(RESUME),--resume)

faults: all packages-test ## every call that can fail fails, one at a time (MOTET_SEED)
	@MOTET_SOAK=1 MOTET=$(BUILD)/src/cli/motet \
		MOTET_FAULTS=$(abspath $(BUILD))/tests/e2e/libfaults.so python3 tests/e2e/test_faults.py

soak: packages-test ## the same tests, long; prints its seed
	@MOTET_SOAK=1 tools/run-tests

loaded: packages-test ## what has threads and waits, 20 times on a busy machine (TIMES)
	@tools/run-loaded $(or $(TIMES),20)

bench: packages-test ## print the table of figures, write build/bench.json
	@test -f $(BUILD)/build.ninja || $(MAKE) --no-print-directory $(BUILD)/build.ninja
	@meson configure $(BUILD) -Dbenchmarks=true
	@ninja -C $(BUILD) --quiet
	@tools/bench.py $(BUILD) $(BUILD)/bench.json

fuzz: packages-test $(FUZZ)/build.ninja ## every fuzz target for 60 s (FUZZ_SECONDS)
	@ninja -C $(FUZZ) --quiet
	@tools/run-fuzz $(FUZZ)

fmt: ## format the sources
	@clang-format -i $(SOURCES)

fmt-check:
	@printf '%s\n' $(SOURCES) | xargs -P $(shell nproc) -n 100 clang-format --dry-run -Werror

lint: packages-test layers words fmt-check ## static checks
	@cppcheck --quiet --std=c11 --error-exitcode=1 --inline-suppr -Isrc -Iinclude \
		--suppress=missingIncludeSystem --enable=warning,portability src

layers:
	@tools/layers

words:
	@tools/words

golden: all ## rewrite golden files (MOTET_UPDATE_GOLDEN=1) or compare them
	@meson test -C $(BUILD) --no-rebuild --print-errorlogs --suite golden

install: all ## install motet (also as tenor), man pages, completions
	@meson install -C $(BUILD)

deb: packages page ## Debian packages in build/deb (program, unit, user, library, header)
	@tools/deb $(BUILD)/deb

sbom: all ## the bill of materials, SPDX 2.3, in build/motet.spdx.json
	@tools/sbom $(BUILD)/src/cli/motet > $(BUILD)/motet.spdx.json
	@echo $(BUILD)/motet.spdx.json

wasm: ## build-wasm/motet.wasm: the engine for pages and Node
	@tools/install wasm
	@tools/wasm
	@tests/npm/node_modules/.bin/tsc -p sdk/js 2>/dev/null || echo "sdk/js is not compiled: tools/install test"
	@mkdir -p sdk/js/dist && cp build-wasm/*.wasm sdk/js/dist/

docs: ## the documents as a site with search, in build-docs
	@tools/install docs
	@tools/docs site build-docs

vscode: ## build/motet.vsix: the extension for VS Code
	@tools/install vscode
	@tools/vscode $(BUILD)/motet.vsix
	@echo $(BUILD)/motet.vsix

reproduce: packages ## two builds in two directories: are the packages the same bytes?
	@tools/reproduce

clean: ## remove all build directories
	@rm -rf $(BUILD) $(ASAN) $(TSAN) $(FUZZ) build-deb build-wasm build-docs build-studio
