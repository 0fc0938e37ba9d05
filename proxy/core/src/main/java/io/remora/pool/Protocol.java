package io.remora.pool;

import io.remora.transport.Link;

/** Makes connections speak: puts the codec that was agreed on onto a link that is ready. Owner: one event loop. */
public interface Protocol {
    /**
     * @param pool that the connection belongs to, and which hears of its end
     */
    Connection begin(Link link, EndpointPool pool);

    /**
     * Streams that a connection will carry once it is ready, as far as that can be said before: with it the pool
     * decides whether waiting clients need another connection.
     */
    int expectedStreams();
}
