package io.remora.metrics;

import java.util.Iterator;
import java.util.List;

/**
 * The counts of one listener's or one cluster's TLS, on all event loops. A handshake takes so long that the lock is not
 * noticed.
 *
 * <p>Thread safe.
 */
public final class TlsStats extends SharedCounts<TlsMetric> {
    static final String TABLE_NAME = "tls";
    private static final TlsMetric[] TABLE = TlsMetric.values();

    private final TlsTimes times = new TlsTimes();

    /**
     * @param side {@code listener} or {@code cluster}
     * @param reasons every reason for which a handshake can fail
     */
    public TlsStats(String side, String name, String... reasons) {
        super(TABLE, new String[] {side, name}, reasons);
    }

    @Override
    public String table() {
        return TABLE_NAME;
    }

    /**
     * @param durationNs since the first octets
     */
    public synchronized void established(long durationNs, boolean resumed) {
        increment(TlsMetric.HANDSHAKES);
        times.record(durationNs, resumed);
    }

    /** Returns the times as they are now. */
    synchronized TlsTimes times() {
        return times.copy();
    }

    /** Writes the times of all handshakes, a listener or cluster at a time. */
    static MetricsPage.Part writeTimes(List<? extends Counts<?>> all) {
        Iterator<? extends Counts<?>> each = all.iterator();
        return new MetricsPage.Part() {
            private boolean begun;

            @Override
            public boolean writeSome(PrometheusText out) {
                if (!begun) {
                    begun = true;
                    out.family(TlsTimeMetric.HANDSHAKE);
                }
                if (each.hasNext()) {
                    TlsStats stats = (TlsStats) each.next();
                    stats.times().write(out, stats.scope());
                }
                return each.hasNext();
            }
        };
    }

    public synchronized void failed(String reason) {
        increment(TlsMetric.FAILURES, reason);
    }

    /** A connection that does without. */
    public synchronized void plainOpened() {
        increment(TlsMetric.PLAIN);
        increment(TlsMetric.PLAIN_ACTIVE);
    }

    public synchronized void plainClosed() {
        decrement(TlsMetric.PLAIN_ACTIVE);
    }

    /** Counts a reload: the changed files were taken, or those before are kept. */
    public synchronized void reloaded(boolean taken) {
        increment(TlsMetric.RELOADS, taken ? "taken" : "refused");
    }

    /** Sets the time until which its revocation lists are good; 0 for none. */
    public synchronized void tellLists(long expiresSeconds) {
        add(TlsMetric.CRL_EXPIRES, expiresSeconds - value(TlsMetric.CRL_EXPIRES));
    }

    /** Sets the current state, as opposed to counts of events. */
    public synchronized void tell(long expiresSeconds, boolean verified) {
        expires(expiresSeconds);
        add(TlsMetric.UNVERIFIED, (verified ? 0 : 1) - value(TlsMetric.UNVERIFIED));
    }

    /** Sets the time at which the first certificate expires, in seconds since the epoch; 0 without a certificate. */
    public synchronized void expires(long seconds) {
        add(TlsMetric.EXPIRES, seconds - value(TlsMetric.EXPIRES));
    }
}
