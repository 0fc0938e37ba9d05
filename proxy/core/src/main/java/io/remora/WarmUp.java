package io.remora;

import io.remora.config.Address;
import io.remora.config.ConfigException;
import io.remora.config.ConfigReader;
import io.remora.config.LogLevel;
import io.remora.config.ProxyConfig;
import io.remora.config.WarmUpConfig;
import io.remora.log.Log;
import io.remora.memory.MemoryPlan;
import io.remora.metrics.Stats;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Requests before the sidecar is ready, so that classes are loaded and code is compiled by the time of a user's first one. They pass a
 * listener, stages and a pool as a user's do, but a data path of their own with counters that nobody reads, and what answers them is the
 * admin listener's page {@code /live}.
 *
 * <p>Owner: the thread that starts the sidecar. Bounds: {@code warm-up.requests}, {@code warm-up.timeout}; one connection at a time. Loaded
 * only for who asks for it.
 */
final class WarmUp {
    private static final String NAME = "warm-up";
    private static final byte[] REQUEST =
            "GET /live HTTP/1.1\r\nHost: localhost\r\nUser-Agent: remora\r\nAccept: */*\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII);
    /** Far more than the response. */
    private static final int MOST_OCTETS = 4_096;
    /** So many requests a connection, as connections are made by users as well. */
    private static final int A_CONNECTION = 50;

    private final WarmUpConfig config;
    private final long startNs = System.nanoTime();
    private final byte[] octets = new byte[MOST_OCTETS];
    private int done;

    private WarmUp(WarmUpConfig config) {
        this.config = config;
    }

    /** Has them all made; what fails is logged and ends it. */
    static void run(ProxyConfig proxy, WarmUpConfig config, MemoryPlan plan, InetSocketAddress answering) {
        WarmUp warmUp = new WarmUp(config);
        try {
            warmUp.through(proxy, plan, answering);
            Log.info("warm-up: " + warmUp.done + " requests in " + warmUp.tookMs() + " ms");
        } catch (SocketTimeoutException e) {
            warmUp.tell("its time is over");
        } catch (IOException | ConfigException e) {
            warmUp.tell(String.valueOf(e.getMessage()));
        }
    }

    private void tell(String why) {
        Log.warn("warm-up ended after " + done + " requests and " + tookMs() + " ms: " + why);
    }

    private long tookMs() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
    }

    private void through(ProxyConfig proxy, MemoryPlan plan, InetSocketAddress answering)
            throws IOException, ConfigException {
        boolean anywhere = answering.getAddress().isAnyLocalAddress();
        String host = anywhere ? "127.0.0.1" : answering.getAddress().getHostAddress();
        String yaml =
                "listeners: [{ name: " + NAME + ", address: \"127.0.0.1:0\", cluster: " + NAME + " }]\nclusters: { "
                        + NAME + ": { endpoints: [\"" + new Address(host, answering.getPort()) + "\"] } }\n";
        InputStream in = new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8));
        ProxyConfig own = ConfigReader.read(NAME, in, Map.of()).with(proxy.engine());
        DataPath path = new DataPath(own, new Assembly(), plan, new Stats(), null);
        try {
            // of a listener that comes and goes nobody needs to know
            Log.level(LogLevel.WARN);
            path.open(own);
            Log.levels(proxy.logLevel(), proxy.logComponents());
            ask(path.address(NAME));
        } finally {
            Log.levels(proxy.logLevel(), proxy.logComponents());
            path.close();
        }
    }

    private void ask(InetSocketAddress address) throws IOException {
        while (done < config.requests()) {
            try (Socket socket = new Socket()) {
                socket.connect(address, leftMs());
                socket.setTcpNoDelay(true);
                for (int i = 0; i < A_CONNECTION && done < config.requests(); i++) {
                    socket.setSoTimeout(leftMs());
                    ask(socket.getInputStream(), socket.getOutputStream());
                    done++;
                }
            }
        }
    }

    private int leftMs() throws IOException {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(config.timeoutNs()) - tookMs();
        if (leftMs <= 0) {
            throw new SocketTimeoutException("its time is over");
        }
        return (int) Math.min(leftMs, Integer.MAX_VALUE);
    }

    private void ask(InputStream in, OutputStream out) throws IOException {
        out.write(REQUEST);
        int length = 0;
        // the page is one line, and the only one that ends there
        while (length == 0 || !isWhole(length)) {
            int count = in.read(octets, length, octets.length - length);
            if (count <= 0) {
                throw new EOFException("a response ended early");
            }
            length += count;
        }
        if (octets["HTTP/1.1 ".length()] != '2') {
            throw new IOException(
                    "a response was " + new String(octets, 0, Math.min(length, 12), StandardCharsets.US_ASCII));
        }
    }

    /** Whether a response is there whose body is one line: an empty line, and a line after it. */
    private boolean isWhole(int length) {
        for (int i = 0; i + 4 < length; i++) {
            if (octets[i] == '\r' && octets[i + 1] == '\n' && octets[i + 2] == '\r' && octets[i + 3] == '\n') {
                return octets[length - 1] == '\n';
            }
        }
        return false;
    }
}
