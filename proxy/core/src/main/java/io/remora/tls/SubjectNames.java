package io.remora.tls;

import io.remora.text.Ascii;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The subject alternative names of a certificate that identify a peer: DNS names and URIs. Immutable.
 *
 * <p>Spec: RFC 5280 4.1, 4.2.1.6. A name with octets that such a name cannot have is kept out, so that it matches nothing.
 */
public final class SubjectNames {
    private static final byte[] ALTERNATIVE_NAME = {0x55, 0x1d, 0x11};
    private static final int VERSION = 0xa0;
    private static final int EXTENSIONS = 0xa3;
    private static final int DNS = 0x82;
    private static final int URI = 0x86;

    private final List<String> dns = new ArrayList<>();
    private final List<String> uris = new ArrayList<>();
    private int uriCount;

    private SubjectNames() {}

    /**
     * @param certificate in DER
     * @throws TlsException where it is none
     */
    public static SubjectNames of(byte[] certificate) throws TlsException {
        SubjectNames names = new SubjectNames();
        Der tbs = Der.of(certificate)
                .expect(Der.SEQUENCE)
                .inside()
                .expect(Der.SEQUENCE)
                .inside();
        if (tbs.peek() == VERSION) {
            tbs.next();
        }
        while (tbs.hasMore()) {
            if (tbs.next() == EXTENSIONS) {
                names.readExtensions(tbs.inside().expect(Der.SEQUENCE).inside());
            }
        }
        return names;
    }

    private void readExtensions(Der extensions) throws TlsException {
        while (extensions.hasMore()) {
            Der extension = extensions.expect(Der.SEQUENCE).inside();
            boolean wanted = Arrays.equals(extension.expect(Der.OBJECT).content(), ALTERNATIVE_NAME);
            while (wanted && extension.hasMore()) {
                // whether it is critical stands between
                if (extension.next() == Der.OCTET_STRING) {
                    readNames(extension.inside().expect(Der.SEQUENCE).inside());
                }
            }
        }
    }

    private void readNames(Der names) throws TlsException {
        while (names.hasMore()) {
            int tag = names.next();
            if (tag == DNS || tag == URI) {
                byte[] octets = names.content();
                uriCount += tag == URI ? 1 : 0;
                String text = new String(octets, StandardCharsets.ISO_8859_1);
                if (tag == DNS ? isHostName(octets) : isVisible(octets)) {
                    (tag == DNS ? dns : uris).add(tag == DNS ? text.toLowerCase(Locale.ROOT) : text);
                }
            }
        }
    }

    /**
     * Returns whether a name can be a host's. A text that could be a URI or a list is none, no matter which authority
     * has signed it.
     */
    private static boolean isHostName(byte[] octets) {
        for (byte octet : octets) {
            if (!Ascii.isAlphanumeric((char) octet) && "-._*".indexOf(octet) < 0) {
                return false;
            }
        }
        return octets.length > 0;
    }

    private static boolean isVisible(byte[] octets) {
        for (byte octet : octets) {
            if (octet <= ' ' || octet > '~') {
                return false;
            }
        }
        return octets.length > 0;
    }

    /** Returns the DNS names in lower case, wildcards among them. */
    public List<String> dns() {
        return List.copyOf(dns);
    }

    public List<String> uris() {
        return List.copyOf(uris);
    }

    /** Returns the certificate's subject in one text: its only URI, else its first DNS name, else empty. */
    public String identity() {
        if (uriCount == 1 && uris.size() == 1) {
            return uris.get(0);
        }
        return uriCount > 0 || dns.isEmpty() ? "" : dns.get(0);
    }

    /** Returns the identity of the peer that showed this chain; empty for none. */
    static String identityOf(byte[][] chain) {
        try {
            return chain.length == 0 ? "" : of(chain[0]).identity();
        } catch (TlsException e) {
            return "";
        }
    }

    /** Returns whether one of the host names, in lower case, is one of its DNS names. */
    boolean matchesAny(List<String> hosts) {
        for (String host : hosts) {
            for (String name : dns) {
                if (matches(name, host)) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Returns whether a certificate's DNS name, in lower case, stands for a host: as an equal name, or as a wildcard
     * for its first label.
     */
    static boolean matches(String name, String host) {
        if (!name.startsWith("*.")) {
            return name.equals(host);
        }
        int dot = host.indexOf('.');
        boolean deep = name.indexOf('.', 2) > 0 && name.indexOf('*', 1) < 0;
        return deep && dot > 0 && name.length() - 1 == host.length() - dot && host.endsWith(name.substring(1));
    }

    /** Returns whether its only URI is one of these, octet by octet. */
    boolean isOneUriOf(List<String> expected) {
        return uriCount == 1 && uris.size() == 1 && expected.contains(uris.get(0));
    }

    @Override
    public String toString() {
        if (dns.isEmpty() && uriCount == 0) {
            return "no DNS name and no URI";
        }
        StringBuilder text = new StringBuilder();
        for (String name : dns) {
            text.append(text.length() == 0 ? "DNS:" : ", DNS:").append(name);
        }
        for (String uri : uris) {
            text.append(text.length() == 0 ? "URI:" : ", URI:").append(uri);
        }
        return text.toString();
    }
}
