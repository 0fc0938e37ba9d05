package io.remora.http2;

import io.remora.testkit.Await;
import io.remora.testkit.SidecarProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Clients that do for long what is odd and allowed, each thing in turn and all at once, and clients that send anything: whatever
 * of it is kept for each frame, stream or connection adds up. {@code scripts/soak-h2} runs it for minutes, {@link Http2SoakIT} for
 * seconds.
 *
 * <p>Owner: one thread for each client; their end is awaited.
 */
final class Http2Soak {
    /** Below what ends a connection as a flood, which is 1,000 in ten seconds. */
    private static final long PACE_NS = TimeUnit.MILLISECONDS.toNanos(25);

    /** So that each goes through numbers of streams that nothing was opened with before. */
    private static final int STREAMS = 400;

    private final SidecarProcess sidecar;
    private final InetSocketAddress address;
    private final List<Throwable> failures = new ArrayList<>();
    private long requests;

    Http2Soak(SidecarProcess sidecar) {
        this.sidecar = sidecar;
        this.address = sidecar.address();
    }

    /** What one client does with the n-th stream of a connection. */
    private interface Turn {
        void take(FrameClient client, int stream, Random random) throws IOException;
    }

    /** For so long; tells by how many octets the process has grown between a third of it and its end. */
    long run(long seconds) throws InterruptedException {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        long thirdNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds) / 3;
        List<Thread> clients = new ArrayList<>();
        for (Turn turn : List.<Turn>of(
                Http2Soak::namesThatAreNew,
                Http2Soak::tablesOfOtherSizes,
                Http2Soak::windows,
                Http2Soak::priorities,
                Http2Soak::resets,
                Http2Soak::bodiesThatDoNotEnd)) {
            clients.add(start(() -> connections(turn, endNs)));
        }
        clients.add(start(() -> anything(endNs)));
        Await.within((int) TimeUnit.NANOSECONDS.toMillis(thirdNs - System.nanoTime()), () -> !sidecar.isAlive());
        long before = sidecar.memoryBytes("VmRSS");
        for (Thread client : clients) {
            client.join();
        }
        synchronized (this) {
            for (Throwable failure : failures) {
                throw new AssertionError(sidecar.log(), failure);
            }
        }
        return sidecar.memoryBytes("VmRSS") - before;
    }

    synchronized long requests() {
        return requests;
    }

    private Thread start(Action action) {
        Thread thread = new Thread(() -> {
            try {
                action.run();
            } catch (IOException | RuntimeException | Error e) {
                synchronized (this) {
                    failures.add(e);
                }
            }
        });
        thread.start();
        return thread;
    }

    private interface Action {
        void run() throws IOException;
    }

    private void connections(Turn turn, long endNs) throws IOException {
        Random random = new Random(turn.hashCode());
        while (System.nanoTime() - endNs < 0) {
            try (FrameClient client = FrameClient.connect(address)) {
                for (int i = 0; i < STREAMS && System.nanoTime() - endNs < 0; i++) {
                    long beganNs = System.nanoTime();
                    turn.take(client, 2 * i + 1, random);
                    synchronized (this) {
                        requests++;
                    }
                    long leftNs = PACE_NS - (System.nanoTime() - beganNs);
                    Await.within((int) Math.max(0, TimeUnit.NANOSECONDS.toMillis(leftNs)), () -> false);
                }
            }
        }
    }

    // ---- what clients do

    private static void served(FrameClient client, int stream) throws IOException {
        if (!client.answer(stream).text().equals("ok")) {
            throw new AssertionError("stream " + stream + " is answered with "
                    + client.so(stream).text());
        }
    }

    /** Each fills the tables anew, of both sides. */
    private static void namesThatAreNew(FrameClient client, int stream, Random random) throws IOException {
        String[] head = FrameClient.GET;
        for (int i = 0; i < 20; i++) {
            head = FrameClient.with(head, "x-" + random.nextInt(), Integer.toString(random.nextInt()));
        }
        client.headers(stream, true, head);
        served(client, stream);
    }

    private static void tablesOfOtherSizes(FrameClient client, int stream, Random random) throws IOException {
        // HEADER_TABLE_SIZE and MAX_HEADER_LIST_SIZE
        client.settings(1, random.nextInt(4_097), 6, random.nextInt(1 << 20));
        client.get(stream);
        served(client, stream);
    }

    /** Windows that close, and open octet by octet. */
    private static void windows(FrameClient client, int stream, Random random) throws IOException {
        client.settings(4, random.nextInt(2)).get(stream);
        client.windowUpdate(stream, 1).windowUpdate(stream, 1 + random.nextInt(10));
        served(client, stream);
        client.windowUpdate(0, 2);
    }

    /** Of streams that nobody has opened, on streams that nobody will. */
    private static void priorities(FrameClient client, int stream, Random random) throws IOException {
        for (int i = 0; i < 2; i++) {
            byte[] payload = new byte[5];
            System.arraycopy(FrameClient.number(random.nextInt(1 << 20) * 2 + 1), 0, payload, 0, 4);
            payload[4] = (byte) random.nextInt(256);
            client.send(
                    FrameClient.frame(FrameClient.PRIORITY, 0, stream + 2 * random.nextInt(1 << 20) + 1_000, payload));
        }
        client.get(stream);
        served(client, stream);
    }

    /** Some of its streams, fewer than what counts as a flood. */
    private static void resets(FrameClient client, int stream, Random random) throws IOException {
        boolean resets = random.nextInt(4) == 0;
        client.headers(stream, false, FrameClient.POST).data(stream, !resets, new byte[random.nextInt(8_000)]);
        if (resets) {
            client.reset(stream, FrameClient.CANCEL);
        } else {
            served(client, stream);
        }
        client.ping();
    }

    /** Up to 50 at a time, until the connection ends them all. */
    private static void bodiesThatDoNotEnd(FrameClient client, int stream, Random random) throws IOException {
        if (stream % 8 == 1 && stream < 400) {
            client.headers(stream, false, FrameClient.POST).data(stream, false, new byte[1 + random.nextInt(200)]);
        } else {
            client.get(stream);
            served(client, stream);
        }
    }

    private void anything(long endNs) throws IOException {
        Random random = new Random(1);
        while (System.nanoTime() - endNs < 0) {
            byte[] input = new byte[200];
            random.nextBytes(input);
            FrameScript script = new FrameScript(input, "x-tag", 0);
            try (FrameClient client = FrameClient.connect(address)) {
                client.socket().setSoLinger(true, 0);
                for (byte[] octets : script.writes()) {
                    client.trySend(octets);
                }
                client.socket().setSoTimeout(10);
                try {
                    client.readToEnd();
                } catch (java.net.SocketTimeoutException itWaitsForMore) {
                    // and does not get it
                }
            }
        }
    }
}
