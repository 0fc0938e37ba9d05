package io.remora.transport;

import io.remora.log.UtcTime;

/**
 * Value of a Date field, made again once a second.
 *
 * <p>It uses neither the JDK's calendar nor Netty's formatter on top of it. These open the time zones' file at the
 * first date, and where there is no descriptor left then, every later date fails too.
 *
 * <p>Owner: one event loop. Spec: RFC 9110 sections 5.6.7 and 6.6.1.
 */
public final class HttpDate {
    private static final int LENGTH = 29;

    private long second = Long.MIN_VALUE;
    private String text = "";

    public String now() {
        long nowSecond = System.currentTimeMillis() / 1_000;
        if (nowSecond != second) {
            second = nowSecond;
            StringBuilder date = new StringBuilder(LENGTH);
            UtcTime.appendHttpDate(date, nowSecond);
            text = date.toString();
        }
        return text;
    }
}
