package io.remora.webhook;

import io.remora.log.Log;
import io.remora.tls.PemText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the certificate that the server shows current, and with it what API servers trust. Replicas agree by the
 * versions of the Secret.
 *
 * <p>Owner: one thread, which calls {@link #turn} as often as it says.
 */
final class Upkeep {
    /** Time between turns where nothing is due. */
    static final long TURN_MS = 30_000;
    /** Time after a failure. */
    private static final long RETRY_MS = 3_000;
    /** Time in which API servers hear of a change of the registration, before what it trusts is shown. */
    private static final long HEARD_MS = 2_000;
    /** Time between looks at files. */
    private static final long LOOK_MS = 5_000;

    private static final int ATTEMPTS = 5;

    private final Shown shown;
    private final ReviewStats stats;
    private final List<String> names;
    private final Issuer issuer = new Issuer();
    private final @Nullable CertificateStore store;
    private final @Nullable Registration registration;
    /** Folder with certificates that another issues; null where they are the injector's own. */
    private final @Nullable Path directory;

    private @Nullable CertificateSet inUse;
    private @Nullable Certificate showing;
    /** Stored certificate that cannot be shown. */
    private @Nullable Certificate rejected;

    private boolean registered;
    private String problem = "no certificate yet";

    /** The server, which shows a certificate. */
    interface Shown {
        void show(List<byte[]> chain, byte[] key) throws IOException;
    }

    private Upkeep(
            Shown shown,
            ReviewStats stats,
            List<String> names,
            @Nullable CertificateStore store,
            @Nullable Registration registration,
            @Nullable Path directory) {
        this.shown = shown;
        this.stats = stats;
        this.names = names;
        this.store = store;
        this.registration = registration;
        this.directory = directory;
    }

    /**
     * Returns the upkeep of certificates that the replicas issue.
     *
     * @param names DNS names of the server
     */
    static Upkeep ofOwn(
            Shown shown, ReviewStats stats, List<String> names, CertificateStore store, Registration registration) {
        return new Upkeep(shown, stats, names, store, registration, null);
    }

    /** Returns the upkeep of certificates that another issues into a folder, as {@code tls.crt} and {@code tls.key}. */
    static Upkeep ofFiles(Shown shown, ReviewStats stats, Path directory) {
        return new Upkeep(shown, stats, List.of(), null, null, directory);
    }

    /** Returns the latest problem; empty once the server can be called. */
    synchronized String problem() {
        return showing != null && (registered || directory != null) ? "" : problem;
    }

    /** Does what is due; returns the milliseconds until the next turn. */
    long turn(long nowMs) {
        try {
            long nextMs = directory == null ? own(nowMs) : files(directory);
            note("");
            return nextMs;
        } catch (IOException | RuntimeException e) {
            stats.failed();
            note(String.valueOf(e.getMessage()));
            return RETRY_MS;
        }
    }

    private synchronized void note(String next) {
        if (!next.isEmpty() && !next.equals(problem)) {
            String kept = showing == null ? "not ready" : "keeping the certificate in use";
            Log.warn("injector: " + next + "; " + kept + ", trying again");
        } else if (next.isEmpty() && !problem.isEmpty()) {
            Log.info("injector: certificate and registration are current");
        }
        problem = next;
    }

    // ---- files

    private long files(Path from) throws IOException {
        Certificate found = new Certificate(text(from.resolve("tls.crt")), text(from.resolve("tls.key")));
        if (!found.equals(showing)) {
            show(found);
        }
        return LOOK_MS;
    }

    private static String text(Path file) throws IOException {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new IOException(file + " cannot be read", e);
        }
    }

    // ---- certificates of its own

    private long own(long nowMs) throws IOException {
        if (store == null || registration == null) {
            throw new IllegalStateException("no store");
        }
        CertificateSet current = agreed(store, nowMs);
        boolean changed = registration.keep(current.authority().pem());
        if (changed) {
            stats.registered();
            Log.info("injector: updated caBundle of the registration");
        }
        inUse = current;
        synchronized (this) {
            registered = true;
        }
        if (current.serving().equals(showing)) {
            return TURN_MS;
        }
        if (changed && showing != null) {
            // the one in use is trusted as well
            return HEARD_MS;
        }
        show(current.serving());
        return TURN_MS;
    }

    /** Returns the set that all replicas use from now on: the stored one, or another that was due and is stored now. */
    private CertificateSet agreed(CertificateStore from, long nowMs) throws IOException {
        for (int i = 0; i < ATTEMPTS; i++) {
            CertificateSet stored = from.read();
            CertificateSet next = due(stored, nowMs);
            if (next == null && stored != null) {
                return stored;
            }
            if (next != null && from.write(next)) {
                stats.issued();
                Log.info("injector: issued certificates; the other replicas take them from the Secret");
                return next;
            }
        }
        throw new IOException("the Secret was changed by others " + ATTEMPTS + " times in a row");
    }

    private @Nullable CertificateSet due(@Nullable CertificateSet stored, long nowMs) throws IOException {
        CertificateSet former = inUse;
        if (stored != null) {
            try {
                return stored.serving().equals(rejected)
                        ? new CertificateSet(stored.authority(), issuer.serving(stored.authority(), names, nowMs))
                        : stored.due(issuer, names, nowMs);
            } catch (IOException e) {
                Log.warn("injector: the Secret's certificates cannot be used: " + e.getMessage() + "; issuing others");
            }
        }
        CertificateSet first = CertificateSet.first(issuer, names, nowMs);
        // other replicas still show the former one
        return former == null ? first : first.trusting(former, nowMs);
    }

    private void show(Certificate certificate) throws IOException {
        try {
            shown.show(certificate.der(), PemText.key(certificate.key()));
        } catch (IOException e) {
            rejected = certificate;
            throw new IOException("the certificate cannot be used: " + e.getMessage(), e);
        }
        synchronized (this) {
            showing = certificate;
        }
        long untilMs = certificate.info().notAfterMs();
        stats.taken(untilMs);
        Log.info("injector: using a certificate for " + certificate.info().names() + " days-left="
                + certificate.info().daysLeft(System.currentTimeMillis()));
    }
}
