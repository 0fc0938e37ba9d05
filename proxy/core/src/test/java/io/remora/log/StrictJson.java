package io.remora.log;

import java.util.LinkedHashMap;
import java.util.Map;

/** Reads one flat JSON object of strings, whole numbers and nulls, by the letter of RFC 8259, and nothing else. */
final class StrictJson {
    private final String text;
    private int at;

    private StrictJson(String text) {
        this.text = text;
    }

    static Map<String, Object> object(String text) {
        StrictJson json = new StrictJson(text);
        Map<String, Object> members = json.members();
        if (json.at != text.length()) {
            throw json.bad("the end");
        }
        return members;
    }

    private Map<String, Object> members() {
        Map<String, Object> members = new LinkedHashMap<>();
        expect('{');
        do {
            String name = string();
            expect(':');
            if (members.containsKey(name)) {
                throw bad("a name not used before " + name);
            }
            members.put(name, value());
        } while (accept(','));
        expect('}');
        return members;
    }

    private Object value() {
        if (text.charAt(at) == '"') {
            return string();
        }
        if (text.startsWith("null", at)) {
            at += 4;
            return null;
        }
        int from = at;
        while (text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        String digits = text.substring(from, at);
        if (digits.isEmpty() || digits.length() > 1 && digits.charAt(0) == '0') {
            throw bad("a value");
        }
        return Long.valueOf(digits);
    }

    private String string() {
        StringBuilder value = new StringBuilder();
        expect('"');
        while (!accept('"')) {
            char c = text.charAt(at++);
            if (c < ' ' || c >= 0x7f) {
                throw bad("printable ASCII");
            }
            value.append(c == '\\' ? escaped() : c);
        }
        return value.toString();
    }

    private char escaped() {
        char c = text.charAt(at++);
        if (c == 'u') {
            at += 4;
            return (char) Integer.parseInt(text.substring(at - 4, at), 16);
        }
        int known = "\"\\/bfnrt".indexOf(c);
        if (known < 0) {
            throw bad("an escape");
        }
        return "\"\\/\b\f\n\r\t".charAt(known);
    }

    private void expect(char c) {
        if (!accept(c)) {
            throw bad("" + c);
        }
    }

    private boolean accept(char c) {
        boolean there = at < text.length() && text.charAt(at) == c;
        at += there ? 1 : 0;
        return there;
    }

    private IllegalArgumentException bad(String wanted) {
        return new IllegalArgumentException("expected " + wanted + " at " + at + " of " + text);
    }
}
