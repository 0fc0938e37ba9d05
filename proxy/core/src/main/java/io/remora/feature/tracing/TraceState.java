package io.remora.feature.tracing;

import io.remora.http.FieldName;
import io.remora.http.Fields;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The field tracestate: a list of what tracing systems keep with a trace. It is passed on in one line where all of it is well-formed, and
 * dropped otherwise.
 *
 * <p>Spec: W3C Trace Context, Level 1, section 3.3. Bounds: {@value #MAX_MEMBERS} members, and {@value #MAX_CHARS} characters, beyond which
 * first the long members and then the last ones are left out.
 */
final class TraceState {
    private static final int MAX_MEMBERS = 32;
    private static final int MAX_CHARS = 512;
    private static final int LONG_CHARS = 128;
    private static final int MAX_KEY_CHARS = 256;
    private static final int MAX_TENANT_CHARS = 241;
    private static final int MAX_SYSTEM_CHARS = 14;
    private static final int MAX_VALUE_CHARS = 256;

    private TraceState() {}

    /** Leaves the field in a form that everybody understands, or takes it out. */
    static void clean(Fields fields) {
        int line = fields.indexOf(FieldName.TRACESTATE, 0);
        if (line < 0) {
            return;
        }
        List<String> members = members(fields);
        if (members == null || members.isEmpty()) {
            fields.remove(FieldName.TRACESTATE);
            return;
        }
        String value = join(members);
        if (fields.indexOf(FieldName.TRACESTATE, line + 1) >= 0 || !value.equals(fields.value(line))) {
            fields.set(FieldName.TRACESTATE, value);
        }
    }

    /**
     * Returns the members of all lines, in order. It returns null where one is malformed, there are too many, or a key
     * is there twice.
     */
    private static @Nullable List<String> members(Fields fields) {
        List<String> members = new ArrayList<>(4);
        for (String line : fields.getAll(FieldName.TRACESTATE)) {
            int start = 0;
            while (start <= line.length()) {
                int comma = line.indexOf(',', start);
                int end = comma < 0 ? line.length() : comma;
                String member = trimmed(line, start, end);
                if (!member.isEmpty() && !add(members, member)) {
                    return null;
                }
                start = end + 1;
            }
        }
        return members;
    }

    private static boolean add(List<String> members, String member) {
        int equals = member.indexOf('=');
        if (equals < 1 || members.size() == MAX_MEMBERS || !isKey(member, equals) || !isValue(member, equals + 1)) {
            return false;
        }
        for (String before : members) {
            if (before.regionMatches(0, member, 0, equals + 1)) {
                return false;
            }
        }
        return members.add(member);
    }

    private static String trimmed(String line, int start, int end) {
        int from = start;
        int to = end;
        while (from < to && isBlank(line.charAt(from))) {
            from++;
        }
        while (to > from && isBlank(line.charAt(to - 1))) {
            to--;
        }
        return line.substring(from, to);
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    private static boolean isKey(String member, int end) {
        int at = member.indexOf('@');
        if (at < 0 || at > end) {
            return isLower(member.charAt(0)) && end <= MAX_KEY_CHARS && isKeyPart(member, 0, end);
        }
        int system = end - at - 1;
        return at >= 1
                && at <= MAX_TENANT_CHARS
                && system >= 1
                && system <= MAX_SYSTEM_CHARS
                && (isLower(member.charAt(0)) || isDigit(member.charAt(0)))
                && isLower(member.charAt(at + 1))
                && isKeyPart(member, 0, at)
                && isKeyPart(member, at + 1, end);
    }

    private static boolean isKeyPart(String member, int from, int to) {
        for (int i = from; i < to; i++) {
            char c = member.charAt(i);
            if (!isLower(c) && !isDigit(c) && c != '_' && c != '-' && c != '*' && c != '/') {
                return false;
            }
        }
        return true;
    }

    private static boolean isLower(char c) {
        return c >= 'a' && c <= 'z';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isValue(String member, int from) {
        for (int i = from; i < member.length(); i++) {
            char c = member.charAt(i);
            if (c < ' ' || c > '~' || c == '=') {
                return false;
            }
        }
        int length = member.length() - from;
        return length >= 1 && length <= MAX_VALUE_CHARS;
    }

    private static String join(List<String> members) {
        int length = members.size() - 1;
        for (String member : members) {
            length += member.length();
        }
        for (int i = members.size() - 1; i >= 0 && length > MAX_CHARS; i--) {
            if (members.get(i).length() > LONG_CHARS) {
                length -= members.remove(i).length() + 1;
            }
        }
        while (length > MAX_CHARS) {
            length -= members.remove(members.size() - 1).length() + 1;
        }
        StringBuilder text = new StringBuilder(Math.max(0, length));
        for (String member : members) {
            text.append(text.length() == 0 ? "" : ",").append(member);
        }
        return text.toString();
    }
}
