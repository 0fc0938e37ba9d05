package io.remora.tls;

import io.remora.config.model.LogComponent;
import io.remora.log.Log;
import io.remora.tls.config.ClusterTls;
import io.remora.tls.config.ListenerTls;
import io.remora.tls.config.TlsCertificate;
import io.remora.tls.config.TlsFile;
import io.remora.tls.config.TlsPlaces;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The certificates, keys and trust of a listener or a cluster, read from its files at one time.
 *
 * <p>Owner: one thread at a time.
 *
 * @param context that uses it
 * @param own certificates
 * @param lists of revoked certificates, null for none
 * @param counts a line for each set of certificates that it trusts
 * @param unused a line for each file with blocks that it has no use for
 */
record TlsMaterial(
        TlsContext context,
        List<OwnCertificate> own,
        @Nullable RevocationSet lists,
        List<String> counts,
        List<String> unused) {
    private static final long MS_PER_S = 1_000;

    /** Returns when the first of its own certificates expires, in seconds since the epoch; 0 where it has none. */
    long expiresSeconds() {
        long firstMs = own.isEmpty() ? 0 : Long.MAX_VALUE;
        for (OwnCertificate certificate : own) {
            firstMs = Math.min(firstMs, certificate.expiresMs());
        }
        return firstMs / MS_PER_S;
    }

    /** Returns when the first of its revocation lists is outdated, in seconds since the epoch; 0 where it has none. */
    long listsExpireSeconds() {
        return lists == null ? 0 : lists.expiresSeconds();
    }

    /** Logs the material as the one in use from now on. */
    void tell(long nowMs) {
        for (OwnCertificate certificate : own) {
            certificate.tell(nowMs);
        }
        for (String line : unused) {
            Log.info(LogComponent.TLS, line);
        }
        if (lists != null) {
            lists.tell(nowMs);
        }
    }

    /**
     * Returns the text of a certificate or list that is not valid at that time, where the one in use is; null for none.
     *
     * @param used of the same listener or cluster, so that it has as many certificates
     */
    @Nullable
    String worseThan(TlsMaterial used, long nowMs) {
        for (int i = 0; i < own.size(); i++) {
            if (!own.get(i).isValidAt(nowMs) && used.own.get(i).isValidAt(nowMs)) {
                return own.get(i).text(nowMs);
            }
        }
        RevocationSet given = used.lists;
        if (lists != null && given != null && !lists.areCurrentAt(nowMs) && given.areCurrentAt(nowMs)) {
            return String.join("; ", lists.text(nowMs));
        }
        return null;
    }

    /** Warns of certificates and lists that expire soon, or are not valid now; at most once a day. */
    void warn(long nowMs) {
        for (OwnCertificate certificate : own) {
            String warning = certificate.warning(nowMs);
            if (warning != null) {
                Log.warn(LogComponent.TLS, warning);
            }
        }
        if (lists != null) {
            lists.warn(nowMs);
        }
    }

    /**
     * Returns a line for each certificate that it shows, each set that it trusts, each revocation list, and each file
     * with unused blocks.
     */
    List<String> text(long nowMs) {
        List<String> text = new ArrayList<>();
        for (OwnCertificate certificate : own) {
            text.add(certificate.text(nowMs));
        }
        text.addAll(counts);
        if (lists != null) {
            text.addAll(lists.text(nowMs));
        }
        text.addAll(unused);
        return text;
    }

    /** The files of a listener's or cluster's material, read now and at each of their changes. Thread safe. */
    abstract static class Source {
        final TlsProvider provider;
        private final String name;

        /**
         * @param name for logs, such as {@code listener in}
         */
        Source(TlsProvider provider, String name) {
            this.provider = provider;
            this.name = name;
        }

        final String name() {
            return name;
        }

        /** Every file that is read. */
        abstract List<String> paths();

        /** Returns the places of these settings in the configuration. */
        abstract TlsPlaces places();

        /**
         * Reads, parses and pairs all of its files; null where there is a problem, which the materials have then.
         *
         * @throws TlsException where the provider cannot do what they come to
         */
        abstract @Nullable TlsMaterial made(Materials materials) throws TlsException;

        /** Reads as {@link #made} does, with the provider's problem among the others. */
        final @Nullable TlsMaterial read(Materials materials) {
            String problem;
            String key = "";
            try {
                return made(materials);
            } catch (TlsException e) {
                key = e.key();
                problem = e.problem();
            } catch (RuntimeException e) {
                // libraries reject values and files that they cannot use by exceptions that nobody has to declare
                problem = e.toString();
            }
            materials.problem(places(), key, "TLS by " + provider.name() + ": " + problem);
            return null;
        }

        /**
         * @throws IOException that begins with the name and says what is wrong with which file or key
         */
        TlsMaterial read() throws IOException {
            Materials materials = new Materials(provider, "");
            TlsMaterial read = read(materials);
            if (read == null) {
                throw new IOException(name + ": " + materials.problems().get(0).message());
            }
            return read;
        }

        final TlsMaterial material(
                TlsContext context, List<OwnCertificate> own, @Nullable RevocationSet lists, PemFiles read) {
            return new TlsMaterial(context, own, lists, named(read.counts()), named(read.unused()));
        }

        private List<String> named(List<String> lines) {
            List<String> named = new ArrayList<>(lines.size());
            for (String line : lines) {
                named.add(name + ": " + line);
            }
            return List.copyOf(named);
        }

        final List<OwnCertificate> own(List<TlsCertificate> configured, List<Credentials> read) {
            List<OwnCertificate> own = new ArrayList<>();
            for (int i = 0; i < read.size(); i++) {
                own.add(new OwnCertificate(name, configured.get(i), read, i));
            }
            return List.copyOf(own);
        }
    }

    /** The files of a listener. */
    static final class OfListener extends Source {
        private final ListenerTls tls;

        OfListener(TlsProvider provider, String name, ListenerTls tls) {
            super(provider, name);
            this.tls = tls;
        }

        @Override
        List<String> paths() {
            return Materials.paths(tls);
        }

        @Override
        TlsPlaces places() {
            return tls.places();
        }

        @Override
        @Nullable
        TlsMaterial made(Materials materials) throws TlsException {
            ServerSettings settings = materials.server(tls);
            if (settings == null) {
                return null;
            }
            List<OwnCertificate> own = own(tls.certificates(), settings.credentials());
            return material(provider.server(settings), own, lists(settings.clientAuth()), materials.takeFiles());
        }

        private @Nullable RevocationSet lists(@Nullable ClientAuth auth) {
            TlsFile crl = tls.crl();
            return crl == null || auth == null ? null : new RevocationSet(name(), crl, auth.revoked(), auth.trust());
        }
    }

    /** The files of a cluster. */
    static final class OfCluster extends Source {
        private final ClusterTls tls;

        OfCluster(TlsProvider provider, String name, ClusterTls tls) {
            super(provider, name);
            this.tls = tls;
        }

        @Override
        List<String> paths() {
            return Materials.paths(tls);
        }

        @Override
        TlsPlaces places() {
            return tls.places();
        }

        @Override
        @Nullable
        TlsMaterial made(Materials materials) throws TlsException {
            ClientSettings settings = materials.client(tls);
            if (settings == null) {
                return null;
            }
            TlsCertificate configured = tls.certificate();
            Credentials read = settings.credentials();
            List<OwnCertificate> own =
                    configured == null || read == null ? List.of() : own(List.of(configured), List.of(read));
            return material(provider.client(settings), own, lists(settings), materials.takeFiles());
        }

        private @Nullable RevocationSet lists(ClientSettings settings) {
            TlsFile crl = tls.crl();
            List<byte[]> trust = settings.trust();
            return crl == null
                    ? null
                    : new RevocationSet(name(), crl, settings.revoked(), trust == null ? List.of() : trust);
        }
    }
}
