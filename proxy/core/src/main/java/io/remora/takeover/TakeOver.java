package io.remora.takeover;

import io.remora.config.TakeoverConfig;
import io.remora.log.Log;
import io.remora.transport.Descriptors;
import io.remora.transport.GivenSockets;
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
 * Takes over from a process that is running: asks it for its sockets, and says when it is to drain. Whatever fails before that leaves it
 * as it was.
 *
 * <p>Owner: the thread that starts the sidecar.
 */
public final class TakeOver {
    private final String socket;
    private final Dialogue dialogue;
    private final GivenSockets sockets = new GivenSockets(true);
    private long memoryBytes;
    private String limitFrom = "";

    private TakeOver(String socket, SocketChannel channel) {
        this.socket = socket;
        this.dialogue = new Dialogue(channel, new AtomicBoolean());
    }

    /**
     * Asks the process that is running.
     *
     * @return null where none is
     * @throws IOException where it refuses, or speaks otherwise
     */
    public static @Nullable TakeOver begin(TakeoverConfig config) throws IOException {
        if (!Files.exists(Path.of(config.socket()), LinkOption.NOFOLLOW_LINKS)) {
            Log.info("takeover: nobody is there to take over from: no " + config.socket());
            return null;
        }
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        TakeOver begun = new TakeOver(config.socket(), channel);
        try {
            channel.connect(UnixDomainSocketAddress.of(config.socket()));
            begun.ask();
            return begun;
        } catch (ConnectException e) {
            begun.dialogue.close();
            Log.info("takeover: nobody is there to take over from: " + config.socket() + " is what one has left");
            return null;
        } catch (IOException e) {
            begun.giveUp();
            throw new IOException("takeover: " + config.socket() + ": " + e.getMessage(), e);
        }
    }

    private void ask() throws IOException {
        if (!dialogue.isOwn()) {
            throw new IOException("another user's process listens there");
        }
        dialogue.say(Dialogue.VERSION);
        String line = dialogue.hear(Dialogue.STEP_NS);
        if (line.startsWith(Dialogue.REFUSED)) {
            throw new IOException(line);
        }
        if (!line.startsWith(Dialogue.VERSION + ' ')) {
            throw new IOException("the process there speaks " + line + ", and this one " + Dialogue.VERSION);
        }
        int from = Dialogue.VERSION.length() + 1;
        int space = line.indexOf(' ', from);
        if (space < 0) {
            throw new IOException("the process there speaks otherwise");
        }
        memoryBytes = number(line.substring(from, space));
        limitFrom = line.substring(space + 1);
        for (line = dialogue.hear(Dialogue.STEP_NS);
                !line.equals(Dialogue.END);
                line = dialogue.hear(Dialogue.STEP_NS)) {
            if (!line.startsWith(Dialogue.SOCKET)) {
                throw new IOException("the process there speaks otherwise");
            }
            sockets.add(line.substring(Dialogue.SOCKET.length()), Descriptors.listening(dialogue.descriptor()));
        }
    }

    private static long number(String text) throws IOException {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IOException("the process there speaks otherwise", e);
        }
    }

    /** What the other process takes of the memory, where it has the same limit; 0 otherwise. */
    public long memoryBytes(String ownLimitFrom) {
        return ownLimitFrom.equals(limitFrom) ? memoryBytes : 0;
    }

    public GivenSockets sockets() {
        return sockets;
    }

    /** This process accepts: the other one is to drain. Returns when it has begun to. */
    public void ready() throws IOException {
        for (String name : sockets.closeRest()) {
            Log.warn("takeover: nobody listens any more on the socket of " + name);
        }
        try {
            dialogue.say(Dialogue.READY);
            if (dialogue.hear(Dialogue.STEP_NS).equals(Dialogue.DRAINING)) {
                Log.info("takeover: the process before this one drains");
            }
        } catch (IOException e) {
            // this one accepts already, and the other one may have ended by itself
            Log.warn("takeover: " + socket + ": " + e.getMessage()
                    + "; it is not known whether the process before this one drains");
        } finally {
            dialogue.close();
        }
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
