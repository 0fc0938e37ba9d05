package io.remora.finagle;

import io.remora.config.Address;
import io.remora.config.AnnounceConfig;
import io.remora.config.ListenerConfig;
import io.remora.log.Log;
import io.remora.metrics.AnnounceStats;
import io.remora.metrics.Stats;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Keeps the sidecar's listeners in serversets, from when they take requests until they no longer do. Loaded only where a listener is
 * announced.
 *
 * <p>Finagle's own announcer is not used: it takes Thrift 0.10 and libraries of that age, whose advisories would come with them, and
 * waits for ZooKeeper without an end. What stands in the set is the same.
 *
 * <p>Thread safe. Cost: a thread for all, and two of ZooKeeper's client for each member.
 */
final class Announcer {
    private static final long LEAVING_MS = 1_000;

    private final ScheduledExecutorService thread;
    private final List<Membership> memberships = new ArrayList<>();

    private Announcer() {
        thread = Executors.newSingleThreadScheduledExecutor(work -> {
            Thread made = new Thread(work, "remora-announcer");
            made.setDaemon(true);
            return made;
        });
    }

    /** Begins with what is announced in the configurations of these listeners, each with where it is bound. */
    static Announcer begin(Map<ListenerConfig, InetSocketAddress> bound, Stats stats) {
        Announcer announcer = new Announcer();
        Map<String, MemberRecord> records = new TreeMap<>();
        for (Map.Entry<ListenerConfig, InetSocketAddress> each : bound.entrySet()) {
            ListenerConfig listener = each.getKey();
            AnnounceConfig asked = listener.announce();
            if (asked != null) {
                MemberName name = MemberName.of(asked.name().text());
                Address at = asked.address();
                records.computeIfAbsent(name.member().toString(), member -> new MemberRecord(name.member()))
                        .put(
                                name.endpoint(),
                                new Address(
                                        at.host(),
                                        at.port() == 0 ? each.getValue().getPort() : at.port()),
                                stats.add(new AnnounceStats(listener.name())));
            }
        }
        for (MemberRecord each : records.values()) {
            Membership membership = new Membership(each, announcer.thread);
            announcer.memberships.add(membership);
            announcer.thread.execute(membership::begin);
        }
        return announcer;
    }

    /** Leaves every set. Returns when that is done, or after a second; a session that has not ended then does so by its timeout. */
    void leave() {
        Future<?> left = thread.submit(() -> memberships.forEach(Membership::end));
        thread.shutdown();
        try {
            left.get(LEAVING_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            Log.warn(
                    "ZooKeeper has not been told within a second that this sidecar leaves; it learns so by the session's timeout");
        } catch (ExecutionException e) {
            Log.warn("leaving ZooKeeper failed: " + e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
