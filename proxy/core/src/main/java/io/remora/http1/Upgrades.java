package io.remora.http1;

import io.remora.http.FieldList;
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

    private static final String H2C = "h2c";

    private Upgrades() {}

    /**
     * Returns the protocols of an Upgrade field, empty for none. {@code h2c} is none of them: HTTP/2 that begins behind an upgrade would pass by
     * the rules that requests are held to, and RFC 9113 3.1 has withdrawn it.
     */
    static String demanded(Fields fields) {
        StringBuilder protocols = new StringBuilder();
        for (String protocol : FieldList.elements(fields, FieldName.UPGRADE)) {
            int version = protocol.indexOf('/');
            String name = version < 0 ? protocol : protocol.substring(0, version);
            if (!name.equalsIgnoreCase(H2C)) {
                protocols.append(protocols.isEmpty() ? "" : ", ").append(protocol);
            }
        }
        return protocols.toString();
    }

    /**
     * Returns whether the message asks for, or grants, websocket and nothing else.
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
