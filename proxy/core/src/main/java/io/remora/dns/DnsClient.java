package io.remora.dns;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Asks the servers of this machine, as often as {@code resolv.conf} says.
 *
 * <p>Owner: one thread, which it blocks; {@link #close} may come from any. Bounds: the time that {@link #begin} gives.
 */
public final class DnsClient implements Closeable {
    private static final long MS = 1_000_000L;

    /** A server that is well answers sooner, unless it has to ask others. */
    private static final long LEAST_PATIENCE_NS = 50 * MS;

    private static final long MOST_PATIENCE_NS = 1_000 * MS;

    private final List<InetSocketAddress> servers;
    private final String file;
    private final SplittableRandom ids;
    private final long wantedNs;
    private ResolvConf conf;
    private long endNs = System.nanoTime() + Long.MAX_VALUE / 2;
    /** Index of the server that answered last, which gets the next question first. */
    private int first;

    private @Nullable Selector waiting;
    private boolean closed;

    /**
     * @param file as {@link ResolvConf#PATH}
     * @param servers in place of those that the file names; empty for those
     * @param seed that nobody can guess
     * @param wantedNs within which an answer is wanted although all servers but one are silent
     */
    public DnsClient(String file, List<InetSocketAddress> servers, long seed, long wantedNs) {
        this.file = file;
        this.servers = List.copyOf(servers);
        this.ids = new SplittableRandom(seed);
        this.wantedNs = wantedNs;
        this.conf = ResolvConf.parse("");
    }

    /** Reads the file again, and uses it once it is whole. */
    public void refresh() {
        ResolvConf read = ResolvConf.read(file, conf);
        conf = servers.isEmpty() ? read : read.asking(servers);
    }

    /** Bounds all questions from here on together, and starts again at the first server. */
    public void begin(long withinMs) {
        endNs = System.nanoTime() + withinMs * MS;
        first = 0;
    }

    /**
     * The full names that a name may stand for, which may be a short one. The first that has what is wanted counts, and a later
     * one only where those before it are known to have none: another zone may have anything of this name.
     */
    public List<String> candidates(String name) {
        return conf.candidates(name);
    }

    /**
     * Asks for the records of exactly this name, of each type by itself.
     *
     * @param name in lower case, without the dot of the root
     */
    public DnsRound ask(String name, DnsType... types) throws DnsException {
        return new DnsRound(this, name, types);
    }

    /** The answer to one question alone. */
    public DnsAnswer answer(String name, DnsType type) throws DnsException {
        try (DnsRound round = ask(name, type)) {
            round.await(endNs);
            return round.question(0).get();
        }
    }

    // ---- for its questions

    ResolvConf conf() {
        return conf;
    }

    int nextId() {
        return ids.nextInt();
    }

    long endNs() {
        return endNs;
    }

    int first() {
        return first;
    }

    void answeredBy(int server) {
        first = server;
    }

    /** Returns the time that a server has in the first turn, before the next one gets the question as well. */
    long patienceNs() {
        long share = wantedNs / (conf.servers.size() + 1);
        return Math.min(conf.timeoutNs(), Math.max(LEAST_PATIENCE_NS, Math.min(MOST_PATIENCE_NS, share)));
    }

    // ---- its end

    synchronized Selector open() throws DnsException {
        if (closed) {
            throw new DnsException("closed", false);
        }
        try {
            Selector selector = Selector.open();
            waiting = selector;
            return selector;
        } catch (IOException e) {
            throw new DnsException("no selector: " + e.getMessage(), false);
        }
    }

    synchronized void close(Selector selector) {
        waiting = null;
        try {
            selector.close();
        } catch (IOException e) {
            // it is of no use any more
        }
    }

    synchronized boolean isClosed() {
        return closed;
    }

    /** Ends a question under way, and every later one. */
    @Override
    public synchronized void close() {
        closed = true;
        if (waiting != null) {
            waiting.wakeup();
        }
    }
}
