package io.remora.finagle;

import com.twitter.finagle.Addr;
import com.twitter.finagle.serverset2.Zk2Resolver;
import com.twitter.finagle.stats.NullStatsReceiver;
import com.twitter.util.Duration;
import com.twitter.util.JavaTimer;
import com.twitter.util.Var;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finagle's reader of serversets in ZooKeeper. Loaded only where a name ends at one.
 *
 * <p>Thread safe. Cost: for each ensemble a session with two threads of ZooKeeper's client, and four threads of Finagle's for all.
 */
final class Serversets {
    /**
     * The least time for which an endpoint that is gone from a set stays in use; the most is twice as long. Finagle's
     * own ten seconds are for clients that do not prefer other endpoints to one that refuses.
     */
    private static final Duration SETTLES = Duration.fromTimeUnit(2, TimeUnit.SECONDS);

    /**
     * The time without ZooKeeper after which Finagle says that it knows nothing; the last answer stays in use then as
     * well.
     */
    private static final Duration UNHEALTHY = Duration.fromTimeUnit(5, TimeUnit.MINUTES);

    private static @Nullable Zk2Resolver resolver;

    private Serversets() {}

    /**
     * @param set {@code HOSTS!/PATH} or {@code HOSTS!/PATH!ENDPOINT}, as Finagle writes it behind {@code zk2!}
     */
    static Var<Addr> of(String set) {
        return resolver().bind(set);
    }

    private static synchronized Zk2Resolver resolver() {
        if (resolver == null) {
            resolver = new Zk2Resolver(NullStatsReceiver.get(), SETTLES, UNHEALTHY, new JavaTimer(true));
        }
        return resolver;
    }
}
