package io.remora.dns;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What /etc/resolv.conf is taken to say. */
final class ResolvConfTest {
    @TempDir
    Path directory;

    @Test
    void ofAPod() {
        ResolvConf conf = ResolvConf.parse("""
                # as a kubelet writes it
                nameserver 10.96.0.10
                search team.svc.cluster.local svc.cluster.local Cluster.Local.
                options ndots:5 timeout:2 attempts:3 use-vc
                """);
        assertThat(conf.servers).containsExactly(new InetSocketAddress("10.96.0.10", 53));
        assertThat(conf.candidates("App"))
                .containsExactly("app.team.svc.cluster.local", "app.svc.cluster.local", "app.cluster.local", "app");
        assertThat(conf.candidates("a.b.c.d.e.f")).startsWith("a.b.c.d.e.f").hasSize(4);
        assertThat(conf.candidates("app.")).containsExactly("app");
        assertThat(conf.timeoutSeconds).isEqualTo(2);
        assertThat(conf.attempts).isEqualTo(3);
    }

    @Test
    void ofNothing() {
        ResolvConf conf = ResolvConf.read("/no/such/file");
        assertThat(conf.servers).extracting(InetSocketAddress::getPort).containsExactly(53);
        assertThat(conf.servers.get(0).getAddress().isLoopbackAddress()).isTrue();
        assertThat(conf.candidates("app")).containsExactly("app");
        assertThat(conf.timeoutSeconds).isEqualTo(5);
        assertThat(conf.attempts).isEqualTo(2);
    }

    @Test
    void looksNoNameUpAndKeepsThreeServers() {
        ResolvConf conf = ResolvConf.parse("nameserver dns.test\nnameserver ::1\nnameserver 10.0.0.1 # the second\n"
                + "nameserver 10.0.0.2\nnameserver 10.0.0.3\nnameserver\n;nameserver 10.0.0.9\n");
        assertThat(conf.servers)
                .extracting(server -> server.getAddress().getHostAddress())
                .containsExactly("0:0:0:0:0:0:0:1", "10.0.0.1", "10.0.0.2");
    }

    @Test
    void theLastLineOfDomainsCounts() {
        ResolvConf conf = ResolvConf.parse("search a.test b.test\ndomain c.test\n");
        assertThat(conf.candidates("x")).containsExactly("x.c.test", "x");
    }

    @Test
    void keepsWhatItKnowsWhileTheFileIsWrittenOrGone() throws IOException {
        Path file = directory.resolve("resolv.conf");
        written(file, "nameserver 10.0.0.1\nsearch team.test\n", 0);
        try (DnsClient client = new DnsClient(file.toString(), List.of(), 1, 1)) {
            client.refresh();
            assertThat(client.candidates("x")).as("of a new file").containsExactly("x.team.test", "x");
            written(file, "nameserver 10.0.0.1\n", 0);
            client.refresh();
            assertThat(client.candidates("x")).as("half written").containsExactly("x.team.test", "x");
            written(file, "search corp.test\n", 60);
            client.refresh();
            assertThat(client.candidates("x")).as("without a server").containsExactly("x.team.test", "x");
            Files.delete(file);
            client.refresh();
            assertThat(client.candidates("x")).as("gone").containsExactly("x.team.test", "x");
            written(file, "nameserver 10.0.0.1\nsearch corp.test\n", 60);
            client.refresh();
            assertThat(client.candidates("x")).as("whole").containsExactly("x.corp.test", "x");
        }
    }

    private static void written(Path file, String text, int secondsAgo) throws IOException {
        Files.writeString(file, text);
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(secondsAgo)));
    }

    @Test
    void leavesOutWhatWouldBeNoName() {
        String label = "a".repeat(63);
        String domain = String.join(".", label, label, label, "b".repeat(58));
        ResolvConf conf = ResolvConf.parse("search a..test " + domain + " a.test .\n");
        assertThat(conf.candidates("x")).containsExactly("x." + domain, "x.a.test", "x", "x");
        assertThat(conf.candidates("xyz")).containsExactly("xyz.a.test", "xyz", "xyz");
    }

    @ParameterizedTest
    @CsvSource({"timeout:0, 1", "timeout:99, 30", "timeout:x, 5", "timeout:, 5", "timeout:99999999999, 5"})
    void boundsWhatItSays(String option, int seconds) {
        assertThat(ResolvConf.parse("options " + option).timeoutSeconds).isEqualTo(seconds);
    }
}
