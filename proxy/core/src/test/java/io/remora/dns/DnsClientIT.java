package io.remora.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.testkit.Await;
import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The client before servers that misbehave, octet by octet. */
final class DnsClientIT {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    @TempDir
    Path directory;

    private DatagramSocket server;
    private ServerSocket stream;
    private DnsClient client;

    @BeforeEach
    void open() throws IOException {
        // in this order, as ports of TCP are the ones that others take
        stream = new ServerSocket(0, 1, LOOPBACK);
        server = new DatagramSocket(stream.getLocalPort(), LOOPBACK);
        Path conf = Files.writeString(directory.resolve("resolv.conf"), "options timeout:1 attempts:1\n");
        client = new DnsClient(
                conf.toString(), List.of(new InetSocketAddress(LOOPBACK, server.getLocalPort())), 42, 5_000_000_000L);
        client.refresh();
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        server.close();
        stream.close();
    }

    /** What a server does with each query. */
    private interface Script {
        void serve(DatagramPacket query) throws IOException;
    }

    private void serve(Script script) {
        Thread thread = new Thread(() -> {
            byte[] octets = new byte[600];
            while (!server.isClosed()) {
                try {
                    DatagramPacket query = new DatagramPacket(octets, octets.length);
                    server.receive(query);
                    script.serve(query);
                } catch (IOException e) {
                    return;
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private void send(DatagramPacket query, byte[] message) throws IOException {
        server.send(new DatagramPacket(message, message.length, query.getSocketAddress()));
    }

    /** The query as an answer with an address whose last octet is this. */
    private static byte[] answer(byte[] query, int length, int last) {
        byte[] answer = Arrays.copyOf(query, length + 16);
        answer[2] = (byte) 0x81;
        answer[3] = (byte) 0x80;
        answer[7] = 1;
        byte[] record = {(byte) 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 10, 0, 0, (byte) last};
        System.arraycopy(record, 0, answer, length, record.length);
        return answer;
    }

    private static byte[] answer(DatagramPacket query, int last) {
        return answer(query.getData(), query.getLength(), last);
    }

    private int asked() throws DnsException {
        return client.answer("app.test", DnsType.A).records().get(0).address()[3];
    }

    @Test
    void passesOverWhatIsNotAnAnswerToItsQuestion() throws DnsException {
        serve(query -> {
            byte[] otherId = answer(query, 66);
            otherId[0] ^= 1;
            send(query, otherId);
            byte[] otherName = answer(query, 67);
            otherName[13] ^= 1;
            send(query, otherName);
            send(query, Arrays.copyOf(query.getData(), query.getLength()));
            send(query, new byte[0]);
            send(query, new byte[] {1, 2, 3});
            send(query, answer(query, 5));
        });
        assertThat(asked()).isEqualTo(5);
    }

    @Test
    void hearsNobodyElse() throws DnsException {
        serve(query -> {
            try (DatagramSocket stranger = new DatagramSocket(0, LOOPBACK)) {
                byte[] forged = answer(query, 66);
                stranger.send(new DatagramPacket(forged, forged.length, query.getSocketAddress()));
            }
            send(query, answer(query, 5));
        });
        assertThat(asked()).isEqualTo(5);
    }

    @Test
    void asksFromAnotherPortWithAnotherIdEachTime() throws DnsException {
        Set<Integer> ports = new HashSet<>();
        Set<Integer> ids = new HashSet<>();
        serve(query -> {
            ports.add(query.getPort());
            ids.add((query.getData()[0] & 0xff) << 8 | query.getData()[1] & 0xff);
            send(query, answer(query, 5));
        });
        for (int i = 0; i < 50; i++) {
            asked();
        }
        assertThat(ports).hasSizeGreaterThan(40);
        assertThat(ids).hasSizeGreaterThan(40);
    }

    /** Sockets and a selector for each question, which are gone with it. */
    @Test
    void keepsNoDescriptor() throws DnsException {
        File descriptors = new File("/proc/self/fd");
        serve(query -> send(query, answer(query, 5)));
        asked();
        int before = descriptors.list().length;
        for (int i = 0; i < 300; i++) {
            asked();
        }
        assertThat(descriptors.list().length).isLessThan(before + 100);
    }

    @Test
    void givesUpWhereNobodyAnswers() {
        assertThatThrownBy(this::asked)
                .isInstanceOf(DnsException.class)
                .hasMessageContaining("A of app.test")
                .hasMessageContaining("no answer within 1000 ms");
    }

    @Test
    void givesUpAmongStrangers() {
        serve(query -> {
            for (int i = 0; i < 100; i++) {
                send(query, new byte[] {1, 2, 3});
            }
        });
        assertThatThrownBy(this::asked).isInstanceOf(DnsException.class).hasMessageContaining("no answer");
    }

    private static byte[] truncated(DatagramPacket query) {
        byte[] answer = Arrays.copyOf(query.getData(), query.getLength());
        answer[2] = (byte) 0x83;
        answer[3] = (byte) 0x80;
        return answer;
    }

    /** What a server does with a query by TCP. */
    private interface StreamScript {
        void serve(Socket socket, byte[] query) throws IOException;
    }

    private void serveByStream(StreamScript script) {
        serve(query -> send(query, truncated(query)));
        Thread thread = new Thread(() -> {
            try (Socket socket = stream.accept()) {
                DataInputStream in = new DataInputStream(socket.getInputStream());
                byte[] query = in.readNBytes(in.readUnsignedShort());
                script.serve(socket, query);
            } catch (IOException e) {
                // the client has had enough
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private static byte[] framed(byte[] message) {
        byte[] framed = new byte[message.length + 2];
        framed[0] = (byte) (message.length >> 8);
        framed[1] = (byte) message.length;
        System.arraycopy(message, 0, framed, 2, message.length);
        return framed;
    }

    @Test
    void readsByTcpOctetByOctet() throws DnsException {
        serveByStream((socket, query) -> {
            socket.setTcpNoDelay(true);
            for (byte octet : framed(answer(query, query.length, 5))) {
                socket.getOutputStream().write(octet);
                socket.getOutputStream().flush();
            }
        });
        assertThat(asked()).isEqualTo(5);
    }

    @Test
    void doesNotWaitLongerForWhoTrickles() {
        serveByStream((socket, query) -> {
            byte[] whole = framed(new byte[60_000]);
            for (byte octet : whole) {
                socket.getOutputStream().write(octet);
                Await.within(50, () -> false);
            }
        });
        long beganNs = System.nanoTime();
        assertThatThrownBy(this::asked).isInstanceOf(DnsException.class).hasMessageContaining("by TCP within 1000 ms");
        assertThat(System.nanoTime() - beganNs).isLessThan(Await.TIMEOUT_MS * 1_000_000L);
    }

    @Test
    void takesNoAnswerOfAnotherQuestionByTcpEither() {
        serveByStream((socket, query) -> {
            byte[] other = answer(query, query.length, 66);
            other[0] ^= 1;
            socket.getOutputStream().write(framed(other));
        });
        assertThatThrownBy(this::asked)
                .isInstanceOf(DnsException.class)
                .hasMessageContaining("no response over TCP either");
    }

    @Test
    void aConnectionThatEndsEarlyIsNoAnswer() {
        serveByStream((socket, query) -> socket.getOutputStream().write(new byte[] {0, 50, 1}));
        assertThatThrownBy(this::asked).isInstanceOf(DnsException.class).hasMessageContaining("ended early");
    }

    @Test
    void closingEndsAQuestion() throws InterruptedException {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread asking = new Thread(() -> {
            try {
                asked();
            } catch (DnsException e) {
                thrown.set(e);
            }
        });
        Set<Integer> queries = new HashSet<>();
        serve(query -> queries.add(query.getPort()));
        asking.start();
        Await.until("asked", () -> !queries.isEmpty());
        client.close();
        asking.join(Await.TIMEOUT_MS);
        assertThat(thrown.get()).isInstanceOf(DnsException.class);
        assertThatThrownBy(this::asked).isInstanceOf(DnsException.class).hasMessageContaining("closed");
    }
}
