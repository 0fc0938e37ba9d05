package io.remora.dns;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Asks the servers of this machine, one after the other, and each as often as {@code resolv.conf} says.
 *
 * <p>Owner: one thread, which it blocks; {@link #close} may come from any. Cost: a socket for each question, so that each
 * has a port of its own (RFC 5452 9.2).
 */
public final class DnsClient implements Closeable {
    private final List<InetSocketAddress> servers;
    private final String file;
    private final SplittableRandom ids;
    private final DnsTransport transport = new DnsTransport();
    private ResolvConf conf;
    private long endNs = System.nanoTime() + Long.MAX_VALUE / 2;
    /** Which of the servers answered last, and is asked first. */
    private int first;

    /**
     * @param file as {@link ResolvConf#PATH}
     * @param servers in place of those that the file names; empty for those
     * @param seed that nobody can guess
     */
    public DnsClient(String file, List<InetSocketAddress> servers, long seed) {
        this.file = file;
        this.servers = List.copyOf(servers);
        this.ids = new SplittableRandom(seed);
        this.conf = ResolvConf.parse("");
    }

    /** Goes by what the file says now, once it is whole. */
    public void refresh() {
        ResolvConf read = ResolvConf.read(file, conf);
        conf = servers.isEmpty() ? read : read.asking(servers);
    }

    /** Bounds all questions from here on together; the first server is the first to be asked again. */
    public void begin(long withinMs) {
        endNs = System.nanoTime() + withinMs * 1_000_000L;
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
     * The records of exactly this name.
     *
     * @param name in lower case, without the dot of the root
     */
    public DnsAnswer ask(String name, DnsType type) throws DnsException {
        @Nullable DnsException failure = null;
        for (int attempt = 0; attempt < conf.attempts; attempt++) {
            int servers = conf.servers.size();
            int begin = first;
            for (int i = 0; i < servers; i++) {
                int current = (begin + i) % servers;
                InetSocketAddress server = conf.servers.get(current);
                try {
                    DnsMessage question = new DnsMessage(ids.nextInt(), name, type);
                    DnsAnswer answer = transport.ask(server, question, conf.timeoutSeconds * 1_000, endNs);
                    first = current;
                    return answer;
                } catch (DnsException e) {
                    failure = told(name, type, server, e.getMessage(), e.isServers);
                    if (!e.isServers) {
                        throw failure;
                    }
                } catch (IOException e) {
                    failure = told(name, type, server, String.valueOf(e.getMessage()), true);
                }
                if (transport.isClosed() || endNs - System.nanoTime() < DnsTransport.LEAST_NS) {
                    throw failure;
                }
            }
        }
        throw failure == null ? new DnsException("no server to ask") : failure;
    }

    private static DnsException told(
            String name, DnsType type, InetSocketAddress server, @Nullable String why, boolean isServers) {
        String who = server.getAddress().getHostAddress()
                + (server.getPort() == ResolvConf.PORT ? "" : " port " + server.getPort());
        return new DnsException(type + " of " + name + ", asked of " + who + ": " + why, isServers);
    }

    /** Ends a question under way, and every later one. */
    @Override
    public void close() {
        transport.close();
    }
}
