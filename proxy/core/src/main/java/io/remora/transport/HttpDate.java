package io.remora.transport;

import io.netty.handler.codec.DateFormatter;
import java.util.Date;

/**
 * The value of a Date field, made anew once a second.
 *
 * <p>Owner: one event loop. Spec: RFC 9110 sections 5.6.7 and 6.6.1.
 */
public final class HttpDate {
    private long second = Long.MIN_VALUE;
    private String text = "";

    @SuppressWarnings("JavaUtilDate") // what Netty's formatter takes
    public String now() {
        long nowMs = System.currentTimeMillis();
        if (nowMs / 1_000 != second) {
            second = nowMs / 1_000;
            text = DateFormatter.format(new Date(nowMs));
        }
        return text;
    }
}
