package io.remora.loadtest;

/** What a load sends, and who is told of it. Called by many threads. */
interface Requests {
    /** The next one, which is sent at once. */
    Http2Request next();

    /**
     * Counts a response.
     *
     * @param request that it answers
     */
    void answered(Http2Request request, long dueNs, long nowNs, int status);

    /** One that got no answer. */
    void lost(long dueNs);

    /** False where more would tell nothing. */
    boolean goesOn();
}
