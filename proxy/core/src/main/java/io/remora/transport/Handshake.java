package io.remora.transport;

import io.netty.channel.Channel;
import io.remora.log.LogThrottle;
import org.jspecify.annotations.Nullable;

/**
 * Steps between a connected channel and a connection that is ready to carry a protocol: none, a PROXY line, or TLS with
 * its choice of a protocol. Connected and accepted channels share it.
 *
 * <p>Owner: an event loop.
 */
public interface Handshake {
    /** Handshake of plain connections: ready at once. */
    Handshake NONE = new Handshake() {
        @Override
        public void begin(Channel channel, Outcome outcome) {
            outcome.ready(new Link(channel));
        }
    };

    /**
     * Begins on a channel that has just been connected or accepted; exactly one method of {@code outcome} is called, at
     * once or later. A channel that closes meanwhile is a failure.
     */
    void begin(Channel channel, Outcome outcome);

    /**
     * Returns the handshake for a connection that is for one client alone, {@code client} by its address; empty where
     * it has none.
     */
    default Handshake forClient(String client) {
        return this;
    }

    /** Has its warnings bounded together with those of others. Called before the first one begins. */
    default void warnWithin(LogThrottle shared) {
        Handshake wrapped = wrapped();
        if (wrapped != null) {
            wrapped.warnWithin(shared);
        }
    }

    /** The handshake that this one goes on from, null where it is the first. */
    default @Nullable Handshake wrapped() {
        return null;
    }

    /** Stops keeping itself up to date, as hardly any handshake begins from now on. Any thread. */
    default void end() {}

    /** Frees its memory outside the heap, as no handshake begins any more. Any thread. */
    default void release() {}

    /** Reason for which this side closes a connection in its handshake. */
    enum Cut {
        /** Its time is over. */
        TIME,
        /** Its memory is for another connection. */
        MEMORY,
        /** Too many have begun at once, and another client has fewer of them. */
        PLACE
    }

    /** Caller that waits for a handshake. */
    interface Outcome {
        void ready(Link link);

        void failed(Throwable cause);

        /** Takes the client's address, which has become known, for the peer's. */
        default void comesFrom(String address) {}

        /**
         * Asks for room for a handshake whose first octets have come, and for which nothing is held before.
         *
         * @param octets that have come
         * @param later runs when there is room, unless the channel closes before
         * @return whether it may go on now; where not, it waits, or the channel is closed
         */
        default boolean speaks(int octets, Runnable later) {
            return true;
        }

        /**
         * Counts it among its listener's handshakes in flight from now on, or no longer; the connection may outlast
         * that.
         */
        default void counts(boolean inFlight) {}

        /**
         * Cuts another client's handshake where that has more of them under way than this one's.
         *
         * @return whether there was one to cut
         */
        default boolean makeRoom() {
            return false;
        }

        /** Returns the reason for which this side closes the connection, if the peer has not ended it. */
        default Cut cutReason() {
            return Cut.TIME;
        }
    }
}
