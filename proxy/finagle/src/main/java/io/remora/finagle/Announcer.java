package io.remora.finagle;

import io.remora.config.model.Address;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.LogComponent;
import io.remora.config.model.PlacedText;
import io.remora.finaglekeys.AnnounceConfig;
import io.remora.log.Log;
import io.remora.metrics.AnnounceStats;
import io.remora.metrics.Stats;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the sidecar's listeners in serversets while they take requests. Loaded only where a listener is announced.
 *
 * <p>Finagle's own announcer is not used: it takes Thrift 0.10 and libraries of that age, whose advisories would come
 * with them, and waits for ZooKeeper without an end. The entries in the set are the same.
 *
 * <p>Thread safe. Cost: a thread, and two of ZooKeeper's client, for each member.
 */
final class Announcer {
    private static final long LEAVING_MS = 1_000;

    private final List<Membership> memberships = new ArrayList<>();

    private Announcer() {}

    /** Begins to announce the listeners whose configurations ask for it, each with the address that it is bound to. */
    static Announcer begin(Map<ListenerConfig, InetSocketAddress> bound, Stats stats) {
        Map<String, MemberRecord> records = new TreeMap<>();
        for (Map.Entry<ListenerConfig, InetSocketAddress> each : bound.entrySet()) {
            AnnounceConfig asked = AnnounceConfig.of(each.getKey());
            if (asked != null) {
                AnnounceStats counts = stats.add(new AnnounceStats(each.getKey().name()));
                Address at = asked.address();
                Address told =
                        at.port() == 0 ? new Address(at.host(), each.getValue().getPort()) : at;
                for (PlacedText text : asked.names()) {
                    MemberName name = MemberName.of(text.text());
                    records.computeIfAbsent(name.member().toString(), member -> new MemberRecord(name.member()))
                            .put(name.endpoint(), told, counts);
                }
                if (isLoopback(told.host())) {
                    Log.warn(
                            LogComponent.FINAGLE,
                            "listener " + each.getKey().name() + " is announced at " + told
                                    + "; clients elsewhere would connect to themselves");
                }
            }
        }
        Announcer announcer = new Announcer();
        for (MemberRecord each : records.values()) {
            Membership membership = new Membership(each);
            announcer.memberships.add(membership);
            membership.begin();
        }
        return announcer;
    }

    private static boolean isLoopback(String host) {
        return host.startsWith("127.") || host.equals("::1") || host.equals("localhost");
    }

    /** Leaves every set; once. {@code then} is run on a thread of its own, when all have been left, or after a second. */
    void leave(Runnable then) {
        CountDownLatch left = new CountDownLatch(memberships.size());
        for (Membership each : memberships) {
            each.end(left::countDown);
        }
        Thread waiting = new Thread(
                () -> {
                    try {
                        if (!left.await(LEAVING_MS, TimeUnit.MILLISECONDS)) {
                            Log.warn(
                                    LogComponent.FINAGLE,
                                    "announce: no answer from ZooKeeper; announcements end with its session");
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    then.run();
                },
                "remora-leaving");
        waiting.start();
    }
}
