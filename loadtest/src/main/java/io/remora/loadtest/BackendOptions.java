package io.remora.loadtest;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How the fake application answers; the share is in millionths, as fractions add up inexactly. Over TLS where it has certificates. One that
 * identifies itself names the address that a request came to.
 */
record BackendOptions(
        int port,
        List<String> addresses,
        int bodyBytes,
        long delayNs,
        int errorMillionths,
        boolean identifies,
        @Nullable Certificates certificates) {
    private static final Map<String, String> DEFAULTS = Map.of(
            "--port",
            "0",
            "--addresses",
            "127.0.0.1",
            "--body",
            "1KiB",
            "--delay",
            "0ms",
            "--error-share",
            "0",
            "--identify",
            "false");

    /** Reads {@code --name value} pairs. */
    static BackendOptions read(String... arguments) {
        Map<String, String> given = new HashMap<>(DEFAULTS);
        Certificates certificates = null;
        for (int i = 0; i < arguments.length; i += 2) {
            String option = arguments[i];
            if (i + 1 == arguments.length) {
                throw new IllegalArgumentException(option + " needs a value");
            }
            if (option.equals("--tls") || option.equals("--mtls")) {
                certificates = Certificates.of(option.substring(2), arguments[i + 1]);
            } else if (given.replace(option, arguments[i + 1]) == null) {
                throw new IllegalArgumentException("no such option: " + option);
            }
        }
        return of(given, certificates);
    }

    private static BackendOptions of(Map<String, String> given, @Nullable Certificates certificates) {
        return new BackendOptions(
                Integer.parseInt(value(given, "--port")),
                List.of(value(given, "--addresses").split(",", -1)),
                bytes(value(given, "--body")),
                nanoseconds(value(given, "--delay")),
                millionths(value(given, "--error-share")),
                value(given, "--identify").equals("true"),
                certificates);
    }

    private static String value(Map<String, String> given, String option) {
        return given.getOrDefault(option, "");
    }

    private static int bytes(String size) {
        String text = size.toLowerCase(Locale.ROOT);
        if (text.endsWith("mib")) {
            return Math.multiplyExact(head(text, 3), 1 << 20);
        }
        return text.endsWith("kib") ? Math.multiplyExact(head(text, 3), 1 << 10) : Integer.parseUnsignedInt(text);
    }

    private static int head(String text, int unitLength) {
        return Integer.parseUnsignedInt(text.substring(0, text.length() - unitLength));
    }

    static long nanoseconds(String duration) {
        if (duration.endsWith("us")) {
            return nanoseconds(duration, 2, 1e3);
        }
        if (duration.endsWith("ms")) {
            return nanoseconds(duration, 2, 1e6);
        }
        if (duration.endsWith("s")) {
            return nanoseconds(duration, 1, 1e9);
        }
        throw new IllegalArgumentException("a delay needs a unit (us, ms, s): " + duration);
    }

    private static long nanoseconds(String duration, int unitLength, double unitNs) {
        double value = Double.parseDouble(duration.substring(0, duration.length() - unitLength));
        if (!(value >= 0)) {
            throw new IllegalArgumentException("a delay is not negative: " + duration);
        }
        return Math.round(value * unitNs);
    }

    static int millionths(String share) {
        double value = Double.parseDouble(share);
        if (!(value >= 0 && value <= 1)) {
            throw new IllegalArgumentException("an error share is from 0 to 1: " + share);
        }
        return (int) Math.round(value * 1e6);
    }
}
