package io.remora.config.model;

/**
 * The settings by which another process may take over. Immutable.
 *
 * @param socket the path of the Unix socket where it requests that
 * @param timeoutNs how long it may take until it is ready
 * @param idleNs how long connections without a request may wait for a last one then
 */
public record TakeoverConfig(String socket, long timeoutNs, long idleNs) {
    /** The mode of the socket, its user's alone. */
    private static final int OWNER_ONLY = 0600;

    /** Returns the file permissions of the socket, which say who may connect. */
    public SocketConfig owner() {
        return new SocketConfig(OWNER_ONLY, "", "");
    }
}
