package io.remora.loadtest;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How the fake application answers; the share is in millionths, as fractions add up inexactly. Over TLS where it has certificates. */
record BackendOptions(
        int port,
        int bodyBytes,
        long delayNs,
        int errorMillionths,
        @Nullable Certificates certificates) {
    /** Reads {@code --name value} pairs. */
    static BackendOptions read(String... arguments) {
        BackendOptions options = new BackendOptions(0, 1024, 0, 0, null);
        for (int i = 0; i < arguments.length; i += 2) {
            if (i + 1 == arguments.length) {
                throw new IllegalArgumentException(arguments[i] + " needs a value");
            }
            options = options.with(arguments[i], arguments[i + 1]);
        }
        return options;
    }

    private BackendOptions with(String option, String value) {
        return switch (option) {
            case "--port" ->
                new BackendOptions(Integer.parseInt(value), bodyBytes, delayNs, errorMillionths, certificates);
            case "--body" -> new BackendOptions(port, bytes(value), delayNs, errorMillionths, certificates);
            case "--delay" -> new BackendOptions(port, bodyBytes, nanoseconds(value), errorMillionths, certificates);
            case "--error-share" -> new BackendOptions(port, bodyBytes, delayNs, millionths(value), certificates);
            case "--tls", "--mtls" ->
                new BackendOptions(
                        port, bodyBytes, delayNs, errorMillionths, Certificates.of(option.substring(2), value));
            default -> throw new IllegalArgumentException("no such option: " + option);
        };
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

    private static long nanoseconds(String duration) {
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

    private static int millionths(String share) {
        double value = Double.parseDouble(share);
        if (!(value >= 0 && value <= 1)) {
            throw new IllegalArgumentException("an error share is from 0 to 1: " + share);
        }
        return (int) Math.round(value * 1e6);
    }
}
