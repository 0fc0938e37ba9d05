package io.remora.warmup;

import io.remora.process.Entropy;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Client of HTTP/1.1 that makes requests, one after the other, until so many are done or their time is over.
 *
 * <p>Owner: the thread that starts the sidecar. Bounds: a buffer of 4 KiB for any response.
 */
final class WarmUpClient {
    /** Name of the page that the client requests. */
    static final String PAGE = "warm";

    static final String USER_AGENT = "remora-warm-up";

    /** Requests on a connection, as users make new connections as well. */
    private static final int A_CONNECTION = 50;
    /** Longest response in octets; the rest of a longer one is not read. */
    private static final long MOST_OCTETS = 1 << 20;

    private static final String PAGE_END = "\r\n\r\n" + PAGE;
    private static final String LAST_CHUNK = "\r\n0\r\n\r\n";
    private static final int STATUS_AT = "HTTP/1.1 ".length();

    /** Time without an octet after which it is seen that the process ends. */
    private static final int SLICE_MS = 50;

    private final CountDownLatch end;
    /** Secret by which a listener of the warm-up recognizes this client. */
    private final String secret = Long.toHexString(Entropy.seed()) + Long.toHexString(Entropy.seed());

    private final byte[] octets = new byte[4_096];
    private long untilNs;
    private int done;

    /** @param end of the process, before which there is no time left either */
    WarmUpClient(CountDownLatch end) {
        this.end = end;
    }

    String secret() {
        return secret;
    }

    /** All that have been answered. */
    int done() {
        return done;
    }

    /** Tells if the client should stop, as the process ends. */
    boolean isOver() {
        return end.getCount() == 0;
    }

    /** Sets the time until which the following requests may take. */
    void until(long nowNs) {
        untilNs = nowNs;
    }

    // ---- for the sidecar's own page

    /** Asks for it so many times, on connections that are kept. */
    void page(InetSocketAddress address, int times) throws IOException {
        byte[] request = request("localhost", "/", "keep-alive");
        for (int left = times; left > 0 && !isOver(); ) {
            try (Socket socket = connect(address)) {
                for (int i = 0; i < A_CONNECTION && left > 0 && !isOver(); i++, left--) {
                    page(socket, request);
                    done++;
                }
            }
        }
    }

    private void page(Socket socket, byte[] request) throws IOException {
        OutputStream out = socket.getOutputStream();
        InputStream in = socket.getInputStream();
        out.write(request);
        int length = 0;
        while (!isWhole(length)) {
            if (length == octets.length) {
                throw new IOException("a response is too long");
            }
            length += read(socket, in, length);
            // what is none of the page may end otherwise
            judge(length);
        }
    }

    /** Tells if the page is whole: it is the only one that ends so, with a length or in chunks. */
    private boolean isWhole(int length) {
        return endsWith(length, PAGE_END) || endsWith(length, LAST_CHUNK);
    }

    private boolean endsWith(int length, String end) {
        for (int i = 0; i < end.length(); i++) {
            if (length < end.length() || octets[length - end.length() + i] != end.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    // ---- for pages of others

    /** Asks for it so many times, each on a connection of its own that ends with the response. */
    void get(InetSocketAddress address, String host, String path, int times) throws IOException {
        byte[] request = request(host, path, "close");
        for (int i = 0; i < times && !isOver(); i++) {
            try (Socket socket = connect(address)) {
                socket.getOutputStream().write(request);
                InputStream in = socket.getInputStream();
                int length = 0;
                while (length < STATUS_AT + 3) {
                    length += read(socket, in, length);
                }
                judge(length);
                long all = 0;
                for (int count = 0; count >= 0 && all < MOST_OCTETS; all += count) {
                    count = some(socket, in, 0);
                }
                done++;
            }
        }
    }

    // ---- one step of either

    private byte[] request(String host, String path, String connection) {
        String text =
                "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nUser-Agent: " + USER_AGENT + "\r\nAccept: */*\r\n"
                        + WarmUpCopies.FIELD + ": " + secret + "\r\nConnection: " + connection + "\r\n\r\n";
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private Socket connect(InetSocketAddress address) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(address, leftMs());
            socket.setTcpNoDelay(true);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
        return socket;
    }

    private int read(Socket socket, InputStream in, int from) throws IOException {
        int count = some(socket, in, from);
        if (count <= 0) {
            throw new EOFException("a response ended early");
        }
        return count;
    }

    private int some(Socket socket, InputStream in, int from) throws IOException {
        while (true) {
            socket.setSoTimeout(Math.min(SLICE_MS, leftMs()));
            try {
                return in.read(octets, from, octets.length - from);
            } catch (SocketTimeoutException e) {
                if (isOver()) {
                    throw e;
                }
            }
        }
    }

    private int leftMs() throws IOException {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(untilNs - System.nanoTime());
        if (leftMs <= 0) {
            throw new SocketTimeoutException("its time is over");
        }
        return (int) Math.min(leftMs, Integer.MAX_VALUE);
    }

    /** Checks the status, once it is there. */
    private void judge(int length) throws IOException {
        boolean good = length < STATUS_AT + 3 || octets[STATUS_AT] == '2' || octets[STATUS_AT] == '3';
        if (!good) {
            throw new IOException("a response is " + new String(octets, STATUS_AT, 3, StandardCharsets.US_ASCII));
        }
    }
}
