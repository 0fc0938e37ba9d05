package io.remora.http1;

import io.remora.http.FieldList;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import java.util.List;

/**
 * Takes out the fields that are about one connection only.
 *
 * <p>Spec: RFC 9110 section 7.6.1: every field that Connection nominates, then Connection itself, and the fields that
 * are hop-by-hop though nobody nominates them. Content-Length and Host are kept even when nominated: framing and
 * routing are not the sender's to switch off.
 */
final class HopByHop {
    private static final FieldName[] ALWAYS = {
        FieldName.CONNECTION,
        FieldName.KEEP_ALIVE,
        FieldName.PROXY_CONNECTION,
        FieldName.TE,
        FieldName.TRANSFER_ENCODING,
        FieldName.UPGRADE
    };

    private HopByHop() {}

    /**
     * Edits a response's fields in place.
     *
     * @return the names that Connection nominated, for the trailers
     */
    static List<String> stripResponse(Fields fields) {
        List<String> nominated =
                fields.contains(FieldName.CONNECTION) ? FieldList.elements(fields, FieldName.CONNECTION) : List.of();
        strip(fields, nominated);
        return nominated;
    }

    /** Takes out the nominated fields, and those that always go. */
    static void strip(Fields fields, List<String> nominated) {
        for (String name : nominated) {
            if (!isKept(name)) {
                fields.remove(name);
            }
        }
        for (FieldName name : ALWAYS) {
            fields.remove(name);
        }
    }

    /** Takes out of a trailer section what is about a connection, and what the message's head nominated. */
    static void stripTrailers(Fields trailers, List<String> nominated) {
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
