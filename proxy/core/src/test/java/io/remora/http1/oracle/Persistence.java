package io.remora.http1.oracle;

import io.netty.handler.codec.http.HttpHeaders;

/**
 * Whether a message's sender wants its connection to end.
 *
 * <p>Spec: RFC 9112 sections 9.3 and 9.6.
 */
public final class Persistence {
    private Persistence() {}

    public static boolean asksToClose(HttpHeaders fields) {
        for (String option : FieldList.elements(fields, Names.CONNECTION)) {
            if (Names.CLOSE.contentEqualsIgnoreCase(option)) {
                return true;
            }
        }
        return false;
    }
}
