package io.remora.admin;

import io.remora.config.keys.Units;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The query parameters of a page, not decoded. Immutable. Each error is an {@link IllegalArgumentException} with the problem
 * and the expected value, for a response of status 400.
 */
final class Parameters {
    private final List<String> given;

    private Parameters(List<String> given) {
        this.given = given;
    }

    /**
     * Reads the parameters of a target.
     *
     * @param examples of all that the page has, such as {@code duration=10s}
     * @throws IllegalArgumentException if there is another one, or one twice
     */
    static Parameters of(String target, String... examples) {
        List<String> given = RequestTarget.parameters(target);
        for (int i = 0; i < given.size(); i++) {
            String name = name(given.get(i));
            if (!isKnown(name, examples)) {
                throw new IllegalArgumentException("'" + given.get(i) + "' is not a parameter, expected "
                        + (examples.length == 0 ? "none" : String.join(" or ", examples)));
            }
            for (int before = 0; before < i; before++) {
                if (name(given.get(before)).equals(name)) {
                    throw new IllegalArgumentException(name + " is given twice");
                }
            }
        }
        return new Parameters(given);
    }

    private static boolean isKnown(String name, String[] examples) {
        for (String example : examples) {
            if (!name.isEmpty() && name.equals(name(example))) {
                return true;
            }
        }
        return false;
    }

    /** Returns what is before the equals sign; an empty text without one. */
    private static String name(String parameter) {
        return parameter.substring(0, Math.max(parameter.indexOf('='), 0));
    }

    private @Nullable String value(String name) {
        for (String one : given) {
            if (name(one).equals(name)) {
                return one.substring(name.length() + 1);
            }
        }
        return null;
    }

    String text(String name, String byDefault) {
        String value = value(name);
        return value == null ? byDefault : value;
    }

    /** Returns a number from 1 to the most. */
    int number(String name, int byDefault, int most) {
        String value = value(name);
        if (value == null) {
            return byDefault;
        }
        long number = Units.NONE.read(value);
        if (number < 1 || number > most) {
            throw new IllegalArgumentException(name + " is '" + value + "', expected 1 to " + most);
        }
        return (int) number;
    }

    /** Returns a duration in nanoseconds. */
    long durationNs(String name, long byDefaultNs, long leastNs, long mostNs) {
        String value = value(name);
        if (value == null) {
            return byDefaultNs;
        }
        long durationNs = Units.DURATION.read(value);
        if (durationNs < leastNs || durationNs > mostNs) {
            throw new IllegalArgumentException(
                    name + " is '" + value + "'" + Units.DURATION.expected(value, leastNs, mostNs));
        }
        return durationNs;
    }

    /** Returns false by default. */
    boolean flag(String name) {
        String value = text(name, "false");
        if (!value.equals("true") && !value.equals("false")) {
            throw new IllegalArgumentException(name + " is '" + value + "', expected true or false");
        }
        return value.equals("true");
    }
}
