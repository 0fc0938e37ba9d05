package io.remora.http;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
import java.util.List;

/**
 * Takes out the fields that are about one connection only.
 *
 * <p>Spec: RFC 9110 section 7.6.1: every field that Connection nominates, then Connection itself, and the fields that
 * are hop-by-hop though nobody nominates them. Content-Length and Host are kept even when nominated: framing and
 * routing are not the sender's to switch off.
 */
public final class HopByHop {
    private static final AsciiString[] ALWAYS = {
        Names.KEEP_ALIVE, Names.PROXY_CONNECTION, Names.TE, Names.TRANSFER_ENCODING, Names.UPGRADE
    };
    private static final AsciiString TRAILERS = AsciiString.cached("trailers");

    private HopByHop() {}

    /** Edits a request's fields in place; {@code TE: trailers} alone survives, newly nominated, as gRPC needs it. */
    public static void stripRequest(RequestHead head) {
        RequestFacts facts = head.facts;
        boolean trailers = facts.te && FieldList.contains(joined(head.fields, Names.TE), TRAILERS);
        if (facts.connection) {
            stripNominated(head.fields);
        }
        if (facts.hopByHop || facts.te || facts.upgrade || facts.transferEncoding != null) {
            stripAlways(head.fields);
        }
        if (trailers) {
            head.fields.set(Names.TE, TRAILERS);
            head.fields.set(Names.CONNECTION, Names.TE);
        }
    }

    /**
     * Edits a response's fields in place.
     *
     * @return the names that Connection nominated, for the trailers
     */
    public static List<String> stripResponse(HttpHeaders fields) {
        List<String> nominated = fields.contains(Names.CONNECTION) ? stripNominated(fields) : List.of();
        stripAlways(fields);
        return nominated;
    }

    private static List<String> stripNominated(HttpHeaders fields) {
        List<String> nominated = FieldList.elements(fields, Names.CONNECTION);
        for (String name : nominated) {
            if (!isKept(name)) {
                fields.remove(name);
            }
        }
        fields.remove(Names.CONNECTION);
        return nominated;
    }

    private static boolean isKept(String name) {
        return Names.CONTENT_LENGTH.contentEqualsIgnoreCase(name) || Names.HOST.contentEqualsIgnoreCase(name);
    }

    private static void stripAlways(HttpHeaders fields) {
        for (AsciiString name : ALWAYS) {
            fields.remove(name);
        }
    }

    private static CharSequence joined(HttpHeaders fields, AsciiString name) {
        return String.join(",", fields.getAll(name));
    }
}
