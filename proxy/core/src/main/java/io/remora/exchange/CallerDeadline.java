package io.remora.exchange;

import io.remora.http.Fields;
import org.jspecify.annotations.Nullable;

/**
 * How long the caller says that it waits, and how the next hop learns what is left of that. Where it has said so in two ways the
 * shorter one holds, and both tell of it.
 *
 * <p>Owner: the exchange.
 */
public abstract class CallerDeadline {
    private long waitsNs;
    private @Nullable CallerDeadline other;

    protected CallerDeadline(long waitsNs) {
        this.waitsNs = waitsNs;
    }

    /** Holds beside another one, which is null for none. */
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

    /** Says in a request's fields what is left. */
    final void tell(Fields fields, long leftNs) {
        say(fields, leftNs);
        if (other != null) {
            other.tell(fields, leftNs);
        }
    }

    /** The same for the one field that it came by. */
    protected abstract void say(Fields fields, long leftNs);
}
