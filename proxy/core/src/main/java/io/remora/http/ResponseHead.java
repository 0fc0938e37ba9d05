package io.remora.http;

import org.jspecify.annotations.Nullable;

/**
 * A response's head, of any version of HTTP, interim or final, without fields about the connection.
 *
 * <p>Owner: the exchange's event loop; {@link #fields} is edited in place on its way to the client.
 */
public final class ResponseHead {
    /** Field lines of a section: each takes more of the heap than its octets, which have a bound of their own. */
    public static final int MAX_FIELDS = 1_000;

    private static final int SWITCHING_PROTOCOLS = 101;

    public final int status;
    /** Reason phrase as HTTP/1 sends it, perhaps empty; null for the usual one. */
    public final @Nullable Octets reason;

    public final Fields fields;
    /** The version by which the message was received, as Via shows it: {@code 1.1}. */
    public final String protocol;

    private long bodyLength;
    private @Nullable String demandedUpgrade;

    /**
     * @param bodyLength octets of the body, or {@link BodyLength#UNKNOWN}; {@link BodyLength#NONE} where the status or the
     *     request's method forbids one
     */
    public ResponseHead(int status, @Nullable Octets reason, Fields fields, long bodyLength) {
        this(status, reason, fields, bodyLength, "1.1");
    }

    /** Creates the head of a message that came by another version than 1.1. */
    public ResponseHead(int status, @Nullable Octets reason, Fields fields, long bodyLength, String protocol) {
        this.status = status;
        this.reason = reason;
        this.fields = fields;
        this.protocol = protocol;
        this.bodyLength = bodyLength;
    }

    /** Octets of the body, or {@link BodyLength#UNKNOWN}. */
    public long bodyLength() {
        return bodyLength;
    }

    public void bodyLength(long octets) {
        bodyLength = octets;
    }

    /** Returns the protocols of which a 426 demands one, null for none (RFC 9110 15.5.22). Versions without upgrades have no word for it. */
    public @Nullable String demandedUpgrade() {
        return demandedUpgrade;
    }

    public void demandUpgrade(String protocols) {
        demandedUpgrade = protocols;
    }

    /** Forgets the length, as the body will be changed: its end shows only when it comes. */
    public void forgetLength() {
        if (bodyLength != BodyLength.NONE) {
            bodyLength = BodyLength.UNKNOWN;
            fields.remove(FieldName.CONTENT_LENGTH);
        }
    }

    /** Returns whether another response follows, or the connection is switched. */
    public boolean isInterim() {
        return status < 200;
    }

    /** Returns whether the connection turns into a tunnel (RFC 9110 15.2.2). */
    public boolean isSwitch() {
        return status == SWITCHING_PROTOCOLS;
    }

    /** Returns whether a message with this status never has a body (RFC 9110 6.4.1). */
    public static boolean neverHasBody(int status) {
        return status < 200 || status == 204 || status == 304;
    }
}
