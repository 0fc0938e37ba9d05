package io.remora.admin;

import io.remora.http1.WholeRequests;
import io.remora.transport.Link;

/** The pages that the admin listener or the health listener serves. Owner: the admin thread. */
interface Pages {
    /**
     * Returns 200 as long as the process runs, or 503 while an [event loop has been
     * stalled](operations.md#the-watchdog) for longer than {@code watchdog.live}.
     */
    String LIVE = "/live";
    /**
     * Returns 200 once every listener is bound. It returns 503 before that, and again once a drain has started. It
     * stays at 200 while accepting is paused, either at {@code limits.connections} or because the process has run out
     * of file descriptors. If a memory limit that was changed in place is too low, the text of the response
     * says so.
     */
    String READY = "/ready";

    String READ_METHODS = "GET, HEAD";

    /** Answers the request that is whole, immediately. */
    Reply answer(WholeRequests request);

    /** Tells if the answer takes a while; such a request goes to {@link #begin}. */
    default boolean takesTime(WholeRequests request) {
        return false;
    }

    /**
     * Has such a request answered.
     *
     * @param request read before this returns, as the next one replaces it
     * @param then told once, on any thread
     */
    default void begin(WholeRequests request, ReloadOutcome then) {
        throw new UnsupportedOperationException();
    }

    /**
     * Hands the connection of a request that has no end to another handler, which takes it over with its channel's
     * pipeline.
     *
     * @param link its last handler reads nothing more once this has returned true
     * @param leftNs for which the connection may still be used
     * @return false if the request is answered like any other
     */
    default boolean takeOver(WholeRequests request, Link link, long leftNs) {
        return false;
    }

    static boolean reads(WholeRequests request) {
        String method = request.method();
        return method.equals("GET") || method.equals("HEAD");
    }

    static Reply live(boolean live) {
        return live ? Reply.text(200, "live\n") : Reply.text(503, "an event loop is blocked\n");
    }

    static Reply ready(ProxyControl control) {
        if (!control.ready()) {
            return Reply.text(503, "not ready\n");
        }
        String notice = control.memoryNotice();
        return Reply.text(200, notice == null ? "ready\n" : "ready; " + notice + '\n');
    }

    static Reply notFound() {
        return Reply.text(404, "no such page\n");
    }
}
