package io.remora.takeover;

import io.remora.log.Log;
import io.remora.transport.Descriptors;
import io.remora.transport.GivenSockets;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Client of a takeover: requests the sockets of a running process, and says when that is to drain. A failure before
 * that leaves the other process as it was.
 *
 * <p>Owner: the thread that starts the sidecar.
 */
public final class TakeoverClient {
    private final String socket;
    private final TakeoverProtocol dialogue;
    private final GivenSockets sockets = new GivenSockets(true);
    private long memoryBytes;
    private String limit = "";
    /** Set once the other process drains, or has ended. */
    private boolean alone;
    /** Set once it has ended, so that it will answer nothing. */
    private boolean ended;

    private TakeoverClient(String socket, SocketChannel channel) {
        this.socket = socket;
        this.dialogue = new TakeoverProtocol(channel, new AtomicBoolean());
    }

    /**
     * Asks the process that is running.
     *
     * @return null where none is
     * @throws IOException where it refuses, or speaks otherwise
     */
    public static @Nullable TakeoverClient begin(TakeoverConfig config) throws IOException {
        if (!Files.exists(Path.of(config.socket()), LinkOption.NOFOLLOW_LINKS)) {
            Log.info("takeover: no process to take over from; starting without a takeover path=" + config.socket());
            return null;
        }
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        TakeoverClient begun = new TakeoverClient(config.socket(), channel);
        try {
            // which would wait for as long as the queue there is full
            channel.configureBlocking(false);
            if (!channel.connect(UnixDomainSocketAddress.of(config.socket()))) {
                throw new IOException("too many processes are waiting for a takeover");
            }
            channel.configureBlocking(true);
            begun.ask();
            return begun;
        } catch (ConnectException e) {
            begun.dialogue.close();
            Log.info("takeover: stale socket; starting without a takeover path=" + config.socket());
            return null;
        } catch (IOException e) {
            begun.giveUp();
            throw new IOException("takeover: " + config.socket() + ": " + e.getMessage(), e);
        }
    }

    private void ask() throws IOException {
        if (!dialogue.isOwn()) {
            throw new IOException("the socket belongs to a process of another user");
        }
        dialogue.say(TakeoverProtocol.VERSION);
        String line = dialogue.hear(TakeoverProtocol.STEP_NS);
        if (line.startsWith(TakeoverProtocol.REFUSED)) {
            throw new IOException(line);
        }
        if (!line.startsWith(TakeoverProtocol.VERSION + ' ')) {
            throw new IOException(
                    "the running process uses protocol " + line + ", and this one " + TakeoverProtocol.VERSION);
        }
        int from = TakeoverProtocol.VERSION.length() + 1;
        int space = line.indexOf(' ', from);
        if (space < 0) {
            throw new IOException("unexpected response from the running process");
        }
        memoryBytes = number(line.substring(from, space));
        limit = line.substring(space + 1);
        for (line = dialogue.hear(TakeoverProtocol.STEP_NS);
                !line.equals(TakeoverProtocol.END);
                line = dialogue.hear(TakeoverProtocol.STEP_NS)) {
            if (!line.startsWith(TakeoverProtocol.SOCKET)) {
                throw new IOException("unexpected response from the running process");
            }
            sockets.add(line.substring(TakeoverProtocol.SOCKET.length()), Descriptors.listening(dialogue.descriptor()));
        }
    }

    private static long number(String text) throws IOException {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IOException("unexpected response from the running process", e);
        }
    }

    /** Returns the memory that the other process takes, where it has the same limit; 0 otherwise. */
    public long memoryBytes(String ownLimit) {
        return ownLimit.equals(limit) ? memoryBytes : 0;
    }

    public GivenSockets sockets() {
        return sockets;
    }

    /**
     * Says that everything is bound. Returns once this process is to begin to accept.
     *
     * @throws IOException where the other one waits no longer, and goes on
     */
    public void ready() throws IOException {
        String answer;
        try {
            answer = answerTo(TakeoverProtocol.READY);
        } catch (EOFException e) {
            Log.warn("takeover: the former process ended; continuing alone");
            ended = true;
            return;
        }
        alone = answer.equals(TakeoverProtocol.DRAINING);
        if (!alone && !answer.equals(TakeoverProtocol.GO)) {
            throw new IOException("takeover: " + socket + ": " + answer);
        }
    }

    /** Says that this process accepts. Returns when the other one has begun to drain. */
    public void accepting() throws IOException {
        for (String name : sockets.closeRest()) {
            Log.warn("takeover: no listener uses the socket of " + name + "; closing it");
        }
        try {
            if (ended) {
                return;
            }
            if (alone || answerTo(TakeoverProtocol.ACCEPTING).equals(TakeoverProtocol.DRAINING)) {
                Log.info("takeover: the former process is draining");
                return;
            }
            Log.warn("takeover: " + socket + ": the former process may not be draining");
        } catch (IOException e) {
            // this one accepts already, and the other one may have ended by itself
            Log.warn("takeover: " + socket + ": " + e.getMessage() + "; the former process may not be draining");
        } finally {
            dialogue.close();
        }
    }

    private String answerTo(String line) throws IOException {
        try {
            dialogue.say(line);
        } catch (IOException e) {
            // it has ended; what it said last can still be heard
        }
        return dialogue.hear(TakeoverProtocol.STEP_NS);
    }

    /** Leaves everything to the other process. */
    public void giveUp() {
        dialogue.close();
        try {
            sockets.closeRest();
        } catch (IOException e) {
            // they are the other one's as well
        }
    }
}
