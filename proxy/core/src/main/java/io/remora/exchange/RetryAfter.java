package io.remora.exchange;

import io.remora.http.FieldName;
import io.remora.http.Fields;
import java.util.concurrent.TimeUnit;

/** The wait that a response asks for before another attempt. Pure functions. Spec: RFC 9110 section 10.2.3. */
final class RetryAfter {
    /** A wait that is as good as for ever. */
    static final long NEVER = Long.MAX_VALUE;

    private static final int MOST_DIGITS = 6;

    private RetryAfter() {}

    /**
     * Returns the wait; 0 where the response asks for none. It is {@link #NEVER} for a date, which another machine's
     * clock may have made, and for a text that is no number.
     */
    static long waitNs(Fields fields) {
        String text = fields.get(FieldName.RETRY_AFTER);
        if (text == null) {
            return 0;
        }
        long seconds = 0;
        for (int i = 0; i < text.length(); i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return NEVER;
            }
            seconds = seconds * 10 + digit;
        }
        return text.isEmpty() || text.length() > MOST_DIGITS ? NEVER : TimeUnit.SECONDS.toNanos(seconds);
    }
}
