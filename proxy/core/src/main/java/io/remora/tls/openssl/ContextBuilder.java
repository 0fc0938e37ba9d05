package io.remora.tls.openssl;

import io.remora.tls.Credentials;
import io.remora.tls.PeerNames;
import io.remora.tls.TlsException;
import io.remora.tls.TlsFailure;
import io.remora.tls.TlsParameters;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Fills a context of OpenSSL; each problem is an exception. Closing it releases the context, unless it was taken.
 *
 * <p>Owner: one thread.
 */
final class ContextBuilder implements AutoCloseable {
    private static final int TLS_1_2 = 0x0303;
    private static final int TLS_1_3 = 0x0304;

    private long context;

    ContextBuilder(boolean server) throws TlsException {
        context = OpenSsl.newContext(server);
        if (context == 0) {
            throw new TlsException(TlsFailure.INTERNAL, "no memory for a context");
        }
    }

    long context() {
        return context;
    }

    /** Hands the context over to the caller. */
    long take() {
        long taken = context;
        context = 0;
        return taken;
    }

    void agreeOn(TlsParameters protocols) throws TlsException {
        boolean older = protocols.versions().contains("TLSv1.2");
        boolean newer = protocols.versions().contains("TLSv1.3");
        check(
                "min-version",
                "versions",
                OpenSsl.versions(context, older ? TLS_1_2 : TLS_1_3, newer ? TLS_1_3 : TLS_1_2));
        check("ciphers", "cipher suites", OpenSsl.ciphers(context, joined(protocols.cipherSuites())));
        check("groups", "groups", OpenSsl.groups(context, joined(protocols.groups())));
        if (!protocols.alpn().isEmpty()) {
            check("", "ALPN", OpenSsl.protocols(context, lengthsAndNames(protocols.alpn())));
        }
    }

    void show(Credentials credentials) throws TlsException {
        List<byte[]> chain = credentials.chain();
        for (int i = 0; i < chain.size(); i++) {
            check("chain", "certificate " + (i + 1), OpenSsl.certificate(context, chain.get(i), i == 0));
        }
        check("key", "key", OpenSsl.key(context, credentials.key()));
    }

    void trust(List<byte[]> certificates) throws TlsException {
        for (int i = 0; i < certificates.size(); i++) {
            check("trust", "trusted certificate " + (i + 1), OpenSsl.trust(context, certificates.get(i)));
        }
    }

    void refuse(List<byte[]> revoked) throws TlsException {
        for (int i = 0; i < revoked.size(); i++) {
            check("crl", "revocation list " + (i + 1), OpenSsl.list(context, revoked.get(i)));
        }
    }

    void ask(boolean required) {
        OpenSsl.ask(context, required);
    }

    void expect(PeerNames peer) throws TlsException {
        for (String name : peer.dns()) {
            check("peer-names", name, OpenSsl.host(context, name));
        }
        for (String uri : peer.uris()) {
            check("peer-names", uri, OpenSsl.uri(context, uri));
        }
        if (peer.dns().isEmpty() && peer.uris().isEmpty()) {
            throw TlsException.unusable("peer-names", "no name is expected");
        }
    }

    void serve(List<String> names, ContextBuilder answers) throws TlsException {
        for (String name : names) {
            check("certificates", name, OpenSsl.serve(context, name, answers.context));
        }
    }

    void resume(int id, int lifetimeS) throws TlsException {
        check("", "resumption", OpenSsl.resume(context, id, lifetimeS));
    }

    private static void check(String key, String what, @Nullable String problem) throws TlsException {
        if (problem != null) {
            throw TlsException.unusable(key, what + ": " + problem);
        }
    }

    private static String joined(List<String> names) {
        return String.join(":", names);
    }

    private static byte[] lengthsAndNames(List<String> names) {
        ByteArrayOutputStream octets = new ByteArrayOutputStream();
        for (String name : names) {
            byte[] one = name.getBytes(StandardCharsets.ISO_8859_1);
            octets.write(one.length);
            octets.write(one, 0, one.length);
        }
        return octets.toByteArray();
    }

    @Override
    public void close() {
        if (context != 0) {
            OpenSsl.releaseContext(context);
            context = 0;
        }
    }
}
