package io.remora.http2;

import io.netty.util.AsciiString;
import io.remora.http.Octets;

/**
 * The rules for names and values of field lines. Pure functions.
 *
 * <p>Spec: RFC 9113 sections 8.2.1 and 8.2.2, RFC 9110 section 5.5.
 */
final class FieldRules {
    /** Octets of a line in addition to its name and value: colon, space, CR, LF. */
    static final int FRAME_OCTETS = 4;

    static final AsciiString TE = AsciiString.cached("te");
    static final AsciiString TRAILERS = AsciiString.cached("trailers");

    /** Bits of two names that together announce octets which are no body. */
    static final int HIDDEN_BODY = 3;

    private static final AsciiString KEY1 = AsciiString.cached("sec-websocket-key1");
    private static final AsciiString KEY2 = AsciiString.cached("sec-websocket-key2");

    /** Names of fields about a connection of HTTP/1. */
    private static final AsciiString[] CONNECTIONS = {
        AsciiString.cached("connection"),
        AsciiString.cached("keep-alive"),
        AsciiString.cached("proxy-connection"),
        AsciiString.cached("transfer-encoding"),
        AsciiString.cached("upgrade")
    };

    private FieldRules() {}

    static boolean isToken(AsciiString text) {
        int from = text.arrayOffset();
        int to = from + text.length();
        return from < to && Octets.endOfToken(text.array(), from, to) == to;
    }

    /** Returns whether it is a token without capital letters. */
    static boolean isName(AsciiString name) {
        byte[] array = name.array();
        int to = name.arrayOffset() + name.length();
        for (int i = name.arrayOffset(); i < to; i++) {
            if (array[i] >= 'A' && array[i] <= 'Z') {
                return false;
            }
        }
        return isToken(name);
    }

    /** Returns whether it has no control character but tabs, and no white space around it. */
    static boolean isValue(AsciiString value) {
        byte[] array = value.array();
        int from = value.arrayOffset();
        int to = from + value.length();
        for (int i = from; i < to; i++) {
            byte octet = array[i];
            // octets of 0x80 and above are negative
            if (octet >= 0 && octet < ' ' && octet != '\t' || octet == 0x7f) {
                return false;
            }
        }
        return from == to || !Octets.isBlank(array[from]) && !Octets.isBlank(array[to - 1]);
    }

    /** Returns whether a message of HTTP/2 must not have it. */
    static boolean isConnections(AsciiString name) {
        for (AsciiString refused : CONNECTIONS) {
            if (name.equals(refused)) {
                return true;
            }
        }
        return false;
    }

    /** One bit of {@link #HIDDEN_BODY}, or none. */
    static int hiddenBody(AsciiString name) {
        return name.equals(KEY1) ? 1 : name.equals(KEY2) ? 2 : 0;
    }

    static boolean hasUnderscore(AsciiString name) {
        byte[] array = name.array();
        int to = name.arrayOffset() + name.length();
        for (int i = name.arrayOffset(); i < to; i++) {
            if (array[i] == '_') {
                return true;
            }
        }
        return false;
    }

    static Octets octets(AsciiString text) {
        int from = text.arrayOffset();
        return new Octets(text.array(), from, from + text.length());
    }
}
