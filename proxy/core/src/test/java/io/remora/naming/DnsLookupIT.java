package io.remora.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.discovery.DnsSource;
import io.remora.discovery.DnsSource.Family;
import io.remora.dns.DnsClient;
import io.remora.dns.DnsException;
import io.remora.dns.DnsType;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What one look at a name makes of servers that are slow, silent or say things in an unlucky order. */
final class DnsLookupIT {
    @TempDir
    Path directory;

    private ScriptedServer server;
    private DnsClient client;
    private DnsLookup lookup;
    private List<Endpoint> found;
    private long withinMs = 60_000;

    @BeforeEach
    void open() throws IOException {
        server = new ScriptedServer();
    }

    @AfterEach
    void close() throws IOException {
        if (client != null) {
            client.close();
        }
        server.close();
    }

    private List<String> names(String name, int port, Family family) throws IOException {
        server.start();
        return names(name, port, family, List.of(server.address()));
    }

    private List<String> names(String name, int port, Family family, List<InetSocketAddress> servers)
            throws IOException {
        Path conf = Files.writeString(
                directory.resolve("resolv.conf"), "search team.local corp\noptions timeout:1 attempts:1\n");
        client = new DnsClient(conf.toString(), servers, 42, 5_000_000_000L);
        client.refresh();
        lookup = new DnsLookup(new DnsSource(name, port, family, List.of(), 1, 1), client, new KeptAnswers(0), null);
        found = lookup.run(withinMs);
        return found.stream().map(Endpoint::name).toList();
    }

    // ---- search lists

    @Test
    void stopsAtANameThatNobodyAnswersFor() throws IOException {
        server.silentOn("app.team.local").address("app.corp", 60, "10.0.0.9");
        assertThatThrownBy(() -> names("app", 80, Family.AUTO))
                .isInstanceOf(DnsException.class)
                .hasMessageContaining("A of app.team.local");
        assertThat(server.asked()).containsOnly("1 app.team.local", "28 app.team.local");
    }

    @ParameterizedTest
    @EnumSource(
            value = Family.class,
            names = {"AUTO", "BOTH"})
    void takesAllAddressesOfTheSameName(Family family) throws IOException {
        server.address("app.team.local", 60, "fd00::1").address("app.corp", 60, "10.0.0.9");
        assertThat(names("app", 80, family)).containsExactly("[fd00:0:0:0:0:0:0:1]:80");
    }

    @Test
    void goesOnWhereANameHasNone() throws IOException {
        server.address("app.corp", 60, "10.0.0.9");
        assertThat(names("app", 80, Family.AUTO)).containsExactly("10.0.0.9:80");
    }

    @Test
    void aShortServiceIsSearchedForToo() throws IOException {
        server.service("_http._tcp.app.corp", 60, 1, 1, 81, "one.corp").address("one.corp", 60, "10.0.0.1");
        assertThat(names("_http._tcp.app", 0, Family.AUTO)).containsExactly("10.0.0.1:81");
    }

    // ---- servers that are slow

    @Test
    void asksTheServerThatAnsweredForTheRest() throws IOException {
        server.silentOn("app.test").start();
        try (ScriptedServer second = new ScriptedServer()) {
            second.address("app.test", 60, "10.0.0.1")
                    .address("app.test", 60, "fd00::1")
                    .start();
            List<InetSocketAddress> servers = List.of(server.address(), second.address());
            assertThat(names("app.test.", 80, Family.BOTH, servers)).hasSize(2);
        }
        assertThat(server.asked()).containsExactlyInAnyOrder("1 app.test", "28 app.test");
    }

    /** A question may take a second of each server here; the lookup has less than that for everything. */
    @Test
    void endsInItsTimeWhateverIsLeftToAsk() throws IOException {
        server.silentOn("app.test").start();
        withinMs = 300;
        try (ScriptedServer second = new ScriptedServer()) {
            second.address("app.test", 60, "10.0.0.1").start();
            List<InetSocketAddress> servers = List.of(server.address(), second.address());
            assertThatThrownBy(() -> names("app.test.", 80, Family.AUTO, servers))
                    .isInstanceOf(DnsException.class)
                    .hasMessageMatching("A of app.test, asked of .* no answer within [12]\\d\\d ms");
            assertThat(second.asked()).isEmpty();
            assertThatThrownBy(() -> client.answer("app.test", DnsType.A)).hasMessageContaining("no time left");
        }
    }

    // ---- services

    /** Its address may come at any time, and must not be waited for until the others expire. */
    @Test
    void aServiceWithoutAnAddressHoldsForNoTime() throws IOException {
        server.service("app.test", 3_600, 1, 1, 81, "one.test").service("app.test", 3_600, 1, 1, 82, "two.test");
        server.address("one.test", 3_600, "10.0.0.1");
        assertThat(names("app.test.", 0, Family.AUTO)).containsExactly("10.0.0.1:81");
        assertThat(lookup.ttlSeconds()).isZero();
    }

    @Test
    void twoServicesAtOneAddressAreTheOneThatComesFirst() throws IOException {
        server.service("app.test", 3_600, 5, 9, 81, "one.test").service("app.test", 3_600, 1, 2, 81, "two.test");
        server.address("one.test", 3_600, "10.0.0.1").address("two.test", 3_600, "10.0.0.1");
        assertThat(names("app.test.", 0, Family.AUTO)).containsExactly("10.0.0.1:81");
        assertThat(found.get(0).metadata()).containsEntry(Endpoint.PRIORITY, "1");
        assertThat(found.get(0).weight()).isEqualTo(2);
        assertThat(lookup.ttlSeconds()).isEqualTo(3_600);
    }

    /** A server that turns its records around each time must not turn the endpoints around. */
    @Test
    void leavesTheSameOnesOutWhateverTheirOrder() throws IOException {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < FoundEndpoints.MAX_ENDPOINTS + 76; i++) {
            numbers.add(i);
        }
        Collections.shuffle(numbers, new Random(1));
        List<String> expected = new ArrayList<>();
        for (int number : numbers) {
            String address = "200.0." + number / 256 + "." + number % 256;
            server.address("app.test", 60, address);
            if (number < FoundEndpoints.MAX_ENDPOINTS) {
                expected.add(address + ":80");
            }
        }
        assertThat(names("app.test.", 80, Family.AUTO)).containsExactlyInAnyOrderElementsOf(expected);
    }
}
