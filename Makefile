# The verbs a newcomer types. Meson does the work: what is built how stands in meson.build.
BUILD   = build
PREFIX  = /usr/local
DESTDIR =
# Warnings are errors in CI only: a newer compiler must not stop a user's build.
WERROR  = $(if $(filter true 1,$(CI)),true,false)

all: $(BUILD)/build.ninja ## build the library and the program: build/reeve
	@ninja -C $(BUILD) product

$(BUILD)/build.ninja:
	@tools/bootstrap build
	meson setup $(BUILD) -Dprefix=$(PREFIX) -Dwerror=$(WERROR)

demo: all ## a queue at work: workers, a kill -9 in the middle, a summary
	@tools/demo $(BUILD)/reeve

check: ## the whole suite; store, service and worker tests also under ASan+UBSan and TSan
	@tools/bootstrap check
	@WERROR=$(WERROR) tools/run-tests normal asan tsan

check-fast: ## the whole suite, without the sanitizers
	@tools/bootstrap check
	@WERROR=$(WERROR) tools/run-tests normal

check-asan check-tsan: check-%: ## the store, service and worker tests under one sanitizer
	@tools/bootstrap check
	@WERROR=$(WERROR) tools/run-tests $*

torture: ## the long forms of the proofs: differential, failing memory, kills, power cuts, outages, fuzzing
	@tools/torture

fuzz: ## a minute of libFuzzer for each reader of foreign bytes; needs clang
	@tools/fuzz

bench: all ## how fast it is, against SQLite itself on the same disk
	@tools/bench --build $(BUILD)

install: $(BUILD)/build.ninja ## into PREFIX (/usr/local), below DESTDIR
	meson configure $(BUILD) -Dprefix=$(PREFIX)
	@ninja -C $(BUILD) product
	DESTDIR=$(DESTDIR) meson install -C $(BUILD) --no-rebuild --quiet

format: ## bring all C files into the house format
	git ls-files '*.[ch]' | xargs clang-format -i

tidy: all ## static analysis by clang-tidy, as .clang-tidy says
	@tools/tidy $(BUILD)

clean: ## remove everything that was built
	rm -rf $(BUILD) build-asan build-tsan build-fuzz

help: ## this list
	@awk -F ':.*## ' '/^[a-z][a-z -]*:.*## / { printf "make %-22s %s\n", $$1, $$2 }' Makefile

.PHONY: all demo bench check check-fast check-asan check-tsan fuzz torture install format tidy clean help
