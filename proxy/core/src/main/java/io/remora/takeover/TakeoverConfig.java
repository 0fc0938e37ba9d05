package io.remora.takeover;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.OperatorKeys;
import io.remora.config.keys.PlacedOption;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.Option;
import io.remora.config.model.SocketConfig;

/**
 * The settings by which another process may take over. Immutable.
 *
 * @param socket the path of the Unix socket where it requests that
 * @param timeoutNs how long it may take until it is ready
 * @param idleNs how long connections without a request may wait for a last one then
 */
public record TakeoverConfig(String socket, long timeoutNs, long idleNs) implements PlacedOption {
    public static final String NAME = "takeover";

    public static final Option<TakeoverConfig> TAKEOVER = Option.of(NAME);

    /**
     * Path of the Unix socket through which the new process requests the listening sockets. The socket has mode 0600.
     */
    public static final Key SOCKET = Key.required(OperatorKeys.TAKEOVER, "socket", "absolute path");

    /**
     * Maximum time for the new process to become ready. If it takes longer, this process continues as before. Until
     * then, no third process can take over.
     */
    public static final ValueKey<Long> TIMEOUT = Key.durationNs(OperatorKeys.TAKEOVER, "timeout", 60_000_000_000L);

    /**
     * Time that idle connections stay open for one last request after a takeover. The response to that request closes
     * the connection. This avoids losing a request that a client sends while the sidecar closes the connection. Values
     * above {@code drain-timeout} have no effect.
     */
    public static final ValueKey<Long> IDLE = Key.durationNs(OperatorKeys.TAKEOVER, "idle", 5_000_000_000L);

    /** The mode of the socket, its user's alone. */
    private static final int OWNER_ONLY = 0600;

    @Override
    public void show(KeyWriter out, Key key) {
        out.section(key);
        out.text(SOCKET, socket);
        out.put(TIMEOUT, timeoutNs);
        out.put(IDLE, idleNs);
    }

    /** Returns the file permissions of the socket, which say who may connect. */
    public SocketConfig owner() {
        return new SocketConfig(OWNER_ONLY, "", "");
    }
}
