package io.remora.takeover;

import io.remora.config.TakeoverConfig;
import io.remora.log.Log;
import io.remora.transport.SocketFile;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Waits for a process that is to take over, and hands the sockets to it. Until that one is ready nothing changes here, whatever becomes
 * of it: both hold the sockets, and only this one accepts.
 *
 * <p>Owner: a thread of its own, which does nothing else; {@link #close} may be called on any.
 */
public final class HandOver implements Runnable {
    private static final int BACKLOG = 4;
    /** Its stack: it calls nothing deep. */
    private static final long STACK_BYTES = 128 << 10;

    private final TakeoverConfig config;
    private final Predecessor predecessor;
    private final SocketFile file;
    private final ServerSocketChannel server;
    private final AtomicBoolean ended = new AtomicBoolean();

    private HandOver(TakeoverConfig config, Predecessor predecessor, SocketFile file, ServerSocketChannel server) {
        this.config = config;
        this.predecessor = predecessor;
        this.file = file;
        this.server = server;
    }

    /**
     * Begins to wait.
     *
     * @throws IOException where the socket cannot be had, as another process waits there
     */
    public static HandOver begin(TakeoverConfig config, Predecessor predecessor) throws IOException {
        try {
            SocketFile file = SocketFile.at(config.socket());
            ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                server.bind(UnixDomainSocketAddress.of(file.temporary()), BACKLOG);
                file.publish(config.owner());
            } catch (IOException e) {
                server.close();
                file.abandon();
                throw e;
            }
            HandOver begun = new HandOver(config, predecessor, file, server);
            Thread thread = new Thread(null, begun, "remora-takeover", STACK_BYTES);
            thread.setDaemon(true);
            thread.start();
            Log.info("takeover: another process can take over by " + config.socket());
            return begun;
        } catch (IOException e) {
            throw new IOException("takeover.socket: " + e.getMessage(), e);
        }
    }

    @Override
    public void run() {
        while (!ended.get()) {
            try (Dialogue dialogue = new Dialogue(server.accept(), ended)) {
                if (handOver(dialogue)) {
                    return;
                }
            } catch (IOException e) {
                if (!ended.get()) {
                    Log.warn("takeover: " + e.getMessage() + "; this process goes on");
                }
            }
        }
    }

    /** Whether the other process has taken over. */
    private boolean handOver(Dialogue dialogue) throws IOException {
        if (!dialogue.isOwn()) {
            throw new IOException("another user's process has asked for it");
        }
        String version = dialogue.hear(Dialogue.STEP_NS);
        List<Predecessor.Socket> sockets = predecessor.sockets();
        String problem = problem(version, sockets.size());
        if (problem != null) {
            dialogue.say(Dialogue.REFUSED + problem);
            throw new IOException("refused: " + problem);
        }
        dialogue.say(Dialogue.VERSION + ' ' + predecessor.memoryBytes() + ' ' + predecessor.limitFrom());
        for (Predecessor.Socket socket : sockets) {
            dialogue.say(Dialogue.SOCKET + socket.name(), socket.channel());
        }
        dialogue.say(Dialogue.END);
        Log.info("takeover: " + sockets.size() + " sockets handed over, waiting for the other process to be ready");
        if (!dialogue.hear(config.timeoutNs()).equals(Dialogue.READY) || !predecessor.isServing()) {
            throw new IOException("the other process speaks otherwise, or this one drains");
        }
        Log.info("takeover: the other process is ready");
        // the next one is to ask the other process
        close();
        predecessor.retire();
        dialogue.say(Dialogue.DRAINING);
        return true;
    }

    private @Nullable String problem(String version, int sockets) {
        if (!version.equals(Dialogue.VERSION)) {
            return "it speaks " + version + ", and this process " + Dialogue.VERSION;
        }
        if (sockets > Dialogue.MOST_SOCKETS) {
            return "this process listens on " + sockets + " addresses, and " + Dialogue.MOST_SOCKETS
                    + " can be handed over";
        }
        return predecessor.isServing() ? null : "this process is draining";
    }

    /** Waits no longer. */
    public void close() {
        if (ended.compareAndSet(false, true)) {
            file.remove();
            try {
                server.close();
            } catch (IOException e) {
                // nobody can connect any more
            }
        }
    }
}
