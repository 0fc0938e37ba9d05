package io.remora.transport;

import java.util.HashSet;
import java.util.Set;

/**
 * The connections of one listener on one event loop: what a drain and a change of the configuration walk.
 *
 * <p>Owner: the event loop.
 */
public final class Connections {
    private static final Drainable[] NONE = {};

    private final Set<Drainable> open = new HashSet<>();

    public void add(Drainable connection) {
        open.add(connection);
    }

    public void remove(Drainable connection) {
        open.remove(connection);
    }

    public int size() {
        return open.size();
    }

    /** No further request on any of them. */
    public void drain() {
        // a copy: whoever is idle ends at once and leaves the set
        for (Drainable connection : open.toArray(NONE)) {
            connection.drain();
        }
    }

    /** Ends all of them, whatever is in progress. */
    public void cut() {
        for (Drainable connection : open.toArray(NONE)) {
            connection.cut();
        }
    }
}
