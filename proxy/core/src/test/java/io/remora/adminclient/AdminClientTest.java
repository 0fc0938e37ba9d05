package io.remora.adminclient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Responses of an admin listener that stops sending, over TCP and over a Unix socket. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
final class AdminClientTest {
    private static final int SILENCE_MS = 300;
    private static final String HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n";

    @TempDir
    Path directory;

    /** Either kind of listener. */
    private ServerSocketChannel listen(boolean unix) throws IOException {
        ServerSocketChannel server =
                unix ? ServerSocketChannel.open(StandardProtocolFamily.UNIX) : ServerSocketChannel.open();
        return server.bind(
                unix
                        ? UnixDomainSocketAddress.of(directory.resolve("admin.sock"))
                        : new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private static AdminClient client(ServerSocketChannel server) throws IOException {
        AdminTarget target = new AdminTarget();
        target.set(
                server.getLocalAddress() instanceof UnixDomainSocketAddress unix
                        ? "unix:" + unix.getPath()
                        : "127.0.0.1:" + ((InetSocketAddress) server.getLocalAddress()).getPort());
        return AdminClient.of(target);
    }

    private static void send(SocketChannel peer, String text) throws IOException {
        peer.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
    }

    /** A listener that accepts and sends nothing, or stops within the body, does not hold the command. */
    @Test
    void aSilentListenerEndsTheCall() throws IOException {
        for (boolean unix : new boolean[] {false, true}) {
            for (String sent : new String[] {"", HEAD + "half"}) {
                try (ServerSocketChannel server = listen(unix)) {
                    AdminClient client = client(server);
                    Thread listener = new Thread(() -> {
                        try (SocketChannel peer = server.accept()) {
                            send(peer, sent);
                            // open until the client ends
                            ByteBuffer request = ByteBuffer.allocate(1_024);
                            while (peer.read(request.clear()) >= 0) {}
                        } catch (IOException e) {
                            // the client has gone
                        }
                    });
                    listener.start();
                    assertThatThrownBy(() -> client.post(
                                    "/profile", SILENCE_MS, (status, body) -> body.readAllBytes().length > 0))
                            .as("unix %s, sent '%s'", unix, sent)
                            .isInstanceOf(IOException.class);
                } finally {
                    Files.deleteIfExists(directory.resolve("admin.sock"));
                }
            }
        }
    }

    /** A response in pieces is read whole, as each piece begins the time again. */
    @Test
    void piecesAreReadToTheEnd() throws IOException {
        try (ServerSocketChannel server = listen(true)) {
            Thread listener = new Thread(() -> {
                try (SocketChannel peer = server.accept()) {
                    // a request that is not read would reset the connection
                    peer.read(ByteBuffer.allocate(1_024));
                    for (char octet : (HEAD + "whole").toCharArray()) {
                        send(peer, String.valueOf(octet));
                    }
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            listener.start();
            String[] read = {""};
            assertThat(client(server).post("/profile", SILENCE_MS, (status, body) -> {
                        read[0] = new String(body.readAllBytes(), StandardCharsets.US_ASCII);
                        return status == 200;
                    }))
                    .isTrue();
            assertThat(read[0]).isEqualTo("whole");
        }
    }
}
