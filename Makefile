# The commands a newcomer needs; "make help" lists them.
.DEFAULT_GOAL := help
.PHONY: help run build loadtest test test-profiles test-loadtest check lint-profiles evidence conformance soak compare footprint-chart \
	density working-set least-limit storm soak-reload soak-takeover warm-up compare-features give-back compare-memory compare-tls compare-h2 compare-faults compare-mesh endpoints balance-chart bench bench-reload vm vm-source runtime runtimes test-runtimes test-vm jtreg image-i386 image-compact3 images test-images test-openssl test-sources test-traces test-h2 test-websocket fuzz-tls fuzz-h2 soak-h2 floods figures format docs install clean

PREFIX ?= /usr/local
JDK ?= 17
# Debian's own VM (debian) or another of runtime-images/vms in the place of what an image's definition names.
VM ?=
export VM
# What an image's tag ends with.
VARIANT = $(if $(VM),-$(VM))$(if $(TLS),-$(TLS))$(if $(ENGINE),-$(ENGINE))
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
LOADTEST_STAMP := loadtest/target/build.stamp
# What a run of the conformance test is asked for, each word only where its variable is set.
CONFORMANCE_WORDS = $(if $(IMAGE),--image $(IMAGE)) $(if $(RPS),--rps $(RPS)) $(if $(PROFILE),--profile $(PROFILE)) \
	$(if $(CONNECTIONS),--connections $(CONNECTIONS)) $(if $(WARMUP),--warmup $(WARMUP)) $(if $(BODY),--body $(BODY)) \
	$(if $(ENGINE),--engine $(ENGINE)) $(if $(TLS),--tls $(TLS)) $(if $(PROTOCOL),--protocol $(PROTOCOL)) \
	$(if $(FEATURES),--features $(FEATURES))
# Directories too: a deleted file changes its directory.
SOURCES := $(shell find proxy/core/src/main proxy/demo/src/main) $(wildcard proxy/pom.xml proxy/*/pom.xml proxy/core/*.txt) runtime-images/shrinker/pom.xml

help: ## Show this list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'

run: build ## Start the sidecar in front of a demo application; Ctrl-C drains it; TLS=1 has it take HTTPS, with certificates made for that; PROTOCOL=grpc puts a gRPC server behind it; ENGINE=finagle
	@TLS=$(TLS) PROTOCOL=$(PROTOCOL) scripts/run

build: $(STAMP) $(if $(ENGINE),$(ENGINE_STAMP)) ## Build the jars and the table of JVM profiles, without tests; ENGINE=finagle builds that engine's as well
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

loadtest: build $(LOADTEST_STAMP) ## Build what loads and measures the sidecar, without tests

$(LOADTEST_STAMP): $(shell find loadtest/src/main) loadtest/pom.xml proxy/pom.xml
	@echo 'building the load test (the first time also downloads Gatling)'
	@rm -rf loadtest/target/lib
	@scripts/mvn $(QUIET) package -Dmaven.test.skip=true -pl ../loadtest
	@mkdir -p $(@D) && touch $@

test: ## Check the format, lint, run unit and integration tests, and the quick ones of the load test: about twenty minutes on two cores
	@scripts/ensure-toolchain --tests
	@scripts/test

test-profiles: build ## Test the choice of a JVM profile and the lint of the profiles
	@scripts/profiles tests

test-loadtest: loadtest ## Test what loads and measures by whole runs, with faulty sidecars among them: about twenty minutes
	@scripts/mvn $(QUIET) test-compile -pl ../loadtest
	@scripts/loadtest run-tests $(ARGS)

lint-profiles: build $(ENGINE_STAMP) ## Start every runtime image's JVM with every profile, and judge each flag; builds the images that are missing
	@scripts/profiles lint

evidence: loadtest ## Measure every flag of the JVM profiles, over an hour on a quiet machine, and write EVIDENCE.md; goes on where it was stopped
	@scripts/profiles evidence run
	@scripts/profiles evidence report
	@scripts/profiles evidence peaks

conformance: loadtest ## Verify p99, p999 and memory: IMAGE=i386 RPS=1000 PROFILE=auto CONNECTIONS=16 DURATION=60s WARMUP=20s BODY=1KiB TLS=mtls FEATURES=mesh PROTOCOL=h2 ENGINE=finagle
	@scripts/loadtest conformance $(CONFORMANCE_WORDS) $(if $(DURATION),--duration $(DURATION)) $(ARGS)

soak: loadtest ## The same for HOURS=2, and what grows fails; Ctrl-C judges what there is
	@scripts/loadtest soak $(CONFORMANCE_WORDS) --duration $(or $(HOURS),2)h $(ARGS)

soak-reload: loadtest ## Reload the configuration 100 times a minute under load for MINUTES=10; what is lost or grows fails: IMAGE=i386-client
	@scripts/loadtest soak-reload --image $(or $(IMAGE:i386=i386-client),i386-client) --minutes $(or $(MINUTES),10) $(ARGS)

soak-takeover: loadtest ## Have a process take over from another ten times under load within MINUTES=10; what is lost or grows fails: IMAGE=i386-client
	@scripts/loadtest soak-takeover --image $(or $(IMAGE:i386=i386-client),i386-client) --minutes $(or $(MINUTES),10) $(ARGS)

warm-up: loadtest ## Measure the first second after a start, with warm-up and without, 4 minutes: IMAGE=i386-client; ARGS='--starts 3'
	@scripts/loadtest warm-up --image $(or $(IMAGE:i386=i386-client),i386-client) $(ARGS)

compare: loadtest ## Measure the runtime images beside Envoy, HAProxy and nginx, about 25 minutes; ARGS='--rounds 2 --only envoy,amd64-c1'
	@scripts/loadtest compare $(ARGS)

compare-tls: loadtest ## Measure TLS by OpenSSL and by the JDK's engine beside Envoy and HAProxy, 15 to 20 minutes; ARGS='--rounds 1 --only i386-client,envoy'
	@scripts/loadtest compare-tls $(ARGS)

compare-h2: loadtest ## Measure HTTP/2, gRPC and TCP beside Envoy and HAProxy, 10 to 15 minutes; ARGS='--rounds 1 --only i386-client,envoy'
	@scripts/loadtest compare-h2 $(ARGS)

compare-faults: loadtest ## Kill, stop, cut off and slow one endpoint of three, for the sidecar, Envoy and HAProxy, 10 minutes, as root; ARGS='--short' takes a minute
	@scripts/loadtest compare-faults $(ARGS)

compare-mesh: loadtest ## Measure what balancing, accrual, health checks, retries and breakers over three endpoints take, on and off in turn, about 15 minutes
	@scripts/loadtest compare --only i386-client,i386-client+mesh,amd64-c1,amd64-c1+mesh $(ARGS)

compare-features: loadtest ## Measure what tracing at 1 %, a rate limit, rewrites and weighted clusters take, on and off in turn, about 15 minutes
	@scripts/loadtest compare --only i386-client,i386-client+features,amd64-c1,amd64-c1+features $(ARGS)

endpoints: loadtest ## Measure what 1,000 endpoints of a cluster take, and replacing all of them, 3 minutes: IMAGE=i386-client
	@scripts/loadtest endpoints --image $(or $(IMAGE),i386-client) $(ARGS)

floods: loadtest ## Measure what floods of HTTP/2 take of a sidecar, 4 minutes: IMAGE=i386-client; ARGS='--seconds 5 --only PING'
	@scripts/loadtest floods --image $(or $(IMAGE),i386-client) $(ARGS)

footprint-chart: loadtest ## Measure memory, CPU and latency by rate, about 25 minutes; ARGS='--publish docs' also copies the picture
	@scripts/loadtest chart $(ARGS)

density: loadtest ## Start N=50 sidecars of IMAGE=i386-client at once, then as many of Envoy and HAProxy, and measure each herd; the marginal cost needs root, and drops the machine's caches unless ARGS='--keep-caches' leaves it out
	@scripts/loadtest density $(or $(N),50) --image $(or $(IMAGE),i386-client) $(ARGS)

working-set: loadtest ## Measure working set, private memory and RSS in a memory cgroup with cold caches, as root, 4 minutes: IMAGE=i386-client; ARGS='--rounds 1'
	@scripts/loadtest working-set $(if $(IMAGE),--image $(IMAGE)) $(ARGS)

least-limit: build ## Find the least memory limit under which an image works with cold caches, as root: IMAGE=i386-client MEMORY=28m,30m,32m
	@scripts/loadtest least-limit $(if $(IMAGE),--image $(IMAGE)) $(if $(MEMORY),--limits $(MEMORY)) $(ARGS)

storm: build ## Let crowds of clients loose on a sidecar under a memory limit, about 20 minutes, as root: IMAGE=i386-client MEMORY=28m,64m; CONTAINER=1 takes the container; ARGS='--seconds 30 --together-seconds 120', ARGS='--short' takes 30 s; ARGS='--hostile' brings hostile peers to each JVM profile, 15 minutes
	@scripts/loadtest storm --image $(or $(IMAGE:i386=i386-client),i386-client) $(if $(MEMORY),--memories $(MEMORY)) $(if $(CONTAINER),--container) $(ARGS)

give-back: loadtest ## Show what is left a minute after 10,000 connections, and after slow readers of large bodies, as root: IMAGE=i386-client MEMORY=256m
	@scripts/loadtest storm --give-back --image $(or $(IMAGE:i386=i386-client),i386-client) --memories $(or $(MEMORY),256m) $(if $(CONTAINER),--container) $(ARGS)

compare-memory: build ## The storms on the sidecar, Envoy and HAProxy, each under a limit in proportion to what it takes at rest, about an hour, as root
	@scripts/loadtest storm --image i386-client,envoy,haproxy --memories 64m,200m,44m $(ARGS)

balance-chart: loadtest ## Simulate the balancers in virtual time, and draw docs/balancing.svg
	@scripts/balance-chart

bench: ## Measure what heads cost to parse and write, and an exchange to relay, in ns and bytes allocated, about 3 minutes; ARGS='Heads.request -f 1' are JMH's
	@scripts/bench $(ARGS)

bench-reload: ## Measure what a reload of 1,000 routes takes on C1, half a minute
	@scripts/mvn -pl core -DskipUnitTests -Dit.test=ReloadCost -Dtest.args="-Xmx384m -XX:+UseSerialGC -XX:TieredStopAtLevel=1" -Dsurefire.failIfNoSpecifiedTests=false verify | grep -E '^reload|^median|BUILD'

vm: ## Build a VM, some minutes: VM=c1 PLATFORM=linux/386, or VM=tiered; DEBUG=fastdebug has HotSpot's assertions
	@runtime-images/build-vm $(or $(VM),c1) --platform $(or $(PLATFORM),linux/amd64) --jdk $(JDK) $(if $(DEBUG),--debug $(DEBUG))

vm-source: ## Make the archive of a VM's complete source, which whoever distributes an image can offer with it
	@runtime-images/vms/source-archive --jdk $(JDK)

runtime: build ## Build and verify one runtime image, the VM included: IMAGE=i386-client; JDK=21 takes another JDK, VM=debian Debian's VM, TLS=openssl adds OpenSSL, ENGINE=finagle
	@runtime-images/build $(or $(IMAGE),$(error IMAGE=... is one of $(RUNTIMES))) --jdk $(JDK) --vm "$(VM)" --tls "$(TLS)" --engine "$(ENGINE)"

runtimes: build ## Build and verify every runtime image, below runtime-images/target
	@for image in $(RUNTIMES); do runtime-images/build $$image --jdk $(JDK) --vm "$(VM)" || exit 1; done

test-runtimes: build ## Check the module list by jdeps; build the smallest runtime image, damage it, and see that verify tells
	@scripts/test-runtimes

test-vm: ## Run the proxy's whole Java test suite on a JDK around a VM of ours: VM=c1 PLATFORM=linux/386, or VM=tiered; TLS=openssl tests TLS by OpenSSL, UNIT=no leaves out unit tests, TESTS='tls/**/*IT' takes integration tests of these patterns
	@scripts/ensure-toolchain --tests
	@VM=$(VM) PLATFORM=$(PLATFORM) JDK=$(JDK) DEBUG=$(DEBUG) TLS=$(TLS) UNIT=$(UNIT) TESTS='$(TESTS)' scripts/test-vm

jtreg: ## Run the JDK's own tests on a VM of ours, about an hour: VM=c1 PLATFORM=linux/386 DEBUG=fastdebug; TESTS=hotspot/jtreg/compiler/c1 are a part
	@runtime-images/jtreg $(or $(VM),c1) --platform $(or $(PLATFORM),linux/amd64) --jdk $(JDK) $(if $(DEBUG),--debug $(DEBUG)) $(TESTS)

image-i386: build ## Build the container image remora:i386 and test it; JDK=21 takes another JDK, VM=debian makes remora:i386-debian, TLS=openssl remora:i386-openssl
	@TLS=$(TLS) scripts/image i386
	@scripts/test-images remora:i386$(VARIANT)

image-compact3: build ## Build remora:compact3 and test it; PLATFORM=linux/amd64,linux/386 makes both, TLS=openssl remora:compact3-openssl, ENGINE=finagle remora:compact3-finagle
	@TLS=$(TLS) scripts/image compact3
	@scripts/test-images remora:compact3$(VARIANT)

images: build ## Build both container images and test them; TLS=openssl makes those with OpenSSL
	@TLS=$(TLS) scripts/image i386
	@TLS=$(TLS) scripts/image compact3
	@scripts/test-images remora:i386$(VARIANT) remora:compact3$(VARIANT)

test-images: ## Test the container images that are there, and their launcher
	@scripts/test-images

test-openssl: ## Test TLS by OpenSSL: the binding in C under sanitizers, and the tests of TLS with it
	@scripts/test-openssl

test-sources: ## Test endpoints from Consul and Kubernetes against the programs themselves; builds them the first time, up to an hour; needs Go and etcd
	@scripts/test-sources

test-traces: ## Test traces with Jaeger, and exemplars with Prometheus and its parser for Python, a minute; builds Jaeger the first time, up to an hour
	@scripts/test-traces

test-h2: ## Test HTTP/2 and gRPC with h2spec, grpc-go, nghttp, h2load and curl, a minute; builds what is Go's the first time
	@scripts/test-h2

test-websocket: ## Test WebSockets with Autobahn's cases, ws, websockets, Hypercorn and Chromium, two minutes; ARGS=--all takes all cases, half an hour
	@scripts/test-websocket $(ARGS)

fuzz-tls: ## Have Jazzer look for certificates, keys and revocation lists that the readers stumble over: SECONDS=60
	@scripts/fuzz-tls $(or $(SECONDS),60)

fuzz-h2: ## Have Jazzer look for frames of HTTP/2 of which a sidecar makes requests that it should not: SECONDS=60
	@scripts/fuzz-h2 $(or $(SECONDS),60)

soak-h2: ## Have clients of HTTP/2 do for MINUTES=10 what is odd and allowed; what grows in a heap of 16 MiB, or leaks, fails
	@scripts/ensure-toolchain --tests
	@scripts/mvn $(QUIET) verify -pl core -DskipUnitTests -Dit.test=Http2SoakIT -Dremora.test.soak-seconds=$$(( $(or $(MINUTES),10) * 60 ))

figures: ## Write the published figures into the README and the pages, from docs/figures/figures.json and jvm-profiles/peaks
	@scripts/figures fill

check: ## Check the format, lint, and that the pages show the published figures, without tests
	@scripts/ensure-toolchain
	@scripts/figures check
	@scripts/mvn $(QUIET) spotless:check process-test-classes
	@if command -v shellcheck >/dev/null; then shellcheck -x proxy/bin/remora proxy/native/tls/test/run proxy/native/tls/test/material jvm-profiles/select jvm-profiles/flatten .ci/run runtime-images/launcher/build runtime-images/container/assemble runtime-images/container/dockerfiles runtime-images/build runtime-images/build-native runtime-images/build-vm runtime-images/test-jdk runtime-images/jtreg runtime-images/vms/source-archive runtime-images/verify runtime-images/lock runtime-images/modules/check loadtest/conformance loadtest/soak loadtest/compare loadtest/compare-tls loadtest/compare-h2 loadtest/compare-faults loadtest/chart loadtest/density loadtest/working-set loadtest/least-limit loadtest/endpoints loadtest/floods loadtest/storm loadtest/soak-reload loadtest/soak-takeover loadtest/warm-up jvm-profiles/lint $$(find scripts -type f); \
	else echo 'shellcheck is not installed: the shell scripts were not checked'; fi

format: ## Format the Java sources
	@scripts/ensure-toolchain
	@scripts/mvn $(QUIET) spotless:apply

docs: ## Write the table of docs/configuration.md from the keys as they are declared
	@scripts/ensure-toolchain
	@scripts/mvn $(QUIET) test -pl core -Dtest=ConfigurationPageTest#itsTable* -Dremora.page=write

install: build ## Copy the launcher, the jars and the table of JVM profiles below PREFIX (/usr/local); ENGINE=finagle those of that engine as well
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/remora/lib $(DESTDIR)$(PREFIX)/lib/remora/jvm-profiles
	install -m 755 proxy/bin/remora $(DESTDIR)$(PREFIX)/bin/remora
	install -m 644 proxy/core/target/remora.jar $(DESTDIR)$(PREFIX)/lib/remora
	install -m 644 proxy/core/target/lib/*.jar $(DESTDIR)$(PREFIX)/lib/remora/lib
	install -m 644 $(TABLE) jvm-profiles/selection.sh $(DESTDIR)$(PREFIX)/lib/remora/jvm-profiles
	install -m 755 jvm-profiles/select $(DESTDIR)$(PREFIX)/lib/remora/jvm-profiles
ifneq ($(ENGINE),)
	install -d $(DESTDIR)$(PREFIX)/lib/remora/$(ENGINE)/lib
	install -m 644 proxy/$(ENGINE)/target/remora-$(ENGINE).jar $(DESTDIR)$(PREFIX)/lib/remora/$(ENGINE)
	install -m 644 proxy/$(ENGINE)/target/lib/*.jar $(DESTDIR)$(PREFIX)/lib/remora/$(ENGINE)/lib
endif

clean: ## Remove what was built
	rm -rf proxy/target proxy/*/target loadtest/target $(TABLE)
