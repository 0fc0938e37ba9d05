package io.remora.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A backend on a real socket that records every byte of every connection and answers as a script says.
 *
 * <p>Owner: one thread accepts, one thread a connection runs the scripts; everything public may be called from any
 * thread. Unless told otherwise it reads each request strictly, answers 200 with the body {@code ok}, and keeps the
 * connection.
 */
public final class RecordingBackend implements AutoCloseable {
    public static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    /**
     * Of a sidecar's pool, each of which may be opened at once. The kernel drops what is beyond its queue, and the peer tries
     * again after a second, which is when it gives up.
     */
    private static final int MAX_CONNECTIONS = 1_024;

    /**
     * What a connection does. A script of {@link #onRequest} is called when the first byte of a request is there, and
     * again for each request after it; it may serve one request and return, or loop for as long as it likes. Returning
     * keeps the connection.
     */
    @FunctionalInterface
    public interface Script {
        void serve(BackendConnection connection) throws IOException;
    }

    private final ServerSocketChannel server;
    private final Selector selector;
    private final List<BackendConnection> connections = new CopyOnWriteArrayList<>();
    private final List<IOException> problems = new CopyOnWriteArrayList<>();
    private volatile Script onAccept = connection -> {};
    private volatile Script onRequest = RecordingBackend::answerOk;

    private RecordingBackend(int port) throws IOException {
        server = ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), MAX_CONNECTIONS);
        server.configureBlocking(false);
        selector = Selector.open();
        server.register(selector, SelectionKey.OP_ACCEPT);
    }

    public static RecordingBackend start() {
        return startAt(0);
    }

    /** On the port of one that is gone. */
    public static RecordingBackend startAt(int port) {
        try {
            RecordingBackend backend = new RecordingBackend(port);
            daemon("backend-accept", backend::acceptLoop);
            return backend;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void answerOk(BackendConnection connection) throws IOException {
        connection.readRequest();
        connection.write(OK);
    }

    /** Runs on each new connection, before any byte is read. */
    public RecordingBackend onAccept(Script script) {
        onAccept = script;
        return this;
    }

    /** Runs for each request from now on, on connections that are open already too. */
    public RecordingBackend onRequest(Script script) {
        onRequest = script;
        return this;
    }

    /** Reads each head, and then nothing is said until the peer ends the connection. */
    public RecordingBackend neverAnswer() {
        return onRequest(connection -> {
            connection.readHead();
            connection.readToEnd();
        });
    }

    /** Reads each request strictly, then writes these octets. */
    public RecordingBackend reply(String octets) {
        return onRequest(connection -> {
            connection.readRequest();
            connection.write(octets);
        });
    }

    /** Back to what a fresh backend does; the record stays. */
    public RecordingBackend replyOk() {
        onAccept = connection -> {};
        return onRequest(RecordingBackend::answerOk);
    }

    public int port() {
        return server.socket().getLocalPort();
    }

    /** In the order of their acceptance, closed ones too. */
    public List<BackendConnection> connections() {
        acceptWaiting();
        return List.copyOf(connections);
    }

    public long openConnections() {
        return connections().stream().filter(connection -> !connection.ended()).count();
    }

    /** Every byte of every connection, one connection behind the other. */
    public byte[] received() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        connections().forEach(connection -> all.writeBytes(connection.received()));
        return all.toByteArray();
    }

    /** Every request so far, connection by connection, strictly parsed. */
    public List<RawRequest> requests() {
        try {
            return StrictHttp.requests(received());
        } catch (IOException e) {
            throw new AssertionError(e.getMessage() + " in:\n" + Wire.text(received()), e);
        }
    }

    /** What ended scripts early: broken requests, ends in the wrong place, peers that do not read. */
    public List<IOException> problems() {
        return problems;
    }

    private void acceptLoop() {
        try {
            while (server.isOpen()) {
                selector.select();
                selector.selectedKeys().clear();
                acceptWaiting();
            }
        } catch (IOException | ClosedSelectorException closed) {
            // close() ends the loop this way.
        }
    }

    /** Any thread, so that a connection the kernel holds already is never missed. */
    private synchronized void acceptWaiting() {
        try {
            while (server.isOpen()) {
                SocketChannel channel = server.accept();
                if (channel == null) {
                    return;
                }
                BackendConnection connection = new BackendConnection(connections.size(), channel);
                connections.add(connection);
                daemon("backend-" + connection.index(), () -> serve(connection));
            }
        } catch (IOException e) {
            if (server.isOpen()) {
                problems.add(e);
            }
        }
    }

    private void serve(BackendConnection connection) {
        try {
            onAccept.serve(connection);
            while (connection.isOpen() && connection.awaitByte(0)) {
                onRequest.serve(connection);
            }
        } catch (IOException e) {
            problems.add(e);
        } catch (ClosedSelectorException closed) {
            // The connection was closed from another thread.
        } finally {
            closeQuietly(connection);
        }
    }

    private static void closeQuietly(BackendConnection connection) {
        try {
            connection.close();
        } catch (IOException alreadyBroken) {
            // Nothing is left to close.
        }
    }

    private static void daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Closes the port and every connection. */
    @Override
    public void close() {
        try {
            selector.close();
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        connections.forEach(RecordingBackend::closeQuietly);
    }

    /** Stops listening, as a backend that went away; connections stay. The port refuses from now on. */
    public void stopListening() throws IOException {
        selector.close();
        server.close();
    }
}
