package io.remora.http1;

import io.remora.testkit.Await;
import io.remora.testkit.Wire;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Twenty clients that post every 5 ms, each on a connection that it keeps until a response says that it is the last. None repeats anything. */
final class PostingClients implements AutoCloseable {
    private static final int CLIENTS = 20;
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final byte[] POST = Wire.bytes("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\nhello");

    /** Connects them. */
    @FunctionalInterface
    interface Dial {
        Socket connect() throws IOException, GeneralSecurityException;
    }

    private final Dial dial;
    private final boolean reconnects;
    private final List<Thread> threads = new ArrayList<>();
    private final Queue<String> lost = new ConcurrentLinkedQueue<>();
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong lastOnes = new AtomicLong();
    private volatile boolean over;

    /** @param reconnects whether each goes on with another connection after its last response */
    PostingClients(Dial dial, boolean reconnects) {
        this.dial = dial;
        this.reconnects = reconnects;
        for (int i = 0; i < CLIENTS; i++) {
            Thread thread = new Thread(this::post, "post-" + i);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    private void post() {
        boolean more = true;
        while (more && !over) {
            try (Socket socket = dial.connect()) {
                socket.setSoTimeout(Await.TIMEOUT_MS);
                socket.setTcpNoDelay(true);
                more = keep(socket) && reconnects;
            } catch (IOException | GeneralSecurityException e) {
                lost.add(e.toString());
            }
        }
    }

    /** Returns whether its last response has come; otherwise all is over. */
    private boolean keep(Socket socket) throws IOException {
        InputStream in = new BufferedInputStream(socket.getInputStream());
        while (!over) {
            socket.getOutputStream().write(POST);
            String head = head(in);
            if (!head.startsWith("http/1.1 200 ") || in.readNBytes(2).length < 2) {
                throw new IOException(head);
            }
            answered.incrementAndGet();
            if (head.contains("\r\nconnection: close\r\n")) {
                lastOnes.incrementAndGet();
                return true;
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
        return false;
    }

    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int octet = in.read();
            if (octet < 0) {
                throw new EOFException("ended behind '" + head + "'");
            }
            head.append(Character.toLowerCase((char) octet));
        }
        return head.toString();
    }

    long answered() {
        return answered.get();
    }

    /** How many responses have said that they are a connection's last. */
    long lastOnes() {
        return lastOnes.get();
    }

    /** Requests that were sent and not answered by 200. */
    List<String> lost() {
        return List.copyOf(lost);
    }

    /** Waits until each has ended, as none reconnects. */
    void join() {
        for (Thread thread : threads) {
            try {
                thread.join(2L * Await.TIMEOUT_MS);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** Lets each finish what it has begun. */
    void stop() {
        over = true;
        join();
    }

    @Override
    public void close() {
        stop();
    }
}
