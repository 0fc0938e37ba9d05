package io.remora.seams;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server that says in frames of HTTP/2 whatever a script says, right or wrong. The script runs once for each connection, on a thread
 * of its own; an assertion that fails in it fails the test at the end.
 */
public final class Http2Backend implements AutoCloseable {
    private final ServerSocket socket;
    private final Script script;
    private final List<Http2Peer> peers = new CopyOnWriteArrayList<>();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();

    /** What a connection has to say. */
    public interface Script {
        void run(Http2Peer peer, int connection) throws IOException;
    }

    private Http2Backend(Script script) {
        this.script = script;
        try {
            socket = new ServerSocket();
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        Thread thread = new Thread(this::accept, "http2-backend");
        thread.setDaemon(true);
        thread.start();
    }

    public static Http2Backend start(Script script) {
        return new Http2Backend(script);
    }

    public int port() {
        return socket.getLocalPort();
    }

    /** So many have been accepted. */
    public int connections() {
        return connections.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket accepted = socket.accept();
                int number = connections.incrementAndGet();
                Http2Peer peer = new Http2Peer(accepted);
                peers.add(peer);
                Thread thread = new Thread(() -> run(peer, number), "http2-backend-" + number);
                thread.setDaemon(true);
                thread.start();
            }
        } catch (IOException e) {
            // the end
        }
    }

    private void run(Http2Peer peer, int number) {
        try {
            script.run(peer, number);
        } catch (IOException e) {
            // the other side has gone, which the test sees there
        } catch (Throwable e) {
            failures.add(e);
        }
        peer.close();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        peers.forEach(Http2Peer::close);
        for (Throwable failure : failures) {
            throw new AssertionError("in the script", failure);
        }
    }
}
