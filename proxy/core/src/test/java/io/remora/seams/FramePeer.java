package io.remora.seams;

import io.remora.testkit.Await;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection that speaks {@link Frame}s, on a blocking socket: a client, or what a {@link FrameServer}
 * accepts. A thread of its own reads; everything else may be called from any thread.
 */
public final class FramePeer implements AutoCloseable {
    private final Socket socket;
    private final Map<Integer, Stream> streams = new ConcurrentHashMap<>();
    private final Listening listening;
    private volatile boolean givesCredit = true;
    private volatile int goAway = -1;
    private volatile boolean ended;

    FramePeer(Socket socket, Listening listening) {
        this.socket = socket;
        this.listening = listening;
        Thread reader = new Thread(this::read, "frames");
        reader.setDaemon(true);
        reader.start();
    }

    public static FramePeer connect(InetSocketAddress address) {
        try {
            Socket socket = new Socket(address.getAddress(), address.getPort());
            socket.setTcpNoDelay(true);
            return new FramePeer(socket, (peer, frame) -> {});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What happens with each frame, on the thread that reads. */
    public interface Listening {
        void heard(FramePeer peer, Frame frame) throws IOException;
    }

    /** What has come of one stream so far. */
    public static final class Stream {
        private final ByteArrayOutputStream body = new ByteArrayOutputStream();
        private volatile @Nullable String head;
        private volatile @Nullable String trailers;
        private volatile boolean reset;
        private int credit = Frame.WINDOW;

        public @Nullable String head() {
            return head;
        }

        public synchronized String body() {
            return body.toString(StandardCharsets.ISO_8859_1);
        }

        public synchronized int octets() {
            return body.size();
        }

        /** Null as long as the stream has not ended. */
        public @Nullable String trailers() {
            return trailers;
        }

        public boolean isEnded() {
            return trailers != null;
        }

        public boolean isReset() {
            return reset;
        }

        private synchronized void take(Frame frame) {
            switch (frame.type()) {
                case HEAD -> head = frame.text();
                case DATA -> body.writeBytes(frame.payload());
                case END -> trailers = frame.text();
                case RESET -> reset = true;
                case CREDIT -> {
                    credit += frame.octets();
                    notifyAll();
                }
                case GOAWAY -> {}
            }
        }

        private synchronized int spend(int wanted) throws InterruptedException {
            while (credit <= 0 && !reset) {
                wait(Await.TIMEOUT_MS);
            }
            int spent = reset ? wanted : Math.min(credit, wanted);
            credit -= spent;
            return spent;
        }
    }

    private void read() {
        try {
            DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            for (Frame frame = Frame.read(in); frame != null; frame = Frame.read(in)) {
                if (frame.type() == Frame.Type.GOAWAY) {
                    goAway = frame.stream();
                } else {
                    stream(frame.stream()).take(frame);
                }
                if (frame.type() == Frame.Type.DATA && givesCredit && frame.payload().length > 0) {
                    send(Frame.credit(frame.stream(), frame.payload().length));
                }
                listening.heard(this, frame);
            }
        } catch (IOException e) {
            // as much an end as any other
        } finally {
            ended = true;
        }
    }

    /** Whether more DATA is welcome as soon as some has come. */
    public void givesCredit(boolean gives) {
        givesCredit = gives;
    }

    public Stream stream(int number) {
        return streams.computeIfAbsent(number, key -> new Stream());
    }

    /** Streams of which a frame has come. */
    public int streams() {
        return streams.size();
    }

    /** What the peer's GOAWAY said, -1 for none. */
    public int goneAway() {
        return goAway;
    }

    /** Whether the peer has closed. */
    public boolean isEnded() {
        return ended;
    }

    public void send(Frame... frames) throws IOException {
        ByteArrayOutputStream octets = new ByteArrayOutputStream();
        for (Frame frame : frames) {
            octets.writeBytes(frame.encoded());
        }
        synchronized (socket) {
            socket.getOutputStream().write(octets.toByteArray());
        }
    }

    /** As much as there is credit for, and then more, until all of it is sent. */
    public void sendBody(int stream, byte[] body) throws IOException, InterruptedException {
        int at = 0;
        while (at < body.length) {
            int count = stream(stream).spend(Math.min(4096, body.length - at));
            byte[] piece = new byte[count];
            System.arraycopy(body, at, piece, 0, count);
            send(new Frame(stream, Frame.Type.DATA, piece));
            at += count;
        }
    }

    public Stream awaitHead(int stream) {
        Await.until("a head on stream " + stream, () -> stream(stream).head() != null);
        return stream(stream);
    }

    public Stream awaitEnd(int stream) {
        Await.until("the end of stream " + stream, () -> stream(stream).isEnded());
        return stream(stream);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
