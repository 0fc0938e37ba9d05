package io.remora.config.text;

import io.remora.config.keys.ClusterTlsKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerTlsKeys;
import io.remora.config.model.ClusterTls;
import io.remora.config.model.ListenerTls;
import io.remora.config.model.TlsCertificate;
import io.remora.config.model.TlsFile;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The {@code tls} of listeners and clusters for {@link ConfigText}. Paths are shown, never what is in their files. */
final class TlsText {
    private final ConfigText text;

    TlsText(ConfigText text) {
        this.text = text;
    }

    void listener(ListenerTls tls) {
        text.put(ListenerTlsKeys.MODE, tls.mode());
        text.section(ListenerTlsKeys.CERTIFICATES);
        for (TlsCertificate certificate : tls.certificates()) {
            text.item(ListenerTlsKeys.CHAIN, certificate.chain().path());
            text.text(ListenerTlsKeys.KEY, certificate.key().path());
            optional(ListenerTlsKeys.PASS_PHRASE_FILE, certificate.passPhrase());
        }
        text.text(ListenerTlsKeys.MIN_VERSION, tls.protocols().minVersion());
        text.list(ListenerTlsKeys.CIPHERS, tls.protocols().ciphers(), ListenerTlsKeys.CIPHERS.fallbackText());
        text.list(ListenerTlsKeys.GROUPS, tls.protocols().groups(), ListenerTlsKeys.GROUPS.fallbackText());
        text.put(ListenerTlsKeys.CLIENT_CERTIFICATES, tls.clientCertificates());
        optional(ListenerTlsKeys.TRUST, tls.trust());
        optional(ListenerTlsKeys.CRL, tls.crl());
        text.put(ListenerTlsKeys.HANDSHAKE_TIMEOUT, tls.handshakeTimeoutNs());
        text.put(ListenerTlsKeys.HANDSHAKES_IN_FLIGHT, tls.maxHandshakes());
    }

    void cluster(ClusterTls tls) {
        TlsFile trust = tls.trust();
        text.text(ClusterTlsKeys.TRUST, trust == null ? ClusterTlsKeys.TRUST.fallbackText() : trust.path());
        optional(ClusterTlsKeys.CRL, tls.crl());
        text.optional(ClusterTlsKeys.SERVER_NAME, tls.serverName());
        List<String> names = new ArrayList<>(tls.dnsNames());
        names.addAll(tls.uris());
        if (!names.isEmpty()) {
            text.list(ClusterTlsKeys.PEER_NAMES, names, "");
        }
        text.put(ClusterTlsKeys.INSECURE_SKIP_VERIFICATION, !tls.verified());
        TlsCertificate certificate = tls.certificate();
        if (certificate != null) {
            text.section(ClusterTlsKeys.CERTIFICATE);
            text.text(ClusterTlsKeys.CHAIN, certificate.chain().path());
            text.text(ClusterTlsKeys.KEY, certificate.key().path());
            optional(ClusterTlsKeys.PASS_PHRASE_FILE, certificate.passPhrase());
        }
        text.text(ClusterTlsKeys.MIN_VERSION, tls.protocols().minVersion());
        text.list(ClusterTlsKeys.CIPHERS, tls.protocols().ciphers(), ClusterTlsKeys.CIPHERS.fallbackText());
        text.list(ClusterTlsKeys.GROUPS, tls.protocols().groups(), ClusterTlsKeys.GROUPS.fallbackText());
    }

    private void optional(Key key, @Nullable TlsFile file) {
        if (file != null) {
            text.text(key, file.path());
        }
    }
}
