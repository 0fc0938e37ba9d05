package io.remora.http;

import io.remora.config.HeaderPolicy;
import io.remora.config.HeaderPolicy.ForwardingMode;
import io.remora.text.Ascii;

/**
 * Tells the backend who asked, by which scheme and under which name.
 *
 * <p>Appending puts this hop's element behind those that are there: a list of hops, the nearest last. Several lines of
 * a field become one.
 *
 * <p>Spec: RFC 7239 for Forwarded; the X-Forwarded fields have none.
 */
public final class Forwarding {
    private final HeaderPolicy policy;

    public Forwarding(HeaderPolicy policy) {
        this.policy = policy;
    }

    /**
     * Edits the request's fields in place.
     *
     * @param client address without brackets or port
     * @param scheme by which the client came, {@code http} or {@code https}
     */
    public void apply(RequestHead head, String client, String scheme) {
        Fields fields = head.fields;
        write(fields, FieldName.X_FORWARDED_FOR, policy.xForwardedFor(), client);
        write(fields, FieldName.X_FORWARDED_PROTO, policy.xForwardedProto(), scheme);
        write(fields, FieldName.X_FORWARDED_HOST, policy.xForwardedHost(), head.authority.toString());
        if (policy.forwarded() != ForwardingMode.OFF) {
            write(
                    fields,
                    FieldName.FORWARDED,
                    policy.forwarded(),
                    forwarded(client, head.authority.toString(), scheme));
        }
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
