package io.remora.http;

import org.jspecify.annotations.Nullable;

/**
 * A request's head, of any version of HTTP: frontends make it, stages change it, backends write it.
 *
 * <p>Owner: the exchange's event loop; {@link #fields} is edited in place on its way to the backend.
 */
public class RequestHead {
    /** Octets of the lines that are usually added to a head on its way: Via, three fields of forwarding, a request id. */
    public static final int SPARE_OCTETS = 192;

    private static final String GRPC = "application/grpc";

    public final String method;
    /** Target in origin-form with its query, or {@code *}; never absolute. */
    public final Octets target;
    /** Authority of the request: a host, perhaps with a port. Validated, as received. */
    public final Octets authority;
    /** The version by which the message was received, as Via shows it: {@code 1.1}. */
    public final String protocol;

    public final Fields fields;
    private long bodyLength;
    /** The protocol that the client offers to go on with, null for none. */
    private @Nullable String upgrade;

    private boolean takesTrailers;
    /** Pseudo-fields that no table may have, as bits. */
    private byte neverIndexed;
    /**
     * Target that is sent instead of {@link #target}; null for the same. Likewise the next one for {@link #authority}.
     */
    private @Nullable Octets sentTarget;

    private @Nullable Octets sentAuthority;

    /**
     * @param bodyLength octets of the body, or {@link BodyLength#UNKNOWN}
     */
    public RequestHead(
            String method, Octets target, Octets authority, String protocol, Fields fields, long bodyLength) {
        this.method = method;
        this.target = target;
        this.authority = authority;
        this.protocol = protocol;
        this.fields = fields;
        this.bodyLength = bodyLength;
    }

    /**
     * Takes out the fields about the connection on which the request came, and keeps their content about the request
     * itself. To be called before the request is written anywhere; versions without such fields have nothing to do.
     */
    public void leaveConnection() {}

    /** The target as an endpoint is to get it. */
    public final Octets sentTarget() {
        return sentTarget == null ? target : sentTarget;
    }

    /** Authority as an endpoint is to see it. */
    public final Octets sentAuthority() {
        return sentAuthority == null ? authority : sentAuthority;
    }

    /** Sets another target for endpoints. */
    public final void sendTarget(Octets other) {
        sentTarget = other;
    }

    /** Sets another authority for endpoints. */
    public final void sendAuthority(Octets other) {
        sentAuthority = other;
        fields.set(FieldName.HOST, other);
    }

    /** Octets of the body, or {@link BodyLength#UNKNOWN}. */
    public final long bodyLength() {
        return bodyLength;
    }

    /** Forgets the length, as the body will be changed: its end shows only when it comes. */
    public final void forgetLength() {
        if (bodyLength != BodyLength.NONE) {
            bodyLength = BodyLength.UNKNOWN;
            fields.remove(FieldName.CONTENT_LENGTH);
        }
    }

    /**
     * States by Content-Length that there is no content, where the method gives content a meaning: some servers answer 411 otherwise. To be
     * called before the request is written in HTTP/1.1, which cannot say it in another way.
     *
     * <p>Spec: RFC 9110 8.6.
     */
    public final void stateNoContent() {
        if (bodyLength == BodyLength.NONE && expectsContent() && !fields.contains(FieldName.CONTENT_LENGTH)) {
            fields.add(FieldName.CONTENT_LENGTH, "0");
        }
    }

    private boolean expectsContent() {
        return switch (method) {
            case "POST", "PUT", "PATCH" -> true;
            default -> false;
        };
    }

    /**
     * The protocol that the client offers to go on with, should the backend agree, {@code websocket}; null for none. Known
     * once the request has left its connection.
     */
    public final @Nullable String upgrade() {
        return upgrade;
    }

    /** Returns whether a switch to {@link #upgrade} answers this request, as far as the sidecar can see. */
    public boolean isGrantedBy(ResponseHead answer) {
        return true;
    }

    protected final void offerUpgrade(String protocolName) {
        upgrade = protocolName;
    }

    /** Returns whether the client takes trailers (RFC 9110 10.1.4), as gRPC demands. Known as {@link #upgrade} is. */
    public final boolean takesTrailers() {
        return takesTrailers;
    }

    protected final void takeTrailers() {
        takesTrailers = true;
    }

    /**
     * Returns whether the client wants no table of HTTP/2 to have a pseudo-field.
     *
     * @param number of the field, as the codec has it
     */
    public final boolean isNeverIndexed(int number) {
        return (neverIndexed & 1 << number) != 0;
    }

    protected final void neverIndex(int pseudoFields) {
        neverIndexed = (byte) pseudoFields;
    }

    /** Takes over which pseudo-fields no table may have. */
    protected final void neverIndexAs(RequestHead other) {
        neverIndexed = other.neverIndexed;
    }

    /** Returns whether it came by a version of which a connection carries many requests at once. */
    public final boolean isMultiplexed() {
        return protocol.equals("2.0");
    }

    /** Returns whether it is a call of gRPC: a POST by HTTP/2 with the Content-Type of one. */
    public final boolean isGrpc() {
        return isMultiplexed() && method.equals("POST") && hasGrpcContent(fields);
    }

    /** Returns whether a message with these fields has content of gRPC. */
    public static boolean hasGrpcContent(Fields fields) {
        int line = fields.indexOf(FieldName.CONTENT_TYPE, 0);
        if (line < 0) {
            return false;
        }
        byte[] octets = fields.array();
        int at = fields.valueStart(line);
        int end = at + GRPC.length();
        if (end > fields.valueEnd(line)) {
            return false;
        }
        for (int i = 0; i < GRPC.length(); i++) {
            if (Octets.toLower(octets[at + i]) != GRPC.charAt(i)) {
                return false;
            }
        }
        // not application/grpc-web, whose statuses stand elsewhere
        return end == fields.valueEnd(line) || octets[end] == '+' || octets[end] == ';';
    }

    public final boolean isHead() {
        return method.equals("HEAD");
    }

    /** Returns whether sending it twice is as good as sending it once (RFC 9110 9.2.2). */
    public final boolean isIdempotent() {
        return switch (method) {
            case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE" -> true;
            default -> false;
        };
    }

    /** Returns where the path of a target ends and its query begins, or the target where there is none. */
    public static int endOfPath(Octets target) {
        int at = target.start;
        while (at < target.end && target.array[at] != '?') {
            at++;
        }
        return at;
    }

    /** The path without its query. */
    public final String path() {
        return path(target);
    }

    /** The path as an endpoint is to get it, without its query; empty for {@code *}. */
    public final String sentPath() {
        String path = path(sentTarget());
        return path.equals("*") ? "" : path;
    }

    private static String path(Octets of) {
        String whole = of.toString();
        int query = whole.indexOf('?');
        return query < 0 ? whole : whole.substring(0, query);
    }
}
