package io.remora.takeover;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.OperatorKeys;
import io.remora.config.keys.PlacedOption;
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

    /** The mode of the socket, its user's alone. */
    private static final int OWNER_ONLY = 0600;

    @Override
    public void show(KeyWriter out, Key key) {
        out.section(key);
        out.text(OperatorKeys.TAKEOVER_SOCKET, socket);
        out.put(OperatorKeys.TAKEOVER_TIMEOUT, timeoutNs);
        out.put(OperatorKeys.TAKEOVER_IDLE, idleNs);
    }

    /** Returns the file permissions of the socket, which say who may connect. */
    public SocketConfig owner() {
        return new SocketConfig(OWNER_ONLY, "", "");
    }
}
