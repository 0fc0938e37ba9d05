package io.remora.http;

import io.remora.config.model.HeaderPolicy;
import io.remora.config.model.HeaderPolicy.ForwardingMode;
import io.remora.text.Ascii;
import org.jspecify.annotations.Nullable;

/**
 * Tells the backend who the client is, its certificate, and the scheme and the authority of its request.
 *
 * <p>Appending puts this hop's element behind those that are there: a list of hops, the nearest last. Several lines of
 * a field become one.
 *
 * <p>Spec: RFC 7239 for Forwarded; the X-Forwarded fields have none.
 */
public final class Forwarding {
    private static final byte[] X_FORWARDED = Octets.of("x-forwarded-").array;

    private final HeaderPolicy policy;
    /** Name of a peer without an address, such as one on a Unix socket (RFC 7239 section 6.2). */
    private static final String UNKNOWN = "unknown";

    private final boolean believes;

    /**
     * @param believes whether any client is trusted; the fields of the others have been dropped by now
     */
    public Forwarding(HeaderPolicy policy, boolean believes) {
        this.policy = policy;
        this.believes = believes;
    }

    /** Drops the forwarding fields of a client that is not trusted. */
    public static void drop(Fields fields) {
        fields.remove(FieldName.FORWARDED);
        fields.removePrefixed(X_FORWARDED);
    }

    /**
     * Edits the request's fields in place.
     *
     * @param peer address of this hop's client, without brackets or port
     * @param client the same of the client whom believed hops name, or the peer
     * @param scheme by which the peer came, {@code http} or {@code https}
     */
    public void apply(RequestHead head, String peer, String client, String scheme) {
        Fields fields = head.fields;
        write(fields, FieldName.X_FORWARDED_FOR, policy.xForwardedFor(), node(policy.xForwardedFor(), peer, client));
        write(fields, FieldName.X_FORWARDED_PROTO, policy.xForwardedProto(), scheme);
        writeHost(fields, head.authority);
        if (policy.forwarded() != ForwardingMode.OFF) {
            write(
                    fields,
                    FieldName.FORWARDED,
                    policy.forwarded(),
                    forwarded(node(policy.forwarded(), peer, client), head.authority.toString(), scheme));
        }
    }

    // most requests have no such field yet, and need no text of their authority
    private void writeHost(Fields fields, Octets authority) {
        ForwardingMode mode = policy.xForwardedHost();
        if (mode != ForwardingMode.OFF && !fields.contains(FieldName.X_FORWARDED_HOST)) {
            fields.add(FieldName.X_FORWARDED_HOST, authority);
        } else {
            write(fields, FieldName.X_FORWARDED_HOST, mode, authority.toString());
        }
    }

    /**
     * Writes X-Forwarded-Client-Cert; a value that is not trusted never passes.
     *
     * @param certificate what the field says of the peer's, null where it has shown none
     */
    public void applyCertificate(Fields fields, @Nullable String certificate) {
        if (!believes || policy.xForwardedClientCert() != ForwardingMode.APPEND) {
            fields.remove(FieldName.X_FORWARDED_CLIENT_CERT);
        }
        if (certificate != null) {
            write(fields, FieldName.X_FORWARDED_CLIENT_CERT, policy.xForwardedClientCert(), certificate);
        }
    }

    /** Returns whether the backend gets the peer's certificate. */
    public boolean tellsCertificate() {
        return policy.xForwardedClientCert() != ForwardingMode.SANITIZE;
    }

    // a list goes on where the peer left off; what stands alone is the client
    private static String node(ForwardingMode mode, String peer, String client) {
        String node = mode == ForwardingMode.REPLACE ? client : peer;
        return node.isEmpty() ? UNKNOWN : node;
    }

    private static void write(Fields fields, FieldName name, ForwardingMode mode, String element) {
        if (mode == ForwardingMode.OFF) {
            return;
        }
        if (!fields.contains(name)) {
            fields.add(name, element);
        } else if (mode == ForwardingMode.REPLACE) {
            fields.set(name, element);
        } else {
            fields.set(name, String.join(", ", fields.getAll(name)) + ", " + element);
        }
    }

    private static String forwarded(String client, String authority, String scheme) {
        boolean ipv6 = client.indexOf(':') >= 0;
        return "for=" + (ipv6 ? "\"[" + client + "]\"" : client) + ";host=" + quoted(authority) + ";proto=" + scheme;
    }

    // RFC 7239 section 4: a value that is not a token is a quoted string; an authority holds no quote or backslash
    private static String quoted(String authority) {
        for (int i = 0; i < authority.length(); i++) {
            if (!Ascii.isTokenCharacter(authority.charAt(i))) {
                return '"' + authority + '"';
            }
        }
        return authority;
    }
}
