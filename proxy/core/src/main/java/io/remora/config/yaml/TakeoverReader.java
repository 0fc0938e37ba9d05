package io.remora.config.yaml;

import io.remora.config.keys.OperatorKeys;
import io.remora.config.model.Address;
import io.remora.config.model.TakeoverConfig;
import org.jspecify.annotations.Nullable;

/** Reads {@code takeover}. Loaded only where it is configured. */
final class TakeoverReader {
    private TakeoverReader() {}

    /** Reads the takeover, null where a problem has been reported. */
    static @Nullable TakeoverConfig read(Section section, Problems problems) {
        Node node = section.requiredText(OperatorKeys.TAKEOVER_SOCKET, "the path of a Unix socket");
        Address address = node == null ? null : SocketReader.path(node, node.text, "", "socket", problems);
        long timeoutNs = section.get(OperatorKeys.TAKEOVER_TIMEOUT);
        long idleNs = section.get(OperatorKeys.TAKEOVER_IDLE);
        section.end();
        return address == null ? null : new TakeoverConfig(address.host(), timeoutNs, idleNs);
    }
}
