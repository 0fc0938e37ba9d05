package io.remora.seams;

import io.remora.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A backend that speaks {@link Frame}s. Unless told otherwise it answers each request when it is whole. */
public final class FrameServer implements AutoCloseable {
    private final ServerSocket server;
    private final List<FramePeer> connections = new CopyOnWriteArrayList<>();
    private final Object adding = new Object();
    private volatile FramePeer.Listening listening = FrameServer::answer;

    public FrameServer() {
        try {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread acceptor = new Thread(this::accept, "frame-server");
        acceptor.setDaemon(true);
        acceptor.start();
    }

    private void accept() {
        try {
            while (!server.isClosed()) {
                Socket socket = server.accept();
                synchronized (adding) {
                    connections.add(new FramePeer(socket, this::heard));
                }
            }
        } catch (IOException closed) {
            // close() ends the loop this way
        }
    }

    private void heard(FramePeer peer, Frame frame) throws IOException {
        synchronized (adding) {
            // who is answered finds the connection among the others
        }
        listening.heard(peer, frame);
    }

    /** With 200 and {@code ok}, once the request is whole. */
    public static void answer(FramePeer peer, Frame frame) throws IOException {
        if (frame.type() == Frame.Type.END) {
            ok(peer, frame.stream(), "ok");
        }
    }

    public static void ok(FramePeer peer, int stream, String body) throws IOException {
        peer.send(Frame.head(stream, "200 " + body.length() + "\n"), Frame.data(stream, body), Frame.end(stream));
    }

    /** Answers nothing by itself. */
    public FrameServer silent() {
        return onFrame((peer, frame) -> {});
    }

    public FrameServer onFrame(FramePeer.Listening what) {
        listening = what;
        return this;
    }

    public int port() {
        return server.getLocalPort();
    }

    public List<FramePeer> connections() {
        return connections;
    }

    public FramePeer connection(int index) {
        Await.until("connection " + index, () -> connections.size() > index);
        return connections.get(index);
    }

    /** Of streams, over all connections. */
    public int requests() {
        int sum = 0;
        for (FramePeer connection : connections) {
            sum += connection.streams();
        }
        return sum;
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        connections.forEach(FramePeer::close);
    }
}
