package io.remora.naming;

import io.remora.config.model.Address;
import io.remora.discovery.DnsSource;
import io.remora.discovery.ResolverConfig;
import io.remora.dns.DnsClient;
import io.remora.dns.DnsException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * The endpoints that a name in DNS stands for, asked for again when they have lived their time: on a thread of its own, so
 * that no event loop waits for a server, and no cluster for another one's.
 *
 * <p>Owner: its thread. Cost: a thread for each cluster with DNS, which sleeps between two questions.
 */
final class DnsResolver implements Resolver {
    private static final long SECOND_NS = 1_000_000_000L;

    /** A server that is back is to be noticed within this. */
    private static final long MAX_RETRY_NS = 30 * SECOND_NS;

    /** The first of the waits after failures, each twice the one before. */
    private static final long MIN_RETRY_NS = SECOND_NS;

    private final String cluster;
    private final DnsSource source;
    private final long keepLastNs;
    private final long wantedNs;
    private final String resolvConf;
    private final long seed;

    /**
     * @param source the one that {@code config} has
     * @param resolvConf the path of that file
     * @param seed that nobody can guess
     */
    DnsResolver(String cluster, DnsSource source, ResolverConfig config, String resolvConf, long seed) {
        this.cluster = cluster;
        this.source = source;
        this.keepLastNs = config.keepLastNs();
        this.wantedNs = config.pendingTimeoutNs();
        this.resolvConf = resolvConf;
        this.seed = seed;
    }

    @Override
    public AutoCloseable watch(Watcher watcher) {
        watcher.changed(new Addr.Pending());
        Asking asking = new Asking(watcher);
        Thread thread = new Thread(asking, "remora-dns-" + cluster);
        thread.setDaemon(true);
        asking.thread = thread;
        thread.start();
        return asking;
    }

    private static List<InetSocketAddress> servers(List<Address> configured) {
        List<InetSocketAddress> servers = new ArrayList<>();
        for (Address server : configured) {
            try {
                // a literal, for which nothing is looked up
                servers.add(new InetSocketAddress(InetAddress.getByName(server.host()), server.port()));
            } catch (UnknownHostException e) {
                throw new IllegalArgumentException("no address: " + server, e);
            }
        }
        return servers;
    }

    /** Returns the time until the next question after an answer with a time to live, less up to a tenth. */
    static long refreshNs(DnsSource source, long ttlSeconds, SplittableRandom random) {
        long ttlNs = ttlSeconds > source.maxRefreshNs() / SECOND_NS ? source.maxRefreshNs() : ttlSeconds * SECOND_NS;
        long restNs = Math.max(source.minRefreshNs(), ttlNs);
        return Math.max(source.minRefreshNs(), restNs - random.nextLong(restNs / 10 + 1));
    }

    /** Returns the time until the next question after so many failures in a row. */
    static long retryNs(int failures, SplittableRandom random) {
        return BackOff.restNs(failures, MIN_RETRY_NS, MAX_RETRY_NS, 10, random);
    }

    /** Asks until it is closed. */
    private final class Asking implements Runnable, AutoCloseable, DnsLookup.Early {
        private final Watcher watcher;
        private final DnsClient client = new DnsClient(resolvConf, servers(source.servers()), seed, wantedNs);
        private final KeptAnswers kept = new KeptAnswers(keepLastNs);
        private final SplittableRandom random = new SplittableRandom(~seed);
        private Thread thread = Thread.currentThread();
        private Addr good = new Addr.Pending();
        private int failures;
        private volatile boolean closed;

        Asking(Watcher watcher) {
            this.watcher = watcher;
        }

        @Override
        public void run() {
            while (!closed) {
                long untilNs = System.nanoTime() + ask();
                for (long restNs = 0; !closed && restNs >= 0; ) {
                    restNs = untilNs - System.nanoTime();
                    if (restNs > 0) {
                        LockSupport.parkNanos(this, restNs);
                    }
                }
            }
        }

        /** Asks, and returns in how many nanoseconds to ask again. */
        private long ask() {
            try {
                client.refresh();
                DnsLookup lookup = new DnsLookup(source, client, kept, good instanceof Addr.Pending ? this : null);
                List<Endpoint> endpoints = lookup.run();
                good = Described.settled(good, endpoints, lookup.missing());
                tell(good);
                // that there is none may change at any time
                long restNs = refreshNs(source, endpoints.isEmpty() ? 0 : lookup.ttlSeconds(), random);
                failures = lookup.missing().isEmpty() ? 0 : failures + 1;
                return failures == 0 ? restNs : Math.min(restNs, retryNs(failures, random));
            } catch (DnsException e) {
                tell(new Addr.Failed(String.valueOf(e.getMessage())));
            } catch (RuntimeException | Error e) {
                tell(new Addr.Failed("the lookup failed: " + e));
            }
            failures++;
            return retryNs(failures, random);
        }

        @Override
        public void some(List<Endpoint> endpoints) {
            good = Described.settled(good, endpoints);
            tell(good);
        }

        private void tell(Addr addr) {
            if (!closed) {
                watcher.changed(addr);
            }
        }

        @Override
        public void close() {
            closed = true;
            client.close();
            LockSupport.unpark(thread);
        }
    }
}
