package io.remora.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.config.model.SocketConfig;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The directory in which the file of a Unix socket is made, from before it is bound until it has gone. */
final class SocketRoomTest {
    private static final SocketConfig SHARED = new SocketConfig(0666, "", "");

    @TempDir
    Path directory;

    private Path path() {
        return directory.resolve("in.sock");
    }

    private static ServerSocketChannel bind(String at) throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(at));
    }

    /** The mode of the socket itself follows the umask until it is published, which may let anybody in. */
    @Test
    void isOutOfReachUntilItHasItsMode() throws IOException {
        SocketFile file = SocketFile.at(path().toString());
        try (ServerSocketChannel server = bind(file.temporary())) {
            Path room = Path.of(file.temporary()).getParent();
            assertThat(room).isEqualTo(directory.resolve("in.sock.new"));
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(room)))
                    .isEqualTo("rwx------");
            assertThat(path()).doesNotExist();

            file.publish(SHARED);

            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path())))
                    .isEqualTo("rw-rw-rw-");
            assertThat(directory).isDirectoryNotContaining(each -> !each.equals(path()));
            assertThat(server.isOpen()).isTrue();
            file.remove();
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void takesThePlaceOfOneThatWasNeverPublished() throws IOException {
        try (ServerSocketChannel killed = bind(SocketFile.at(path().toString()).temporary())) {
            assertThatThrownBy(() -> SocketFile.at(path().toString()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("another process listens on ");
            assertThat(killed.isOpen()).isTrue();
        }
        SocketFile again = SocketFile.at(path().toString());
        again.abandon();
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void leavesADirectoryAloneThatHoldsSomethingElse() throws IOException {
        Path precious = Files.createDirectory(directory.resolve("in.sock.new")).resolve("precious");
        Files.writeString(precious, "kept");
        assertThatThrownBy(() -> SocketFile.at(path().toString())).isInstanceOf(IOException.class);
        assertThat(precious).hasContent("kept");
    }
}
