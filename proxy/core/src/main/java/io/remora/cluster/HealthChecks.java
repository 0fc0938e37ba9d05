package io.remora.cluster;

import io.remora.http.BodyLength;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.RequestHead;
import io.remora.pool.EndpointPool;
import io.remora.transport.Loop;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Checks one endpoint again and again, on a connection of its own each time. One loop does it for all. Loaded only where checks
 * are on.
 *
 * <p>Owner: the event loop. Bounds: one check at a time.
 */
final class HealthChecks implements Runnable {
    static final String AGENT = "remora-health-check";

    private static final int JITTER_PARTS = 10;

    private final HealthCheckConfig config;
    private final Loop loop;
    private final EndpointPool pool;
    private final EndpointHealth health;
    private @Nullable HealthCheck current;
    private @Nullable Future<?> next;
    private boolean ended;

    HealthChecks(HealthCheckConfig config, Loop loop, EndpointPool pool, EndpointHealth health) {
        this.config = config;
        this.loop = loop;
        this.pool = pool;
        this.health = health;
    }

    /** The first one comes within a tenth of the interval. */
    void start() {
        schedule(random(config.intervalNs() / JITTER_PARTS));
    }

    private void schedule(long afterNs) {
        next = loop.after(this, afterNs);
    }

    private static long random(long boundNs) {
        return ThreadLocalRandom.current().nextLong(boundNs + 1);
    }

    /** The time has come for a check, or the one under way has taken all of its time. */
    @Override
    public void run() {
        if (ended) {
            return;
        }
        HealthCheck overdue = current;
        if (overdue != null) {
            overdue.timeOut();
            return;
        }
        HealthCheck check = config.grpc() == null
                ? new HealthCheck(this, config.path() == null ? null : head(config.path()), config.timeoutNs())
                : new GrpcHealthCheck(this, host(), config.grpc(), config.timeoutNs());
        current = check;
        schedule(config.timeoutNs());
        pool.newStreamOnFresh(check);
    }

    private RequestHead head(String path) {
        String host = host();
        Fields fields = new Fields();
        fields.set(FieldName.HOST, host);
        fields.set(FieldName.USER_AGENT, AGENT);
        return new RequestHead("GET", Octets.of(path), Octets.of(host), "1.1", fields, BodyLength.NONE);
    }

    private String host() {
        return config.host() == null ? host(pool.endpoint().name()) : config.host();
    }

    // a path is no host
    private static String host(String endpoint) {
        return endpoint.indexOf('/') < 0 ? endpoint : "localhost";
    }

    /** A check has ended; {@code healthy} is null where it says nothing. */
    void over(HealthCheck check, @Nullable Boolean healthy) {
        if (check != current) {
            return;
        }
        current = null;
        if (ended) {
            return;
        }
        if (next != null) {
            next.cancel(false);
        }
        if (healthy != null) {
            health.checked(config, healthy);
        }
        schedule(config.intervalNs() - random(config.intervalNs() / JITTER_PARTS));
    }

    /** There is nothing to check any more. */
    void end() {
        ended = true;
        if (next != null) {
            next.cancel(false);
        }
        HealthCheck under = current;
        if (under != null) {
            under.timeOut();
        }
    }
}
