package io.remora.tls;

import io.remora.config.ClusterTls;
import io.remora.config.ListenerTls;
import io.remora.config.TlsCertificate;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a listener, or a cluster, shows and trusts, read from its files at one time. Immutable.
 *
 * @param context that goes by it
 * @param own certificates
 */
record TlsMaterial(TlsContext context, List<OwnCertificate> own) {
    private static final long MS_PER_S = 1_000;

    /** When the first of its own certificates expires, since the epoch; 0 where it has none. */
    long expiresSeconds() {
        long firstMs = own.isEmpty() ? 0 : Long.MAX_VALUE;
        for (OwnCertificate certificate : own) {
            firstMs = Math.min(firstMs, certificate.expiresMs());
        }
        return firstMs / MS_PER_S;
    }

    /** The first of its own certificates that has expired, null for none. */
    @Nullable
    OwnCertificate expired(long nowMs) {
        for (OwnCertificate certificate : own) {
            if (certificate.expiresMs() < nowMs) {
                return certificate;
            }
        }
        return null;
    }

    /** Where it is read from, now and whenever the files have changed. Thread safe. */
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

        /** Every file that {@link #read} reads. */
        abstract List<String> paths();

        /**
         * Reads, parses and pairs all of its files.
         *
         * @throws IOException that begins with the name and says what is wrong with which file
         */
        abstract TlsMaterial read() throws IOException;

        final OwnCertificate own(TlsCertificate configured, Credentials read) {
            return new OwnCertificate(name, configured, read);
        }

        final IOException unusable(Materials materials) {
            return new IOException(name + ": " + materials.problems().get(0).message());
        }

        final IOException refused(TlsException cause) {
            return new IOException(name + ": TLS by " + provider.name() + ": " + cause.getMessage(), cause);
        }
    }

    /** Of a listener. */
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
        TlsMaterial read() throws IOException {
            Materials materials = new Materials(provider, "");
            ServerSettings settings = materials.server(tls);
            if (settings == null) {
                throw unusable(materials);
            }
            List<OwnCertificate> own = new ArrayList<>();
            for (int i = 0; i < settings.credentials().size(); i++) {
                own.add(own(tls.certificates().get(i), settings.credentials().get(i)));
            }
            try {
                return new TlsMaterial(provider.server(settings), List.copyOf(own));
            } catch (TlsException e) {
                throw refused(e);
            }
        }
    }

    /** Of a cluster. */
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
        TlsMaterial read() throws IOException {
            Materials materials = new Materials(provider, "");
            ClientSettings settings = materials.client(tls);
            if (settings == null) {
                throw unusable(materials);
            }
            TlsCertificate configured = tls.certificate();
            @Nullable Credentials read = settings.credentials();
            List<OwnCertificate> own = configured == null || read == null ? List.of() : List.of(own(configured, read));
            try {
                return new TlsMaterial(provider.client(settings), own);
            } catch (TlsException e) {
                throw refused(e);
            }
        }
    }
}
