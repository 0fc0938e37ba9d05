package io.remora.config.model;

/**
 * The HTTP/2 settings of a listener. Immutable.
 *
 * @param alone whether HTTP/1 is not spoken as well
 * @param maxConcurrentStreams of a connection, as the client is told
 * @param streamWindowBytes that may be under way on a stream whose backend takes nothing
 * @param connectionWindowBytes the same for all streams of a connection together
 * @param maxHeaderListBytes of a header section, decompressed, with 32 for each field
 * @param maxFrameBytes of a frame's payload, as the client is told
 * @param keepAliveNs after so long without an octet a PING checks that the client is there; {@link Limits#UNLIMITED}
 *     for never
 */
public record Http2Config(
        boolean alone,
        int maxConcurrentStreams,
        int streamWindowBytes,
        int connectionWindowBytes,
        int maxHeaderListBytes,
        int maxFrameBytes,
        long keepAliveNs,
        Floods floods) {

    /**
     * The bounds beyond which a connection ends as abuse. Immutable.
     *
     * @param resets of streams in ten seconds
     * @param controlFrames in ten seconds
     * @param emptyFrames in ten seconds
     * @param continuations of one header section
     */
    public record Floods(int resets, int controlFrames, int emptyFrames, int continuations) {}
}
