package io.remora.http1;

import io.remora.http.FieldList;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import java.util.List;

/**
 * Takes out the fields that are about one connection only, and adds those of the next one.
 *
 * <p>Spec: RFC 9110 section 7.6.1: every field that Connection nominates, then Connection itself, and the fields that
 * are hop-by-hop though nobody nominates them. Content-Length and Host are kept even when nominated: framing and
 * routing are not the sender's to switch off.
 */
public final class HopByHop {
    private static final FieldName[] ALWAYS = {
        FieldName.CONNECTION,
        FieldName.KEEP_ALIVE,
        FieldName.PROXY_CONNECTION,
        FieldName.TE,
        FieldName.TRANSFER_ENCODING,
        FieldName.UPGRADE
    };

    private static final int UPGRADE_REQUIRED = 426;

    private HopByHop() {}

    /**
     * The names that a Connection field nominates, but for those that always go.
     *
     * @param options of the field, as {@link ConnectionOptions} has them
     */
    public static List<String> nominated(Fields fields, int options) {
        return (options & ConnectionOptions.OTHER) == 0 ? List.of() : FieldList.elements(fields, FieldName.CONNECTION);
    }

    /**
     * Takes the fields about its connection out of a response. The demand of a 426 stays with the head, as {@link
     * ResponseHead#demandedUpgrade}.
     *
     * @param options of its Connection field, as {@link ConnectionOptions} has them
     * @return the names that its Connection field nominates
     */
    public static List<String> strip(ResponseHead head, int options) {
        List<String> nominated = nominated(head.fields, options);
        if (head.status == UPGRADE_REQUIRED && head.fields.contains(FieldName.UPGRADE)) {
            String demanded = Upgrades.demanded(head.fields);
            if (!demanded.isEmpty()) {
                head.demandUpgrade(demanded);
            }
        }
        strip(head.fields, nominated);
        return nominated;
    }

    /** Adds the fields about the connection to an endpoint, which ask for an upgrade or for trailers. */
    static void add(RequestHead head) {
        if (head.upgrade() != null) {
            head.fields.set(FieldName.CONNECTION, "Upgrade");
            head.fields.set(FieldName.UPGRADE, Http1Request.WEBSOCKET);
        } else if (head.takesTrailers()) {
            head.fields.set(FieldName.TE, "trailers");
            head.fields.set(FieldName.CONNECTION, "TE");
        }
    }

    /** Takes out the nominated fields, and those that always go. */
    public static void strip(Fields fields, List<String> nominated) {
        // by index, for most lists are empty and an iterator of one is an object too
        for (int i = 0; i < nominated.size(); i++) {
            if (!isKept(nominated.get(i))) {
                fields.remove(nominated.get(i));
            }
        }
        for (FieldName name : ALWAYS) {
            fields.remove(name);
        }
    }

    /** Takes fields about a connection out of a trailer section, and those that the message's head nominated. */
    public static void stripTrailers(Fields trailers, List<String> nominated) {
        for (String name : FieldList.elements(trailers, FieldName.CONNECTION)) {
            trailers.remove(name);
        }
        for (String name : nominated) {
            trailers.remove(name);
        }
        for (FieldName name : ALWAYS) {
            trailers.remove(name);
        }
    }

    private static boolean isKept(String name) {
        return name.equalsIgnoreCase(FieldName.CONTENT_LENGTH.toString())
                || name.equalsIgnoreCase(FieldName.HOST.toString());
    }
}
