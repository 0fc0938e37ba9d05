package io.remora.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.remora.config.model.Address;
import io.remora.config.model.Limits;
import io.remora.discovery.DnsSource;
import io.remora.discovery.DnsSource.Family;
import io.remora.discovery.ResolverConfig;
import io.remora.dns.ResolvConf;
import io.remora.testkit.Await;
import io.remora.testkit.DeadPort;
import io.remora.testkit.Knot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Endpoints from a DNS server that none of us wrote, whose zone changes. */
final class DnsResolverIT {
    private static final long SECOND_NS = 1_000_000_000L;

    @TempDir
    Path directory;

    private final Heard heard = new Heard();
    private final List<AutoCloseable> open = new ArrayList<>();
    private Knot knot;

    @BeforeEach
    void needsAServer() {
        assumeTrue(Knot.missing().isEmpty(), Knot.missing());
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        if (knot != null) {
            knot.close();
        }
    }

    private void zone(String records) {
        knot = Knot.start(directory, records);
    }

    private static DnsSource source(String name, int port, Family family, int server) {
        return new DnsSource(
                name, port, family, List.of(new Address("127.0.0.1", server)), SECOND_NS / 20, SECOND_NS / 5);
    }

    /** With the bounds that a configuration has by default. */
    private static DnsResolver resolver(DnsSource source, String resolvConf) {
        ResolverConfig config = new ResolverConfig(null, source, null, null, Limits.UNLIMITED, 128, 5 * SECOND_NS);
        return new DnsResolver("app", source, config, resolvConf, 1);
    }

    private void watch(DnsSource source) {
        open.add(resolver(source, ResolvConf.PATH).watch(heard));
        assertThat(heard.count()).isPositive();
    }

    private void watch(String name, int port, Family family) {
        watch(source(name, port, family, knot.port()));
    }

    @Test
    void addressesFollowTheZone() {
        zone("app 0 IN A 10.0.0.2\napp 0 IN A 10.0.0.1\n");
        watch("app.test.", 8080, Family.AUTO);
        heard.awaitNames("10.0.0.1:8080", "10.0.0.2:8080");
        Addr before = heard.last();
        int words = heard.count();
        Await.until("asked again", () -> heard.count() > words + 2);
        assertThat(heard.last()).as("the same answer is the same object").isSameAs(before);
        knot.zone("app 0 IN A 10.0.0.3\n");
        heard.awaitNames("10.0.0.3:8080");
        knot.zone("");
        heard.await("empty", addr -> addr instanceof Addr.Empty);
        knot.zone("app 0 IN A 10.0.0.1\n");
        heard.awaitNames("10.0.0.1:8080");
    }

    @Test
    void servicesHavePortsWeightsAndPriorities() {
        zone("""
                _http._tcp.app 0 IN SRV 1 5 8081 one
                _http._tcp.app 0 IN SRV 2 0 8082 two
                one 0 IN A 10.0.0.1
                two 0 IN A 10.0.0.2
                """);
        watch("_http._tcp.app.test.", 0, Family.AUTO);
        heard.awaitNames("10.0.0.1:8081", "10.0.0.2:8082");
        List<Endpoint> endpoints = ((Addr.Bound) heard.last()).endpoints();
        assertThat(endpoints).extracting(Endpoint::weight).containsExactly(5, 1);
        assertThat(endpoints)
                .extracting(each -> each.metadata().get(Endpoint.PRIORITY))
                .containsExactly("1", "2");
    }

    @Test
    void aServiceThatIsSaidNotToBeThereIsEmpty() {
        zone("_http._tcp.app 0 IN SRV 0 0 0 .\n");
        watch("_http._tcp.app.test.", 0, Family.AUTO);
        heard.await("empty", addr -> addr instanceof Addr.Empty);
    }

    @ParameterizedTest
    @CsvSource({"AUTO, 10.0.0.1:80", "IPV4, 10.0.0.1:80", "IPV6, [fd00:0:0:0:0:0:0:1]:80"})
    void asksForTheAddressesThatAreWanted(Family family, String name) {
        zone("app 0 IN A 10.0.0.1\napp 0 IN AAAA fd00::1\n");
        watch("app.test.", 80, family);
        heard.awaitNames(name);
    }

    @Test
    void asksForBothKindsOfAddresses() {
        zone("app 0 IN A 10.0.0.1\napp 0 IN AAAA fd00::1\nsix 0 IN AAAA fd00::2\n");
        watch("app.test.", 80, Family.BOTH);
        heard.awaitNames("10.0.0.1:80", "[fd00:0:0:0:0:0:0:1]:80");
        watch("six.test.", 80, Family.AUTO);
        heard.awaitNames("[fd00:0:0:0:0:0:0:2]:80");
    }

    @Test
    void followsAliases() {
        zone("app 0 IN CNAME b\nb 0 IN CNAME c\nc 0 IN A 10.0.0.9\n");
        watch("app.test.", 80, Family.AUTO);
        heard.awaitNames("10.0.0.9:80");
    }

    /** 300 addresses do not fit into 512 octets. */
    @Test
    void readsByTcpWhatDoesNotFit() {
        StringBuilder records = new StringBuilder();
        for (int i = 0; i < 300; i++) {
            records.append("app 0 IN A 10.0.")
                    .append(i / 256)
                    .append('.')
                    .append(i % 256)
                    .append('\n');
        }
        zone(records.toString());
        watch("app.test.", 80, Family.AUTO);
        heard.await("bound", addr -> addr instanceof Addr.Bound);
        assertThat(heard.names()).hasSize(300).doesNotHaveDuplicates().contains("10.0.1.43:80");
    }

    @Test
    void aNameThatDoesNotExistIsEmptyAndAServerThatFailsHasFailed() {
        zone("app 0 IN TXT none\n");
        watch("missing.test.", 80, Family.BOTH);
        heard.await("empty", addr -> addr instanceof Addr.Empty);
        watch("app.test.", 80, Family.BOTH);
        heard.await("empty", addr -> addr instanceof Addr.Empty);
        Heard broken = new Heard();
        open.add(resolver(source("app.broken.", 80, Family.AUTO, knot.port()), ResolvConf.PATH)
                .watch(broken));
        broken.await("failed", addr -> addr instanceof Addr.Failed);
        assertThat(((Addr.Failed) broken.last()).reason())
                .isEqualTo("A of app.broken, asked of 127.0.0.1 port " + knot.port() + ": SERVFAIL");
        Heard refused = new Heard();
        open.add(resolver(source("app.elsewhere.", 80, Family.AUTO, knot.port()), ResolvConf.PATH)
                .watch(refused));
        refused.await("failed", addr -> addr instanceof Addr.Failed);
        assertThat(((Addr.Failed) refused.last()).reason()).endsWith(": REFUSED");
    }

    @Test
    void aServerThatIsGoneHasFailedAndIsNoticedWhenItIsBack() {
        zone("app 0 IN A 10.0.0.1\n");
        watch("app.test.", 80, Family.AUTO);
        heard.awaitNames("10.0.0.1:80");
        knot.stop();
        heard.await("failed", addr -> addr instanceof Addr.Failed);
        knot.start();
        heard.awaitNames("10.0.0.1:80");
    }

    @Test
    void theNextServerIsAskedWhereOneIsGone() {
        zone("app 0 IN A 10.0.0.1\n");
        DnsSource one = source("app.test.", 80, Family.AUTO, knot.port());
        try (DeadPort dead = new DeadPort()) {
            List<Address> servers =
                    List.of(new Address("127.0.0.1", dead.port()), one.servers().get(0));
            watch(new DnsSource(one.name(), one.port(), one.family(), servers, one.minRefreshNs(), one.maxRefreshNs()));
            heard.awaitNames("10.0.0.1:80");
        }
    }

    @Test
    void aShortNameGoesByTheListOfDomains() throws IOException {
        zone("app.team 0 IN A 10.0.0.1\n");
        Path conf = Files.writeString(
                directory.resolve("resolv.conf"), "nameserver 192.0.2.1\nsearch no.test team.test\noptions ndots:2\n");
        DnsSource source = source("app", 80, Family.AUTO, knot.port());
        open.add(resolver(source, conf.toString()).watch(heard));
        heard.awaitNames("10.0.0.1:80");
    }

    @Test
    void goesByTheTimeToLiveWithinItsBounds() {
        DnsSource source = new DnsSource("app", 80, Family.AUTO, List.of(), 5 * SECOND_NS, 60 * SECOND_NS);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 1_000; i++) {
            assertThat(DnsResolver.refreshNs(source, 0, random)).isEqualTo(5 * SECOND_NS);
            assertThat(DnsResolver.refreshNs(source, 30, random)).isBetween(27 * SECOND_NS, 30 * SECOND_NS);
            assertThat(DnsResolver.refreshNs(source, Long.MAX_VALUE, random)).isBetween(54 * SECOND_NS, 60 * SECOND_NS);
            assertThat(DnsResolver.retryNs(1, random)).isBetween(SECOND_NS * 9 / 10, SECOND_NS);
            assertThat(DnsResolver.retryNs(3, random)).isBetween(SECOND_NS * 36 / 10, 4 * SECOND_NS);
            assertThat(DnsResolver.retryNs(1_000, random)).isBetween(27 * SECOND_NS, 30 * SECOND_NS);
        }
    }
}
