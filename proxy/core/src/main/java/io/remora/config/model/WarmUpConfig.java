package io.remora.config.model;

import java.util.List;

/**
 * Requests of the sidecar's own before it is ready. Immutable.
 *
 * @param requests for each way in which listeners take them
 * @param timeoutNs how long all of them may take together
 * @param gets that endpoints get as well
 */
public record WarmUpConfig(int requests, long timeoutNs, List<Get> gets) {
    /**
     * A request that is made several times. Immutable.
     *
     * @param listener whose routes it follows
     * @param host with a port if there is one
     * @param path with a query if there is one
     */
    public record Get(String listener, String host, String path, int times) {}
}
