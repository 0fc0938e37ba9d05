package io.remora.http;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
import io.remora.config.HeaderPolicy;
import io.remora.config.HeaderPolicy.ForwardingMode;

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
    private final String scheme;

    /**
     * @param scheme that the listener serves, {@code http}
     */
    public Forwarding(HeaderPolicy policy, String scheme) {
        this.policy = policy;
        this.scheme = scheme;
    }

    /**
     * Edits the request's fields in place.
     *
     * @param client address without brackets or port
     */
    public void apply(RequestHead head, String client) {
        HttpHeaders fields = head.fields;
        boolean present = head.facts.forwarding;
        write(fields, present, Names.X_FORWARDED_FOR, policy.xForwardedFor(), client);
        write(fields, present, Names.X_FORWARDED_PROTO, policy.xForwardedProto(), scheme);
        write(fields, present, Names.X_FORWARDED_HOST, policy.xForwardedHost(), head.authority);
        if (policy.forwarded() != ForwardingMode.OFF) {
            write(fields, present, Names.FORWARDED, policy.forwarded(), forwarded(client, head.authority));
        }
    }

    private static void write(
            HttpHeaders fields, boolean present, AsciiString name, ForwardingMode mode, String element) {
        if (mode == ForwardingMode.OFF) {
            return;
        }
        if (!present) {
            fields.add(name, element);
        } else if (mode == ForwardingMode.REPLACE || !fields.contains(name)) {
            fields.set(name, element);
        } else {
            fields.set(name, String.join(", ", fields.getAll(name)) + ", " + element);
        }
    }

    private String forwarded(String client, String authority) {
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
