package io.remora.http1;

import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;

/**
 * Reads the two fields by which a connection becomes a tunnel.
 *
 * <p>Spec: RFC 9110 section 7.8, RFC 6455 section 4.
 */
final class Upgrades {
    private static final byte[] WEBSOCKET = Octets.of("websocket").array;

    private Upgrades() {}

    /**
     * Whether the message asks for, or grants, websocket and nothing else.
     *
     * @param options of its Connection field
     */
    static boolean isWebsocket(Fields fields, int options) {
        int line = fields.indexOf(FieldName.UPGRADE, 0);
        return line >= 0
                && (options & ConnectionOptions.UPGRADE) != 0
                && !fields.isRepeated(FieldName.UPGRADE)
                && Octets.equalsIgnoreCase(fields.array(), fields.valueStart(line), fields.valueEnd(line), WEBSOCKET);
    }
}
