# The targets that a newcomer needs, at most twenty; "make help" lists them. ./measure has the programs that measure, scripts/ the other tests.
.DEFAULT_GOAL := help
.PHONY: help run build install clean test test-h2 test-kubernetes check format docs runtime images image-i386 image-compact3 lint-profiles conformance compare \
	footprint-chart density

PREFIX ?= /usr/local
JDK ?= 17
# Debian's own VM (debian), or another of runtime-images/vms, instead of the one that an image's definition names.
VM ?=
export VM
# yes adds the names of the VM's functions to a container image, for profiles.
SYMBOLS ?=
export SYMBOLS
# The end of an image's tag.
VARIANT = $(if $(VM),-$(VM))$(if $(filter yes,$(SYMBOLS)),-symbols)$(patsubst %,-%,$(filter-out awslc,$(TLS)))$(if $(ENGINE),-$(ENGINE))
# finagle takes another engine than the default one.
ENGINE ?=
export ENGINE
ENGINE_STAMP := proxy/finagle/target/build.stamp
RUNTIMES := i386-client amd64-c1 amd64-tiered compact3-amd64 compact3-386
# Warnings and errors only.
QUIET := -Dorg.slf4j.simpleLogger.defaultLogLevel=warn
STAMP := proxy/target/build.stamp
# Maven makes it with the jars; made again by each build, as a change of a profile alone needs no new jars.
TABLE := jvm-profiles/table
# The load test in Java, which ./measure builds for the programs that need it.
LOADTEST_STAMP := loadtest/target/build.stamp
# The options of a conformance test, each only where its variable is set.
CONFORMANCE_WORDS = $(if $(IMAGE),--image $(IMAGE)) $(if $(RPS),--rps $(RPS)) $(if $(PROFILE),--profile $(PROFILE)) \
	$(if $(CONNECTIONS),--connections $(CONNECTIONS)) $(if $(WARMUP),--warmup $(WARMUP)) $(if $(BODY),--body $(BODY)) \
	$(if $(ENGINE),--engine $(ENGINE)) $(if $(TLS),--tls $(TLS)) $(if $(PROTOCOL),--protocol $(PROTOCOL)) \
	$(if $(FEATURES),--features $(FEATURES)) $(if $(DURATION),--duration $(DURATION))
# Directories too: a deleted file changes its directory.
SOURCES := $(shell find proxy/core/src/main proxy/demo/src/main) $(wildcard proxy/pom.xml proxy/*/pom.xml proxy/core/*.txt) runtime-images/shrinker/pom.xml
SHELL_SCRIPTS = measure .ci/run deploy/kustomize/overlays/mtls/certificates proxy/bin/remora proxy/native/tls/test/run proxy/native/tls/test/material jvm-profiles/select jvm-profiles/flatten jvm-profiles/vm-flags \
	runtime-images/launcher/build runtime-images/capture/build runtime-images/container/assemble runtime-images/container/dockerfiles runtime-images/build runtime-images/build-awslc runtime-images/build-native \
	runtime-images/build-vm runtime-images/vm-symbols runtime-images/test-awslc runtime-images/test-awslc-own runtime-images/test-jdk runtime-images/jtreg runtime-images/vms/source-archive runtime-images/verify runtime-images/lock \
	runtime-images/modules/check $(shell find scripts -type f)

help: ## Show this list
	@awk '/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		match($$0, /^[a-z0-9-]+:.*## /) { split($$0, name, ":"); printf "  make %-16s%s\n", name[1], substr($$0, RSTART + RLENGTH) }' Makefile

##@ Use
# With TLS=1 it takes HTTPS, with certificates made for that; PROTOCOL=grpc puts a gRPC server behind it; ENGINE=finagle takes that engine.
run: build ## Start the sidecar in front of a demo; TLS=1 PROTOCOL=grpc
	@TLS=$(TLS) PROTOCOL=$(PROTOCOL) scripts/run

build: $(STAMP) $(if $(ENGINE),$(ENGINE_STAMP)) ## Build the jars, without tests; ENGINE=finagle
	@jvm-profiles/flatten >$(TABLE).new
	@mv $(TABLE).new $(TABLE)

$(STAMP): $(SOURCES)
	@scripts/ensure-toolchain
	@echo 'building (the first time also downloads what the build needs)'
	@rm -rf proxy/core/target/lib
	@scripts/mvn $(QUIET) package -Dmaven.test.skip=true -pl core,demo,../runtime-images/shrinker
	@mkdir -p $(@D) && touch $@

# The tests are compiled, as the engine's are against the test kit of the core.
$(ENGINE_STAMP): $(STAMP) $(shell find proxy/finagle/src/main) proxy/finagle/pom.xml
	@echo 'building the engine of Finagle (the first time also downloads it)'
	@rm -rf proxy/finagle/target/lib
	@scripts/mvn $(QUIET) package -DskipTests -pl core,finagle
	@mkdir -p $(@D) && touch $@

$(LOADTEST_STAMP): $(shell find loadtest/src/main) loadtest/pom.xml proxy/pom.xml
	@echo 'building the load test (the first time also downloads Gatling)'
	@rm -rf loadtest/target/lib
	@scripts/mvn $(QUIET) package -Dmaven.test.skip=true -pl ../loadtest
	@mkdir -p $(@D) && touch $@

install: build ## Install in PREFIX (/usr/local); ENGINE=finagle
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/remora/lib $(DESTDIR)$(PREFIX)/lib/remora/jvm-profiles
	install -m 755 proxy/bin/remora $(DESTDIR)$(PREFIX)/bin/remora
	install -m 644 proxy/core/target/remora.jar $(DESTDIR)$(PREFIX)/lib/remora
	install -m 644 proxy/core/target/lib/*.jar $(DESTDIR)$(PREFIX)/lib/remora/lib
	install -m 644 $(TABLE) jvm-profiles/selection.sh $(DESTDIR)$(PREFIX)/lib/remora/jvm-profiles
	install -m 755 jvm-profiles/select jvm-profiles/vm-flags $(DESTDIR)$(PREFIX)/lib/remora/jvm-profiles
ifneq ($(ENGINE),)
	install -d $(DESTDIR)$(PREFIX)/lib/remora/$(ENGINE)/lib
	install -m 644 proxy/$(ENGINE)/target/remora-$(ENGINE).jar $(DESTDIR)$(PREFIX)/lib/remora/$(ENGINE)
	install -m 644 proxy/$(ENGINE)/target/lib/*.jar $(DESTDIR)$(PREFIX)/lib/remora/$(ENGINE)/lib
endif

clean: ## Remove all build results
	rm -rf target proxy/target proxy/*/target loadtest/target $(TABLE)

##@ Develop
test: ## Lint and run all quick tests; about half an hour
	@scripts/ensure-toolchain --tests
	@scripts/test

test-h2: ## Test HTTP/2 and gRPC with h2spec, grpc-go and curl
	@scripts/test-h2

# In three clusters of its own, with both container images; about twenty minutes on two cores. TESTS=test_traffic takes some of them.
test-kubernetes: ## Test pods in a one-node Kubernetes; 20 minutes
	@scripts/test-kubernetes $(TESTS)

check: ## Check format, lint, prose and figures; no tests
	@scripts/ensure-toolchain
	@./measure figures check
	@./measure test generated
	@scripts/prose
	@scripts/mvn $(QUIET) -Pbench spotless:check process-test-classes
	@if command -v shellcheck >/dev/null; then shellcheck -x $(SHELL_SCRIPTS); \
	else echo 'shellcheck is not installed: the shell scripts were not checked'; fi

format: ## Format the Java sources
	@scripts/ensure-toolchain
	@scripts/mvn $(QUIET) spotless:apply

# The tables of the reference and of packages and the JSON Schema come from declarations; then the site, target/site/index.html.
docs: ## Generate reference pages, and the site in target/site
	@scripts/ensure-toolchain
	@scripts/mvn $(QUIET) test -pl core -Dtest='ConfigurationPageTest#itsTable*,JsonSchemaTest#isWhat*,LayeringTest#thePage*,MetricsPageTest#theTables*,FailureTest#have*Reference,AdminPageTest,AccessLogPageTest,CommandLinePageTest' -Dremora.page=write
	@scripts/site

##@ Images
# JDK=21 takes another JDK, VM=debian Debian's VM, TLS=openssl OpenSSL, ENGINE=finagle that engine. The VM is built as well.
runtime: build ## Build runtime images; IMAGE=i386-client or IMAGE=all
	@for image in $(or $(filter-out all,$(IMAGE)),$(if $(IMAGE),$(RUNTIMES),$(error IMAGE=... is all or one of $(RUNTIMES)))); do \
		runtime-images/build $$image --jdk $(JDK) --vm "$(VM)" --tls "$(TLS)" --engine "$(ENGINE)" || exit 1; done

images: build ## Build and test both container images; TLS=openssl
	@TLS=$(TLS) scripts/image i386
	@TLS=$(TLS) scripts/image compact3
	@scripts/test-images remora:i386$(VARIANT) remora:compact3$(VARIANT)

# JDK=21 takes another JDK, VM=debian makes remora:i386-debian, TLS=openssl remora:i386-openssl, SYMBOLS=yes remora:i386-symbols.
image-i386: build ## Build and test the container image remora:i386
	@TLS=$(TLS) scripts/image i386
	@scripts/test-images remora:i386$(VARIANT)

# PLATFORM=linux/amd64,linux/386 makes both, TLS=openssl remora:compact3-openssl, ENGINE=finagle remora:compact3-finagle, SYMBOLS=yes remora:compact3-symbols.
image-compact3: build ## Build and test the container image remora:compact3
	@TLS=$(TLS) scripts/image compact3
	@scripts/test-images remora:compact3$(VARIANT)

lint-profiles: ## Check every flag of the JVM profiles on every image
	@./measure lint-profiles

##@ Measure (./measure --help lists all programs)
# IMAGE=i386 RPS=1000 PROFILE=auto CONNECTIONS=16 DURATION=60s WARMUP=20s BODY=1KiB TLS=mtls FEATURES=mesh PROTOCOL=h2 ENGINE=finagle
conformance: ## Check p99, p999 and memory; IMAGE=i386 RPS=1000
	@./measure conformance $(CONFORMANCE_WORDS) $(ARGS)

compare: ## Compare with Envoy, HAProxy and nginx; 25 minutes
	@./measure compare $(ARGS)

footprint-chart: ## Plot memory, CPU and latency by rate; 25 minutes
	@./measure chart $(ARGS)

density: ## Measure N=50 sidecars on one machine; needs root
	@./measure density $(or $(N),50) --image $(or $(IMAGE),i386-client) $(ARGS)

