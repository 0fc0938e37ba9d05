package io.remora.tls;

import java.util.List;

/**
 * The expected names of an endpoint, one of which has to be among the subject alternative names of its certificate.
 * Common names are not looked at (RFC 9110 4.3.4).
 *
 * <p>Immutable. Spec: RFC 6125 6.4 for DNS names (a wildcard is the whole leftmost label, and stands for one label).
 * X.509-SVID for URIs, which are compared octet by octet and must be the only URI of the certificate.
 */
public final class PeerNames {
    private final List<String> dns;
    private final List<String> uris;

    /**
     * @param dns without a wildcard, in lower case
     * @param uris exact
     */
    public PeerNames(List<String> dns, List<String> uris) {
        this.dns = List.copyOf(dns);
        this.uris = List.copyOf(uris);
    }

    public List<String> dns() {
        return dns;
    }

    public List<String> uris() {
        return uris;
    }

    /**
     * @param certificate in DER
     * @throws TlsException {@link TlsFailure#CERTIFICATE_NAME} where it is somebody else's
     */
    public void verify(byte[] certificate) throws TlsException {
        SubjectNames names = SubjectNames.of(certificate);
        if (!names.matchesAny(dns) && !names.isOneUriOf(uris)) {
            throw new TlsException(TlsFailure.CERTIFICATE_NAME, "it has " + names + ", expected " + this);
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (String name : dns) {
            text.append(text.length() == 0 ? "" : " or ").append("DNS:").append(name);
        }
        for (String uri : uris) {
            text.append(text.length() == 0 ? "" : " or ").append("URI:").append(uri);
        }
        return text.toString();
    }
}
