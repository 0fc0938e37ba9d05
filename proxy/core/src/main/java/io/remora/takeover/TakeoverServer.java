package io.remora.takeover;

import io.remora.log.Log;
import io.remora.transport.SocketFile;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Server of a takeover: waits for a process that is to take over, and hands the sockets to it. Until that one is ready,
 * nothing changes here: both hold the sockets, and only this one accepts. Where this one ends meanwhile, the other one
 * goes on with what it has.
 *
 * <p>Owner: a thread of its own, which does nothing else; {@link #end} is called on another.
 */
public final class TakeoverServer implements Runnable {
    /** Processes that may wait to be heard. */
    private static final int BACKLOG = 16;
    /** Stack of its thread, which calls nothing deep. */
    private static final long STACK_BYTES = 128 << 10;
    /** Pause after a failure, so that a lasting one does not fill the log. */
    private static final long PAUSE_MS = 1_000;
    /** Longest wait of this process at its end, until the process that asked has its answer. */
    private static final long LAST_WORD_MS = 1_000;

    private final TakeoverConfig config;
    private final Predecessor predecessor;
    private final SocketFile file;
    private final ServerSocketChannel server;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final CountDownLatch end = new CountDownLatch(1);
    private final Thread thread = new Thread(null, this, "remora-takeover", STACK_BYTES);

    private TakeoverServer(
            TakeoverConfig config, Predecessor predecessor, SocketFile file, ServerSocketChannel server) {
        this.config = config;
        this.predecessor = predecessor;
        this.file = file;
        this.server = server;
    }

    /**
     * Begins to wait.
     *
     * @throws IOException where the socket cannot be obtained, as another process waits there
     */
    public static TakeoverServer begin(TakeoverConfig config, Predecessor predecessor) throws IOException {
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
            TakeoverServer begun = new TakeoverServer(config, predecessor, file, server);
            begun.thread.setDaemon(true);
            begun.thread.start();
            Log.info("takeover: ready for another process socket=" + config.socket());
            return begun;
        } catch (IOException e) {
            throw new IOException("takeover.socket: " + e.getMessage(), e);
        }
    }

    @Override
    public void run() {
        while (!ended.get()) {
            SocketChannel asking;
            try {
                asking = server.accept();
            } catch (IOException e) {
                failed(e.getMessage());
                // such as without a free descriptor, where the next attempt would fail as well
                pause();
                continue;
            }
            try (TakeoverProtocol dialogue = new TakeoverProtocol(asking, ended)) {
                predecessor.whileUnchanged(() -> handOverOrFail(dialogue));
            } catch (IOException e) {
                failed(e.getMessage());
            } catch (RuntimeException | Error e) {
                // the next process may still take over
                failed("internal error: " + e);
            }
        }
    }

    // a reload that waits is logged after the failure
    private void handOverOrFail(TakeoverProtocol dialogue) {
        try {
            handOver(dialogue);
        } catch (IOException e) {
            failed(e.getMessage());
        } catch (RuntimeException | Error e) {
            failed("internal error: " + e);
        }
    }

    private void failed(@Nullable String why) {
        if (!ended.get()) {
            Log.warn("takeover: " + why + "; keeping the sockets");
        }
    }

    private void pause() {
        try {
            end.await(PAUSE_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns once the other process has taken over, from which nobody is waited for any more. */
    private void handOver(TakeoverProtocol dialogue) throws IOException {
        if (!dialogue.isOwn()) {
            throw new IOException("requested by a process of another user");
        }
        String version = dialogue.hear(TakeoverProtocol.STEP_NS);
        // a drain that begins after this leaves the files, and one that began before is seen
        predecessor.share(true);
        boolean gone = false;
        try {
            give(dialogue, version);
            await(dialogue);
            gone = true;
        } finally {
            if (!gone) {
                predecessor.share(false);
            }
        }
        // the next one is to ask the other process
        close();
        predecessor.retire();
        dialogue.say(TakeoverProtocol.DRAINING);
    }

    private void give(TakeoverProtocol dialogue, String version) throws IOException {
        List<Predecessor.Socket> sockets = predecessor.sockets();
        String problem = problem(version, sockets.size());
        if (problem != null) {
            dialogue.say(TakeoverProtocol.REFUSED + problem);
            throw new IOException("refused: " + problem);
        }
        dialogue.say(TakeoverProtocol.VERSION + ' ' + predecessor.memoryBytes() + ' ' + predecessor.limit());
        for (Predecessor.Socket socket : sockets) {
            dialogue.say(TakeoverProtocol.SOCKET + socket.name(), socket.channel());
        }
        dialogue.say(TakeoverProtocol.END);
        Log.info("takeover: " + sockets.size() + " sockets handed over; waiting until the other process is ready");
    }

    /** Returns once the other process accepts, or is to, as this one ends. */
    private void await(TakeoverProtocol dialogue) throws IOException {
        try {
            expect(dialogue, TakeoverProtocol.READY);
            if (predecessor.isServing()) {
                dialogue.say(TakeoverProtocol.GO);
                expect(dialogue, TakeoverProtocol.ACCEPTING);
                Log.info("takeover: the other process is ready; draining");
                return;
            }
        } catch (SocketTimeoutException e) {
            dialogue.say(TakeoverProtocol.REFUSED + "it took longer than takeover.timeout");
            throw e;
        } catch (EOFException e) {
            if (!ended.get()) {
                throw e;
            }
        }
        Log.info("takeover: ending; the other process has the sockets");
    }

    private void expect(TakeoverProtocol dialogue, String line) throws IOException {
        if (!dialogue.hear(config.timeoutNs()).equals(line)) {
            throw new IOException("unexpected message from the other process");
        }
    }

    private @Nullable String problem(String version, int sockets) {
        if (!version.equals(TakeoverProtocol.VERSION)) {
            return "it uses protocol " + version + ", and this process " + TakeoverProtocol.VERSION;
        }
        if (sockets > TakeoverProtocol.MOST_SOCKETS) {
            return "this process listens on " + sockets + " addresses, and " + TakeoverProtocol.MOST_SOCKETS
                    + " can be handed over";
        }
        return predecessor.isServing() ? null : "this process is draining";
    }

    /** Ends the wait with the process, and returns once a process that was to take over knows. */
    public void end() {
        close();
        try {
            thread.join(LAST_WORD_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void close() {
        if (ended.compareAndSet(false, true)) {
            end.countDown();
            file.remove();
            try {
                server.close();
            } catch (IOException e) {
                // nobody can connect any more
            }
        }
    }
}
