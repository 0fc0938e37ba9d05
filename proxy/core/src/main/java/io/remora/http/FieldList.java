package io.remora.http;

import io.remora.text.Ascii;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads comma-separated lists of tokens.
 *
 * <p>Spec: RFC 9110 section 5.6.1; empty elements are passed over.
 */
public final class FieldList {
    private FieldList() {}

    /** Returns whether {@code token} is an element of {@code value}, letter case aside. */
    public static boolean contains(String value, String token) {
        int start = 0;
        int length = value.length();
        while (start <= length) {
            int end = endOfElement(value, start);
            if (elementEquals(value, start, end, token)) {
                return true;
            }
            start = end + 1;
        }
        return false;
    }

    /** The elements of every line of the field, trimmed, none of them empty. */
    public static List<String> elements(Fields fields, FieldName name) {
        List<String> elements = new ArrayList<>(4);
        for (String line : fields.getAll(name)) {
            int start = 0;
            while (start <= line.length()) {
                int end = endOfElement(line, start);
                String element = line.substring(start, end).trim();
                if (!element.isEmpty()) {
                    elements.add(element);
                }
                start = end + 1;
            }
        }
        return elements;
    }

    private static int endOfElement(CharSequence value, int start) {
        int end = start;
        while (end < value.length() && value.charAt(end) != ',') {
            end++;
        }
        return end;
    }

    private static boolean elementEquals(String value, int from, int to, String token) {
        int start = from;
        int end = to;
        while (start < end && Ascii.isBlank(value.charAt(start))) {
            start++;
        }
        while (end > start && Ascii.isBlank(value.charAt(end - 1))) {
            end--;
        }
        return end - start == token.length() && value.regionMatches(true, start, token, 0, token.length());
    }
}
