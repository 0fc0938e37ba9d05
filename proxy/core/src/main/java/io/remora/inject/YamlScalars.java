package io.remora.inject;

import io.remora.json.Verbatim;
import io.remora.text.Ascii;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Plain scalars of YAML, in both directions: the value of one that was read, and the texts that need quotes.
 *
 * <p>Versions 1.1 and 1.2 of YAML disagree on words such as {@code yes}, {@code 0644} and {@code 1:30}. They are kept as
 * they were written, and a text that looks like one of them is quoted.
 */
final class YamlScalars {
    private static final int MAX_WHOLE_DIGITS = 18;
    private static final Set<String> NULLS = Set.of("", "~", "null", "Null", "NULL");
    private static final Set<String> SWITCHES = Set.of("y", "n", "yes", "no", "on", "off");
    /** Words that some reader takes for something else than text. */
    private static final Set<String> WORDS =
            Set.of("y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", "=", "<<");

    private static final long[] NUMERIC = Ascii.bits("0123456789abcdefABCDEFxXoOtTzZ_.:+- ");
    private static final long[] PLAIN =
            Ascii.bits("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+=,;()$~* <>&|[]{}!?'\"");
    private static final long[] PLAIN_FIRST =
            Ascii.bits("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./$(");

    private YamlScalars() {}

    /** Returns the value of a scalar that was written without quotes. */
    static @Nullable Object resolve(String text) {
        if (NULLS.contains(text)) {
            return null;
        }
        String lower = text.toLowerCase(Locale.ROOT);
        if (lower.equals("true") || lower.equals("false")) {
            return Boolean.valueOf(lower);
        }
        if (isWhole(text)) {
            return Long.valueOf(text);
        }
        return SWITCHES.contains(lower) || looksNumeric(text) ? new Verbatim(text) : text;
    }

    /** Returns whether a text keeps its value, as text, without quotes. */
    static boolean isPlain(String text) {
        if (text.isEmpty()
                || !Ascii.in(PLAIN_FIRST, text.charAt(dashes(text)))
                || text.endsWith(" ")
                || text.endsWith(":")
                || WORDS.contains(text.toLowerCase(Locale.ROOT))
                || looksNumeric(text)) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            // ", " and brackets end a value inside of [ ] only, which is never written here
            if (!Ascii.in(PLAIN, c) || c == ':' && text.charAt(i + 1) == ' ') {
                return false;
            }
        }
        return true;
    }

    /** Returns the dashes at the beginning of an option, 1 or 2; a dash alone, and three of them, begin something else. */
    private static int dashes(String text) {
        int dashes = text.startsWith("--") ? 2 : text.startsWith("-") ? 1 : 0;
        return dashes < text.length() ? dashes : 0;
    }

    private static boolean isWhole(String text) {
        int from = text.startsWith("-") ? 1 : 0;
        int digits = text.length() - from;
        if (digits < 1 || digits > MAX_WHOLE_DIGITS || text.charAt(from) == '0' && text.length() > 1) {
            return false;
        }
        for (int i = from; i < text.length(); i++) {
            if (!Ascii.isDigit(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    /** Returns true for every number, date and time of YAML 1.1 and 1.2, and for a few texts more. */
    private static boolean looksNumeric(String text) {
        int from = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
        String rest = text.substring(from).toLowerCase(Locale.ROOT);
        if (rest.equals(".inf") || rest.equals(".nan")) {
            return true;
        }
        boolean point = rest.startsWith(".");
        if (rest.length() <= (point ? 1 : 0) || !Ascii.isDigit(rest.charAt(point ? 1 : 0))) {
            return false;
        }
        int points = 0;
        for (int i = 0; i < rest.length(); i++) {
            if (!Ascii.in(NUMERIC, rest.charAt(i))) {
                return false;
            }
            points += rest.charAt(i) == '.' ? 1 : 0;
        }
        // an address or a version is none
        return points < 2;
    }
}
