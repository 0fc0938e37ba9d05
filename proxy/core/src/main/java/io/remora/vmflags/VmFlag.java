package io.remora.vmflags;

import org.jspecify.annotations.Nullable;

/**
 * One flag of the JVM as a command line sets it. The short forms of a flag ({@code -Xmx}) have the name that the JVM
 * gives them. Immutable. Source: {@code Arguments::parse_each_vm_init_arg} of HotSpot.
 *
 * @param name such as {@code MaxHeapSize}
 * @param value as it stands there; {@code true} or {@code false} of a switch
 */
record VmFlag(String name, String value) {
    private static final String LONG_FORM = "-XX:";
    private static final String[][] SHORT_FORMS = {
        {"-Xmx", "MaxHeapSize"}, {"-Xms", "InitialHeapSize"}, {"-Xmn", "NewSize"}, {"-Xss", "ThreadStackSize"},
    };
    /** The one flag whose numbers are kilobytes, where its short form has bytes. */
    private static final String STACK = "ThreadStackSize";

    private static final int KILO = 1_024;

    /** Returns the flag that a word of a command line sets, null if the word sets none. */
    static @Nullable VmFlag of(String word) {
        if (word.startsWith(LONG_FORM)) {
            return ofLong(word.substring(LONG_FORM.length()));
        }
        for (String[] form : SHORT_FORMS) {
            if (word.startsWith(form[0]) && word.length() > form[0].length()) {
                return new VmFlag(form[1], size(form[1], word.substring(form[0].length())));
            }
        }
        return null;
    }

    private static @Nullable VmFlag ofLong(String text) {
        boolean off = text.startsWith("-");
        if (off || text.startsWith("+")) {
            return new VmFlag(text.substring(1), off ? "false" : "true");
        }
        int equals = text.indexOf('=');
        return equals <= 0 ? null : new VmFlag(text.substring(0, equals), text.substring(equals + 1));
    }

    private static String size(String name, String text) {
        double bytes = number(text);
        return name.equals(STACK) && bytes >= 0 ? Long.toString((long) bytes / KILO) : text;
    }

    /** Returns whether another spelling of a value, such as {@code 65536k} of {@code 64m}, is the same to the JVM. */
    boolean hasValue(String other) {
        double own = number(value);
        return value.equals(other) || own >= 0 && own == number(other);
    }

    // exact up to 2^53, beyond which no default is that anybody writes
    private static double number(String text) {
        int end = text.length();
        if (end == 0) {
            return -1;
        }
        long unit =
                switch (text.charAt(end - 1)) {
                    case 'k', 'K' -> KILO;
                    case 'm', 'M' -> KILO * KILO;
                    case 'g', 'G' -> (long) KILO * KILO * KILO;
                    case 't', 'T' -> (long) KILO * KILO * KILO * KILO;
                    default -> 1;
                };
        String digits = unit == 1 ? text : text.substring(0, end - 1);
        for (int i = 0; i < digits.length(); i++) {
            char c = digits.charAt(i);
            if ((c < '0' || c > '9') && c != '.') {
                return -1;
            }
        }
        try {
            return Double.parseDouble(digits) * unit;
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
