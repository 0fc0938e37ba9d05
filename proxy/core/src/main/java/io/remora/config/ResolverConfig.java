package io.remora.config;

import org.jspecify.annotations.Nullable;

/**
 * Where the endpoints of a cluster come from that does not list them itself: a file or DNS.
 *
 * @param file with a list of endpoints, null for none
 * @param dns null for none
 * @param keepLastNs for which the last good answer holds once there is none; 0 not at all, {@link Limits#UNLIMITED} for good
 * @param pending requests per event loop that wait for the first answer
 * @param pendingTimeoutNs for which they wait; beyond it 503
 */
public record ResolverConfig(
        @Nullable String file, @Nullable DnsSource dns, long keepLastNs, int pending, long pendingTimeoutNs) {
    /** The value of the metrics' label. */
    public String kind() {
        return file != null ? "file" : "dns";
    }

    /** What is asked, for a person to read. */
    public String source() {
        return dns == null ? "file:" + file : "dns:" + dns.name() + (dns.isService() ? "" : ":" + dns.port());
    }
}
