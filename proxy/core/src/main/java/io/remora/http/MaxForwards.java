package io.remora.http;

import io.remora.text.Ascii;

/**
 * Counts down how far TRACE and OPTIONS may travel.
 *
 * <p>Spec: RFC 9110 section 7.6.2; on other methods the field is not ours to touch.
 */
public final class MaxForwards {
    /** Result where the field has no meaning for this request. */
    public static final long ABSENT = -1;

    public static final long INVALID = -2;

    private MaxForwards() {}

    /** The field's value, {@link #ABSENT} or {@link #INVALID}. */
    public static long of(RequestHead head) {
        String method = head.method;
        if (!head.fields.contains(FieldName.MAX_FORWARDS) || !method.equals("OPTIONS") && !method.equals("TRACE")) {
            return ABSENT;
        }
        String value = head.fields.get(FieldName.MAX_FORWARDS);
        if (value == null
                || value.isEmpty()
                || value.length() > 18
                || head.fields.getAll(FieldName.MAX_FORWARDS).size() > 1) {
            return INVALID;
        }
        for (int i = 0; i < value.length(); i++) {
            if (!Ascii.isDigit(value.charAt(i))) {
                return INVALID;
            }
        }
        return Long.parseLong(value);
    }

    /** Writes one less than {@code value}, which is 1 or more. */
    public static void decrement(RequestHead head, long value) {
        head.fields.set(FieldName.MAX_FORWARDS, Long.toString(value - 1));
    }
}
