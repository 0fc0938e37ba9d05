package io.remora.webhook;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The counts of the webhook, and its metrics page. Thread safe by its lock. */
final class ReviewStats {
    /** The outcome of a review. */
    enum Result {
        /** The pod gets a sidecar. */
        INJECTED,
        /** The pod stays as it is, as it has opted out, has the sidecar already or belongs to the system. */
        UNCHANGED,
        /** The pod is refused, as one of its annotations is unknown or impossible. */
        REFUSED,
        /** The request is no review that can be answered, or is beyond a bound. */
        INVALID,
        /** The injector failed. */
        FAILED
    }

    private final Map<Result, Long> counts = new EnumMap<>(Result.class);
    private long nanoseconds;
    private long longestNs;
    private long issued;
    private long taken;
    private long registered;
    private long failures;
    private long expiresMs;

    synchronized void count(Result result, long durationNs) {
        counts.merge(result, 1L, Long::sum);
        nanoseconds += durationNs;
        longestNs = Math.max(longestNs, durationNs);
    }

    /** Counts certificates that this replica has issued. */
    synchronized void issued() {
        issued++;
    }

    /** Counts a certificate that this replica shows from now on. */
    synchronized void taken(long untilMs) {
        taken++;
        expiresMs = untilMs;
    }

    /** Counts a change of the registration. */
    synchronized void registered() {
        registered++;
    }

    /** Counts a turn that failed. */
    synchronized void failed() {
        failures++;
    }

    synchronized String page() {
        StringBuilder out = new StringBuilder(2_048);
        head(out, "admissions_total", "counter", "Admission reviews, by their result.");
        for (Result result : Result.values()) {
            out.append("remora_injector_admissions_total{result=\"")
                    .append(result.name().toLowerCase(Locale.ROOT))
                    .append("\"} ")
                    .append(counts.getOrDefault(result, 0L))
                    .append('\n');
        }
        String time = "Time in which reviews were answered, all of them together.";
        put(out, "admission_seconds_total", "counter", time, seconds(nanoseconds));
        put(out, "admission_seconds_max", "gauge", "Longest time of a review.", seconds(longestNs));
        put(out, "certificates_issued_total", "counter", "Certificates that this replica has issued.", issued);
        put(out, "certificates_taken_total", "counter", "Certificates that this replica has shown.", taken);
        String expires = "Time at which the certificate in use expires; 0 before there is one.";
        put(out, "certificate_expires_seconds", "gauge", expires, expiresMs / 1_000);
        String changes = "Changes of caBundle in the webhook's registration by this replica.";
        put(out, "registrations_total", "counter", changes, registered);
        String failed = "Turns in which the certificates or the registration could not be kept current.";
        put(out, "upkeep_failures_total", "counter", failed, failures);
        return out.toString();
    }

    private static double seconds(long ns) {
        return TimeUnit.NANOSECONDS.toMicros(ns) / 1e6;
    }

    private static void head(StringBuilder out, String name, String type, String help) {
        out.append("# HELP remora_injector_")
                .append(name)
                .append(' ')
                .append(help)
                .append('\n');
        out.append("# TYPE remora_injector_")
                .append(name)
                .append(' ')
                .append(type)
                .append('\n');
    }

    private static void put(StringBuilder out, String name, String type, String help, Object value) {
        head(out, name, type, help);
        out.append("remora_injector_").append(name).append(' ').append(value).append('\n');
    }
}
