package io.remora.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.config.model.SocketConfig;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What somebody else does in the directory between the steps by which a socket's file comes to its place, and goes. */
final class SocketFileTest {
    private static final SocketConfig CONFIG = new SocketConfig(0600, "", "");

    @TempDir
    Path directory;

    private Path path() {
        return directory.resolve("in.sock");
    }

    private static ServerSocketChannel listen(Path where) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(where));
        return server;
    }

    private static Object key(Path path) throws IOException {
        return Files.getAttribute(path, "unix:ino", LinkOption.NOFOLLOW_LINKS);
    }

    /** Of two that start at once, the later one does not take the place of the one that listens by then. */
    @Test
    void leavesWhoCameFirstMeanwhile() throws IOException {
        SocketFile file = SocketFile.at(path().toString());
        try (ServerSocketChannel first = listen(path());
                ServerSocketChannel second = listen(Path.of(file.temporary()))) {
            Object before = key(path());
            assertThatThrownBy(() -> file.publish(CONFIG))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("another process listens on " + path());
            assertThat(key(path())).isEqualTo(before);
            assertThat(second.isOpen()).isTrue();
            try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(path()))) {
                assertThat(client.isConnected()).isTrue();
            }
            assertThat(first.accept()).isNotNull();
        }
        assertThat(Path.of(file.temporary())).doesNotExist();
    }

    /** A link in the place of the file that was made leads to nobody's file being given away. */
    @Test
    void changesNothingBehindALink() throws IOException {
        Path precious = Files.writeString(directory.resolve("precious"), "precious");
        Files.setPosixFilePermissions(precious, PosixFilePermissions.fromString("rw-r-----"));
        SocketFile file = SocketFile.at(path().toString());
        Path made = Path.of(file.temporary());
        Files.createSymbolicLink(made, precious);
        SocketConfig open = new SocketConfig(0666, "", "");
        assertThatThrownBy(() -> file.publish(open))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not a socket");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(precious)))
                .isEqualTo("rw-r-----");
        assertThat(precious).hasContent("precious");
        assertThat(path()).doesNotExist();
        // nor is it the sidecar's to remove
        assertThat(made).isSymbolicLink();
    }

    @Test
    void doesNotRemoveALinkInItsPlace() throws IOException {
        SocketFile file = SocketFile.at(path().toString());
        Path other = directory.resolve("other.sock");
        try (ServerSocketChannel server = listen(Path.of(file.temporary()))) {
            file.publish(CONFIG);
            Files.move(path(), other);
            Files.createSymbolicLink(path(), other);
            file.remove();
            assertThat(server.isOpen()).isTrue();
        }
        assertThat(path()).isSymbolicLink();
        assertThat(Files.exists(other, LinkOption.NOFOLLOW_LINKS)).isTrue();
    }
}
