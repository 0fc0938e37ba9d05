package io.remora.naming;

import java.util.List;

/**
 * The state of a name at its resolver. There are four states, so that nobody takes a lost source for an empty one.
 *
 * <p>Immutable.
 */
public sealed interface Addr {
    /**
     * The name stands for these endpoints.
     *
     * @param endpoints one or more, each name once
     * @param missing why there may be more, for a person to read: a part of the source gives no answer; empty where that is all of them
     */
    record Bound(List<Endpoint> endpoints, String missing) implements Addr {
        /** Makes an answer that is whole. */
        public Bound(List<Endpoint> endpoints) {
            this(endpoints, "");
        }
    }

    /** No answer has come yet. */
    record Pending() implements Addr {}

    /** The source answers that there is no endpoint. */
    record Empty() implements Addr {}

    /**
     * The source gives no answer.
     *
     * @param reason for a log line
     */
    record Failed(String reason) implements Addr {}
}
