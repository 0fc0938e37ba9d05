package io.remora.http2;

import org.jspecify.annotations.Nullable;

/**
 * The streams of one connection that are open on the wire, and the numbers that either side has used. Streams that are
 * closed are used again, some of them.
 *
 * <p>Owner: one connection. Spec: RFC 9113 section 5.1.1.
 */
final class WireStreams extends StreamTable<WireStream> {
    /** Closed streams that are kept. */
    private static final int MOST_SPARE = 8;
    /** Bit by which the numbers of a client's streams differ from a server's. */
    private static final int CLIENTS = 1;

    private final boolean peerIsClient;
    /** The highest number that the peer has used. */
    private int lastOfPeer;
    /** The highest number that this side has used. */
    private int lastOwn;
    /** Streams that the peer has opened so far. */
    private int opened;
    /** Streams of the peer's above this number are refused. */
    private int mostOfPeer = Integer.MAX_VALUE;

    private @Nullable WireStream spare;
    private int spares;

    WireStreams(boolean peerIsClient) {
        this.peerIsClient = peerIsClient;
    }

    /** Returns the highest number that the peer has used. */
    int lastOfPeer() {
        return lastOfPeer;
    }

    /** Returns whether the peer has opened each of its streams up to the last one. */
    boolean isWithoutGap() {
        return lastOfPeer / 2 + 1 == opened;
    }

    /** Returns whether it is a number that the peer may use. */
    boolean isOfPeer(int id) {
        return (id & 1) == CLIENTS == peerIsClient && id != 0;
    }

    /** Returns whether there may have been a stream of that number. */
    boolean mayHaveBeen(int id) {
        return id > 0 && id <= (isOfPeer(id) ? lastOfPeer : lastOwn);
    }

    /** Refuses streams of the peer's above that number from now on; false where that is so already. */
    boolean refuseAbove(int id) {
        boolean first = id < mostOfPeer;
        mostOfPeer = Math.min(mostOfPeer, id);
        return first;
    }

    /** Returns whether {@link #refuseAbove} has been called. */
    boolean refusesSome() {
        return mostOfPeer < Integer.MAX_VALUE;
    }

    /** Returns whether it is a number of the peer's that is refused. */
    boolean isRefused(int id) {
        return isOfPeer(id) && id > mostOfPeer;
    }

    /** Returns a stream of the peer's number, which is above all before; it is begun by the caller. */
    WireStream open(int id) {
        lastOfPeer = id;
        opened++;
        return add(id);
    }

    /** Returns the next number of this side; 0 where there is none left. */
    int next() {
        // 1 is what an upgraded request would have
        int next = lastOwn > 0 ? lastOwn + 2 : peerIsClient ? 2 : 3;
        if (next < 0) {
            return 0;
        }
        lastOwn = next;
        return next;
    }

    /** Returns a stream of a number that {@link #next} has told; it is begun by the caller. */
    WireStream add(int id) {
        WireStream stream = spare;
        if (stream == null) {
            stream = new WireStream();
        } else {
            spare = stream.next;
            stream.next = null;
            spares--;
        }
        put(id, stream);
        return stream;
    }

    /** Takes a stream out that is closed, holds nothing and is in no ring. */
    void close(WireStream stream) {
        remove(stream.id);
        stream.clear();
        if (spares < MOST_SPARE) {
            spares++;
            stream.next = spare;
            spare = stream;
        }
    }
}
