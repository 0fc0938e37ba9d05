package io.remora.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.remora.config.model.Address;
import io.remora.config.model.Limits;
import io.remora.discovery.DnsSource;
import io.remora.discovery.DnsSource.Family;
import io.remora.discovery.ResolverConfig;
import io.remora.testkit.Await;
import io.remora.testkit.Knot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Answers of a resolver while some of the questions about a name have none. A server may be waited for half a minute here,
 * three times as long as a test waits.
 */
final class PartialAnswersIT {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final String V4 = "10.0.0.1:80";
    private static final String V6 = "[fd00:0:0:0:0:0:0:1]:80";

    @TempDir
    Path directory;

    private final Heard heard = new Heard();
    private final List<AutoCloseable> open = new ArrayList<>();
    private ScriptedServer server;
    private long keepLastNs = Limits.UNLIMITED;

    @BeforeEach
    void server() throws IOException {
        server = new ScriptedServer().start();
        open.add(server);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private DnsResolver resolver(DnsSource source, String resolvConf) {
        ResolverConfig config = new ResolverConfig(null, source, null, null, keepLastNs, 128, SECOND_NS);
        return new DnsResolver("app", source, config, resolvConf, 1);
    }

    private void watch(String name, Family family, ScriptedServer... servers) throws IOException {
        watch(name, family, "timeout:30 attempts:1", servers);
    }

    private void watch(String name, Family family, String options, ScriptedServer... servers) throws IOException {
        Path conf =
                Files.writeString(directory.resolve("resolv.conf"), "search team.test corp.test\noptions " + options);
        List<Address> asked = new ArrayList<>();
        for (ScriptedServer one : servers) {
            asked.add(new Address("127.0.0.1", one.address().getPort()));
        }
        int port = name.startsWith("_") ? 0 : 80;
        DnsSource source = new DnsSource(name, port, family, asked, SECOND_NS / 20, SECOND_NS / 5);
        open.add(0, resolver(source, conf.toString()).watch(heard));
    }

    // ---- one of two families

    @Test
    void theOtherFamilyIsUsedWhereOneFails() throws IOException {
        server.address("app.test", 60, "10.0.0.1").failingOn("28 app.test");
        watch("app.test.", Family.BOTH, server);
        heard.awaitNames(V4);
        assertThat(missing()).matches("AAAA of app.test, asked of 127.0.0.1 port \\d+: SERVFAIL");
        server.address("app.test", 60, "fd00::1").succeedingOn("28 app.test");
        heard.awaitNames(V4, V6);
        assertThat(missing()).isEmpty();
    }

    private String missing() {
        return ((Addr.Bound) heard.last()).missing();
    }

    @ParameterizedTest
    @EnumSource(
            value = Family.class,
            names = {"AUTO", "BOTH"})
    void ipv6IsUsedWhereIpv4Fails(Family family) throws IOException {
        server.address("app.test", 60, "fd00::1").failingOn("1 app.test");
        watch("app.test.", family, server);
        heard.awaitNames(V6);
    }

    @ParameterizedTest
    @CsvSource({"28 app.test, 10.0.0.1:80", "1 app.test, [fd00:0:0:0:0:0:0:1]:80"})
    void whatIsThereDoesNotWaitForSilence(String silent, String name) throws IOException {
        server.address("app.test", 60, "10.0.0.1")
                .address("app.test", 60, "fd00::1")
                .silentOn(silent);
        watch("app.test.", Family.BOTH, server);
        heard.awaitNames(name);
    }

    @Test
    void silenceIsTold() throws IOException {
        server.address("app.test", 60, "10.0.0.1").silentOn("28 app.test");
        watch("app.test.", Family.BOTH, "timeout:1 attempts:1", server);
        Await.until(
                "told", () -> heard.last() instanceof Addr.Bound && !missing().isEmpty());
        assertThat(missing()).matches("AAAA of app.test, asked of 127.0.0.1 port \\d+: no answer within 1000 ms");
        assertThat(heard.names()).containsExactly(V4);
    }

    /** The search list ends at a name that has anything, as it does where both families are answered. */
    @Test
    void aNameWithOneFamilyIsFound() throws IOException {
        server.address("app.team.test", 60, "10.0.0.1").failingOn("28 app.team.test");
        server.address("app.corp.test", 60, "10.0.0.9");
        watch("app", Family.BOTH, server);
        heard.awaitNames(V4);
        assertThat(server.asked()).doesNotContain("1 app.corp.test");
    }

    @ParameterizedTest
    @EnumSource(
            value = Family.class,
            names = {"AUTO", "BOTH"})
    void noAddressOfOneFamilyAndNoAnswerForTheOtherIsAFailure(Family family) throws IOException {
        server.address("app.test", 60, "10.0.0.1").without("1 app.test").failingOn("28 app.test");
        watch("app.test.", family, server);
        heard.await("failed", addr -> addr instanceof Addr.Failed);
        assertThat(heard.last())
                .asString()
                .contains("AAAA of app.test, asked of")
                .contains("SERVFAIL");
    }

    // ---- what was there before

    @Test
    void addressesThatWereThereStayWhileTheirFamilyFails() throws IOException {
        server.address("app.test", 0, "10.0.0.1").address("app.test", 0, "fd00::1");
        watch("app.test.", Family.BOTH, server);
        heard.awaitNames(V4, V6);
        server.failingOn("28 app.test").without("1 app.test").address("app.test", 0, "10.0.0.2");
        heard.awaitNames("10.0.0.2:80", V6);
        assertThat(missing()).startsWith("AAAA of app.test");
        server.succeedingOn("28 app.test").without("28 app.test").address("app.test", 0, "fd00::2");
        heard.awaitNames("10.0.0.2:80", "[fd00:0:0:0:0:0:0:2]:80");
        assertThat(missing()).isEmpty();
    }

    /** They are kept as long as the last answer of a source, and no longer. */
    @ParameterizedTest
    @ValueSource(longs = {0, SECOND_NS / 2})
    void addressesThatWereThereAreGivenUp(long keepLastNs) throws IOException {
        this.keepLastNs = keepLastNs;
        server.address("app.test", 0, "10.0.0.1").address("app.test", 0, "fd00::1");
        watch("app.test.", Family.BOTH, server);
        heard.awaitNames(V4, V6);
        server.failingOn("28 app.test");
        heard.awaitNames(V4);
        assertThat(missing()).startsWith("AAAA of app.test");
    }

    /** A source without any answer has failed, and its cluster keeps what it has. */
    @ParameterizedTest
    @EnumSource(Family.class)
    void aSourceThatAnswersNothingHasFailed(Family family) throws IOException {
        server.address("app.test", 0, "10.0.0.1").address("app.test", 0, "fd00::1");
        watch("app.test.", family, server);
        heard.await("bound", addr -> addr instanceof Addr.Bound);
        server.failingOn("1 app.test").failingOn("28 app.test");
        heard.await("failed", addr -> addr instanceof Addr.Failed);
    }

    /** IPv4 addresses that have been there are likelier to serve than IPv6 addresses that nobody has wanted. */
    @Test
    void ipv6DoesNotTakeThePlaceOfIpv4() throws IOException {
        server.address("app.test", 0, "10.0.0.1").address("app.test", 0, "fd00::1");
        watch("app.test.", Family.AUTO, server);
        heard.awaitNames(V4);
        server.failingOn("1 app.test");
        heard.await("failed", addr -> addr instanceof Addr.Failed);
        assertThat(server.asked()).doesNotContain("28 app.test");
    }

    @Test
    void theHostsOfAServiceStayWhileTheyFail() throws IOException {
        String service = "_http._tcp.app.test";
        server.service(service, 0, 1, 1, 80, "one.test").address("one.test", 0, "10.0.0.1");
        server.service(service, 0, 1, 1, 80, "two.test").address("two.test", 0, "10.0.0.2");
        watch(service + '.', Family.IPV4, server);
        heard.awaitNames(V4, "10.0.0.2:80");
        server.failingOn("1 one.test");
        Await.until("told", () -> !missing().isEmpty());
        heard.awaitNames(V4, "10.0.0.2:80");
    }

    // ---- asked together

    @Test
    void bothFamiliesAreAskedForTogether() throws IOException {
        server.address("app.test", 60, "10.0.0.1").address("app.test", 60, "fd00::1");
        server.holding("1 app.test", "28 app.test");
        watch("app.test.", Family.BOTH, server);
        heard.awaitNames(V4, V6);
    }

    /** NXDOMAIN holds for all types of a name (RFC 8020). */
    @ParameterizedTest
    @EnumSource(
            value = Family.class,
            names = {"AUTO", "BOTH"})
    void aNameThatDoesNotExistIsNotWaitedFor(Family family) throws IOException {
        server.silentOn("28 app.test");
        watch("app.test.", family, server);
        heard.await("empty", addr -> addr instanceof Addr.Empty);
    }

    /** Some servers deny a name because they know no IPv6 address of it (RFC 4074 4.2). */
    @Test
    void aNameThatIsDeniedForIpv6OnlyExists() throws IOException {
        server.address("app.test", 60, "10.0.0.1").denying("28 app.test");
        watch("app.test.", Family.BOTH, server);
        heard.awaitNames(V4);
    }

    // ---- servers that are silent

    @ParameterizedTest
    @EnumSource(Family.class)
    void aSilentServerIsNotWaitedForBeforeTheNext(Family family) throws IOException {
        try (ScriptedServer silent = new ScriptedServer().silentOn("app.test").start();
                ScriptedServer silentToo =
                        new ScriptedServer().silentOn("app.test").start()) {
            server.address("app.test", 60, "10.0.0.1").address("app.test", 60, "fd00::1");
            watch("app.test.", family, silent, silentToo, server);
            heard.await("bound", addr -> addr instanceof Addr.Bound);
            assertThat(silent.asked()).isNotEmpty();
            assertThat(silentToo.asked()).isNotEmpty();
        }
    }

    @Test
    void aQuestionThatIsLostIsAskedAgainSoon() throws IOException {
        server.address("app.test", 60, "10.0.0.1").losing("1 app.test", 1);
        watch("app.test.", Family.AUTO, "timeout:30 attempts:2", server);
        heard.awaitNames(V4);
    }

    @Test
    void aServerThatIsSlowMayStillAnswer() throws IOException {
        server.address("app.test", 60, "10.0.0.1");
        try (ScriptedServer second = new ScriptedServer().silentOn("app.test").start()) {
            // the answer comes when the second server has been asked already
            server.holding("1 app.test", "1 now.test");
            watch("app.test.", Family.AUTO, server, second);
            Await.until("the second is asked", () -> !second.asked().isEmpty());
            server.ask("now.test");
            heard.awaitNames(V4);
        }
    }

    @Test
    void theLastOfTwoServersToFailEndsTheWait() throws IOException {
        server.failingOn("1 app.test").holding("1 app.test", "1 now.test");
        try (ScriptedServer second =
                new ScriptedServer().failingOn("1 app.test").start()) {
            watch("app.test.", Family.IPV4, server, second);
            Await.until("the second is asked", () -> !second.asked().isEmpty());
            server.ask("now.test");
            heard.await("failed", addr -> addr instanceof Addr.Failed);
        }
    }

    // ---- aliases

    @Test
    void theTargetOfAnAliasIsAskedForWhereItsAddressIsMissing() throws IOException {
        server.alias("app.test", 60, "b.test").alias("b.test", 60, "c.test").address("c.test", 60, "10.0.0.1");
        watch("app.test.", Family.AUTO, server);
        heard.awaitNames(V4);
    }

    /** Knot does not follow an alias into another of its zones. */
    @Test
    void theTargetOfAnAliasInAnotherZoneIsAskedFor() throws IOException {
        assumeTrue(Knot.missing().isEmpty(), Knot.missing());
        try (Knot knot = Knot.start(directory, "app 0 IN CNAME host.other.\n")) {
            DnsSource source = new DnsSource(
                    "app.test.", 80, Family.AUTO, List.of(new Address("127.0.0.1", knot.port())), SECOND_NS, SECOND_NS);
            open.add(0, resolver(source, directory.resolve("no").toString()).watch(heard));
            heard.awaitNames("10.0.0.99:80");
        }
    }

    @Test
    void anAliasWhoseTargetHasNoAddressIsEmpty() throws IOException {
        server.alias("app.test", 60, "b.test").address("b.test", 60, "fd00::1");
        watch("app.test.", Family.IPV4, server);
        heard.await("empty", addr -> addr instanceof Addr.Empty);
        assertThat(server.asked()).contains("1 app.test", "1 b.test");
    }

    @Test
    void aliasesInACircleAreAFailure() throws IOException {
        server.alias("app.test", 60, "b.test").alias("b.test", 60, "app.test");
        watch("app.test.", Family.IPV4, server);
        heard.await("failed", addr -> addr instanceof Addr.Failed);
        assertThat(heard.last()).asString().contains("too many aliases");
    }

    // ---- services

    @Test
    void aServiceGoesOnWithoutTheHostThatHasNoAnswer() throws IOException {
        server.service("_http._tcp.app.test", 60, 1, 1, 80, "bad.test").failingOn("1 bad.test");
        server.service("_http._tcp.app.test", 60, 1, 1, 80, "good.test").address("good.test", 60, "10.0.0.1");
        watch("_http._tcp.app.test.", Family.IPV4, server);
        heard.awaitNames(V4);
    }
}
