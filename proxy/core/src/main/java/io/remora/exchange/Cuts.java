package io.remora.exchange;

import java.util.EnumMap;
import java.util.Map;

/** Counts of a listener's exchanges that its end, or the sidecar's, has cut, by state. Thread safe. */
public final class Cuts {
    /** State of an exchange when it was cut. */
    public enum Kind {
        /** No response had begun. */
        WAITING("waiting"),
        /** A response was in progress. */
        STREAMING("streaming"),
        /** A call of gRPC. */
        CALL("grpc"),
        UPGRADED("upgraded"),
        /** A tunnel from its first octet. */
        TUNNEL("tcp"),
        /** The exchange was over, and its client had not taken all of the response. */
        UNREAD("unread");

        private final String label;

        Kind(String label) {
            this.label = label;
        }
    }

    private final Map<Kind, Integer> counts = new EnumMap<>(Kind.class);

    /** Set if nobody gets a response any more, as the process is about to end. */
    private volatile boolean mute;

    /** Denies a response to exchanges that are cut from now on. */
    public void mute() {
        mute = true;
    }

    boolean isMute() {
        return mute;
    }

    void add(Kind kind) {
        add(kind, 1);
    }

    private synchronized void add(Kind kind, int more) {
        counts.merge(kind, more, Integer::sum);
    }

    /** Adds these counts to a sum. */
    public synchronized void addTo(Cuts sum) {
        counts.forEach(sum::add);
    }

    /** Words for the log: {@code cut=3 waiting=1 streaming=2}. */
    public synchronized String text() {
        StringBuilder kinds = new StringBuilder();
        int sum = 0;
        for (Map.Entry<Kind, Integer> kind : counts.entrySet()) {
            sum += kind.getValue();
            kinds.append(' ').append(kind.getKey().label).append('=').append(kind.getValue());
        }
        return "cut=" + sum + kinds;
    }
}
