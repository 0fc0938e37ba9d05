package io.remora.seams;

import io.remora.naming.Addr;
import io.remora.naming.Endpoint;
import io.remora.naming.Resolver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** Says what a test tells it to, whenever it is told. Thread safe. */
public final class SettableResolver implements Resolver {
    private final List<Watcher> watchers = new ArrayList<>();
    private int ended;
    private Addr addr;

    public SettableResolver(Addr first) {
        addr = first;
    }

    /** On this machine. */
    public static Addr.Bound bound(List<Integer> ports) {
        List<Endpoint> endpoints = new ArrayList<>();
        for (int port : ports) {
            endpoints.add(
                    Endpoint.of("127.0.0.1:" + port, new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
        }
        return new Addr.Bound(endpoints);
    }

    public synchronized void set(Addr next) {
        addr = next;
        for (Watcher watcher : watchers) {
            watcher.changed(next);
        }
    }

    /** How many of those who watched do so no longer; they are told all the same, as by a word that was on its way. */
    public synchronized int ended() {
        return ended;
    }

    @Override
    public synchronized AutoCloseable watch(Watcher watcher) {
        watchers.add(watcher);
        watcher.changed(addr);
        return this::end;
    }

    private synchronized void end() {
        ended++;
    }
}
