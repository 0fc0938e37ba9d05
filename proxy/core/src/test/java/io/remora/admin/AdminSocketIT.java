package io.remora.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.Proxy;
import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.config.text.ConfigText;
import io.remora.config.yaml.ConfigReader;
import io.remora.feature.FeatureList;
import io.remora.testkit.Command;
import io.remora.testkit.Wire;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The operator's listeners on Unix sockets: their pages, and what becomes of the files. */
final class AdminSocketIT {
    @TempDir
    Path directory;

    private Path admin() {
        return directory.resolve("admin.sock");
    }

    private Path health() {
        return directory.resolve("health.sock");
    }

    private ProxyConfig config() {
        return read("""
            log-level: error
            admin: { address: "unix:ADMIN" }
            health: { address: "unix:HEALTH", socket: { mode: "0666" } }
            listeners:
              - { address: "127.0.0.1:0", cluster: app }
            clusters:
              app: { endpoints: ["127.0.0.1:1"] }
            """.replace("ADMIN", admin().toString()).replace("HEALTH", health().toString()));
    }

    private static ProxyConfig read(String yaml) {
        try {
            return ConfigReader.read(
                    "a.yaml",
                    new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)),
                    Map.of(),
                    new FeatureList());
        } catch (ConfigException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private String curl(Path socket, String path) {
        return Command.run(
                        directory,
                        "curl",
                        "-s",
                        "-w",
                        " %{http_code}",
                        "--unix-socket",
                        socket.toString(),
                        "http://localhost" + path)
                .good();
    }

    /** The parts of the dashboard's stream, which has no end, and which curl reads for a while. */
    private String[] events() {
        return Command.run(
                        directory,
                        "curl",
                        "-sN",
                        "--max-time",
                        "6",
                        "--unix-socket",
                        admin().toString(),
                        "http://localhost/dashboard/events")
                .output()
                .split("data: \\{");
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void servesTheirPages() throws IOException {
        try (Proxy proxy = Proxy.start(config())) {
            assertThat(proxy.healthAddress()).isNull();
            assertThatThrownBy(proxy::adminAddress).isInstanceOf(IllegalStateException.class);
            assertThat(curl(admin(), "/metrics")).contains("remora_ready 1").endsWith(" 200");
            assertThat(curl(admin(), "/config")).contains("unix:" + admin()).contains("0600");
            assertThat(curl(admin(), "/dashboard")).contains("<title>").endsWith(" 200");
            assertThat(events()).hasSizeGreaterThan(2);
            assertThat(curl(health(), "/ready")).endsWith(" 200");
            assertThat(curl(health(), "/dashboard")).endsWith(" 404");
            assertThat(curl(health(), "/metrics")).endsWith(" 404");
            assertThat(mode(admin())).isEqualTo("rw-------");
            assertThat(mode(health())).isEqualTo("rw-rw-rw-");
        }
        assertThat(admin()).doesNotExist();
        assertThat(health()).doesNotExist();
    }

    /** A client that has ended its side waits for the answer all the same. */
    @Test
    void answersWhoHasEndedItsSide() throws IOException {
        try (Proxy proxy = Proxy.start(config());
                SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(admin()))) {
            assertThat(proxy.config().admin().socket()).isNotNull();
            client.write(ByteBuffer.wrap(Wire.bytes("GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n")));
            client.shutdownOutput();
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            ByteBuffer some = ByteBuffer.allocate(1 << 12);
            while (client.read(some) >= 0) {
                all.write(some.array(), 0, some.position());
                some.clear();
            }
            assertThat(Wire.text(all.toByteArray())).startsWith("HTTP/1.1 200");
        }
    }

    /** What a process has left that was killed is in nobody's way. */
    @Test
    void takesThePlaceOfAFileThatNobodyListensOn() throws IOException {
        bound(admin()).close();
        assertThat(admin()).exists();
        try (Proxy proxy = Proxy.start(config())) {
            assertThat(proxy.config().admin().socket()).isNotNull();
            assertThat(curl(admin(), "/live")).endsWith(" 200");
        }
    }

    @Test
    void leavesWhatIsSomebodyElses() throws IOException {
        Files.writeString(health(), "a letter");
        assertThatThrownBy(() -> Proxy.start(config()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("health: unix:" + health())
                .hasMessageContaining("is a file, but not a socket");
        assertThat(health()).hasContent("a letter");
        assertThat(admin()).as("of the listener that was there before").doesNotExist();
        Files.delete(health());
        try (ServerSocketChannel other = bound(admin())) {
            assertThat(other.isOpen()).isTrue();
            assertThatThrownBy(() -> Proxy.start(config()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("another process listens on " + admin());
            assertThat(admin()).exists();
        }
    }

    private static ServerSocketChannel bound(Path path) throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(path));
    }

    @Test
    void isShownAsItIsRead() {
        ProxyConfig config = config();
        assertThat(read(ConfigText.render(config))).isEqualTo(config);
    }
}
