package io.remora.tls;

import io.remora.config.model.LogComponent;
import io.remora.log.Log;
import io.remora.tls.config.TlsFile;
import java.util.ArrayList;
import java.util.List;

/**
 * Revocation lists in use, as the log describes them: their owner, and their expiry.
 *
 * <p>Owner: one thread at a time.
 */
final class RevocationSet {
    private static final long MS_PER_S = 1_000;

    private final String name;
    private final String path;
    private final RevocationFile lists;
    private final List<byte[]> trust;
    private final Daily warned = new Daily();

    /**
     * @param name the listener or cluster that uses them, such as {@code listener in}
     * @param configured where they were read
     * @param trust of whose lists they should be, in DER
     */
    RevocationSet(String name, TlsFile configured, List<byte[]> revoked, List<byte[]> trust) {
        this.name = name;
        this.path = configured.path();
        this.lists = new RevocationFile(revoked);
        this.trust = List.copyOf(trust);
    }

    /** Returns when the first of them is outdated, in seconds since the epoch. */
    long expiresSeconds() {
        return lists.nextUpdateMs() / MS_PER_S;
    }

    List<String> text(long nowMs) {
        List<String> text = new ArrayList<>();
        for (String line : lists.describe(path, trust, nowMs)) {
            text.add(name + ": " + line);
        }
        return text;
    }

    boolean areCurrentAt(long nowMs) {
        return lists.isCurrentAt(nowMs);
    }

    /** Logs the lists as those in use from now on. */
    void tell(long nowMs) {
        if (!warn(nowMs)) {
            for (String line : text(nowMs)) {
                Log.info(LogComponent.TLS, line);
            }
        }
    }

    /** Warns where a list is not valid now, so that no peer that it covers gets in; once a day. */
    boolean warn(long nowMs) {
        if (lists.isCurrentAt(nowMs)) {
            return false;
        }
        if (warned.isDue(nowMs)) {
            for (String line : text(nowMs)) {
                Log.warn(LogComponent.TLS, line);
            }
        }
        return true;
    }
}
