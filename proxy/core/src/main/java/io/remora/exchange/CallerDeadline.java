package io.remora.exchange;

import io.remora.http.Fields;
import org.jspecify.annotations.Nullable;

/**
 * The caller's own deadline, and the field that tells the next hop how much of it is left. Where a request has two such
 * deadlines, the shorter one holds, and both fields are sent on.
 *
 * <p>Owner: the exchange.
 */
public abstract class CallerDeadline {
    private long waitsNs;
    private @Nullable CallerDeadline other;

    protected CallerDeadline(long waitsNs) {
        this.waitsNs = waitsNs;
    }

    /** Combines this deadline with another one, null for none: the shorter one holds. */
    final CallerDeadline beside(@Nullable CallerDeadline first) {
        if (first != null) {
            other = first;
            waitsNs = Math.min(waitsNs, first.waitsNs);
        }
        return this;
    }

    final long waitsNs() {
        return waitsNs;
    }

    /** Writes how much time is left into a request's fields. */
    final void tell(Fields fields, long leftNs) {
        say(fields, leftNs);
        if (other != null) {
            other.tell(fields, leftNs);
        }
    }

    /** Writes how much time is left into the one field that this deadline came by. */
    protected abstract void say(Fields fields, long leftNs);
}
