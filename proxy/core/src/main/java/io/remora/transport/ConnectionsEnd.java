package io.remora.transport;

import java.util.Set;

/**
 * Has the connections of a listener on one event loop end, some of them at a time.
 *
 * <p>Owner: the event loop. Cost: loaded by the first listener that ends before the process does.
 */
final class ConnectionsEnd implements BackgroundTask {
    /** Connections a step, each of which takes tens of microseconds to close. */
    private static final int STEP = 8;

    private final Set<Drainable> open;
    private final Drainable[] all;
    private final boolean cut;
    private int next;

    /**
     * @param open the connections in their set: one that has left it meanwhile is skipped, as another protocol may have
     *     its channel
     * @param cut whether exchanges in progress are cut
     */
    ConnectionsEnd(Set<Drainable> open, boolean cut) {
        this.open = open;
        this.all = open.toArray(new Drainable[0]);
        this.cut = cut;
    }

    @Override
    public boolean step() {
        int to = Math.min(all.length, next + STEP);
        while (next < to) {
            end(all[next++]);
        }
        return next < all.length;
    }

    private void end(Drainable connection) {
        if (!open.contains(connection)) {
            return;
        }
        if (cut) {
            connection.cut();
        } else {
            connection.drain();
        }
    }
}
