package io.remora.http;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The status of a gRPC call by its number, and the fields that have it. Loaded only where calls are looked for.
 * Immutable.
 *
 * <p>Spec: gRPC's status codes, and its protocol over HTTP/2 for the fields.
 */
public enum GrpcStatus {
    OK,
    CANCELLED,
    UNKNOWN,
    INVALID_ARGUMENT,
    DEADLINE_EXCEEDED,
    NOT_FOUND,
    ALREADY_EXISTS,
    PERMISSION_DENIED,
    RESOURCE_EXHAUSTED,
    FAILED_PRECONDITION,
    ABORTED,
    OUT_OF_RANGE,
    UNIMPLEMENTED,
    INTERNAL,
    UNAVAILABLE,
    DATA_LOSS,
    UNAUTHENTICATED;

    public static final String CONTENT_TYPE = "application/grpc";
    /** Label of a call without a status, such as one that its client gave up. */
    public static final String NONE = "none";

    public static final FieldName STATUS = FieldName.of("grpc-status");
    public static final FieldName MESSAGE = FieldName.of("grpc-message");

    private static final GrpcStatus[] ALL = values();

    private final String label = name().toLowerCase(Locale.ROOT).replace('_', '-');

    /** Returns the label in the configuration and metrics: {@code deadline-exceeded}. */
    public String label() {
        return label;
    }

    /** Returns the number as {@code grpc-status} has it. */
    @SuppressWarnings("EnumOrdinal") // the numbers are gRPC's, from 0 on, each in its place
    public String code() {
        return Integer.toString(ordinal());
    }

    /** The labels of all, and {@link #NONE}. */
    public static String[] labels() {
        String[] labels = new String[ALL.length + 1];
        for (int i = 0; i < ALL.length; i++) {
            labels[i] = ALL[i].label;
        }
        labels[ALL.length] = NONE;
        return labels;
    }

    /** Returns the status with this label; null for none. */
    public static @Nullable GrpcStatus named(String label) {
        for (GrpcStatus one : ALL) {
            if (one.label.equals(label)) {
                return one;
            }
        }
        return null;
    }

    /**
     * Returns the status in a head's fields or in trailers; null where there is none. A number that is none is {@link
     * #UNKNOWN}.
     */
    public static @Nullable GrpcStatus in(@Nullable Fields fields) {
        int line = fields == null ? -1 : fields.indexOf(STATUS, 0);
        if (fields == null || line < 0) {
            return null;
        }
        long code = Octets.decimal(fields.array(), fields.valueStart(line), fields.valueEnd(line));
        return code >= 0 && code < ALL.length ? ALL[(int) code] : UNKNOWN;
    }

    /**
     * Returns whether it is the endpoint's failure, as a status of 500 and above is, rather than an answer to the
     * request.
     */
    public boolean isEndpoints() {
        return switch (this) {
            // not a deadline that is over: it was the caller's
            case UNKNOWN, INTERNAL, UNAVAILABLE, DATA_LOSS -> true;
            default -> false;
        };
    }

    /** Returns the status for a failure of the sidecar's own. */
    public static GrpcStatus of(Failure failure) {
        return switch (failure) {
            case CLIENT_GONE, CLIENT_STALLED -> CANCELLED;
            case BAD_DTAB, BAD_PATH -> INVALID_ARGUMENT;
            case IDENTITY_REFUSED, CLIENT_DENIED -> PERMISSION_DENIED;
            case NO_ROUTE, CONNECT_REFUSED, UNKNOWN_TRANSFER_CODING, UNSUPPORTED_VERSION, WEBSOCKET_REFUSED ->
                UNIMPLEMENTED;
            // a rate limit too, for UNAVAILABLE is an endpoint's failure, which it would be taken out of use for
            case BODY_TOO_LARGE, TARGET_TOO_LONG, HEADERS_TOO_LARGE, RATE_LIMITED, FLOOD -> RESOURCE_EXHAUSTED;
            // what was reset may have been processed, and is not to be taken for unseen
            case BAD_REQUEST, LOOP, BAD_RESPONSE, STREAM_RESET, INTERNAL -> GrpcStatus.INTERNAL;
            case HEADER_TIMEOUT,
                    REQUEST_BODY_TIMEOUT,
                    RESPONSE_TIMEOUT,
                    TRY_TIMEOUT,
                    TOTAL_TIMEOUT,
                    CALLER_DEADLINE,
                    BACKEND_STALLED,
                    TUNNEL_IDLE -> DEADLINE_EXCEEDED;
            // a connection that was not made in time has carried no call: another endpoint may take it
            case CONNECT_FAILED,
                    HANDSHAKE_FAILED,
                    CONNECT_TIMEOUT,
                    BACKEND_CLOSED,
                    BACKEND_FLOOD,
                    STREAM_REFUSED,
                    OVERLOADED,
                    SHED,
                    POOL_EXHAUSTED,
                    BREAKER_IN_FLIGHT,
                    BREAKER_PENDING,
                    BREAKER_CONNECTIONS,
                    NO_ENDPOINT,
                    NOT_RESOLVED,
                    TOO_MANY_HOSTS,
                    DESTINATION_REFUSED,
                    TOO_MANY_DESTINATIONS,
                    OUT_OF_DESCRIPTORS,
                    CUT -> UNAVAILABLE;
        };
    }

    /**
     * Returns the meaning of the HTTP/2 code by which an endpoint has reset a call that it has not answered. Spec:
     * gRPC's table of errors.
     */
    public static GrpcStatus ofReset(long code) {
        return switch ((int) code) {
            case 0x7 -> UNAVAILABLE;
            case 0x8 -> CANCELLED;
            case 0xb -> RESOURCE_EXHAUSTED;
            case 0xc -> PERMISSION_DENIED;
            default -> GrpcStatus.INTERNAL;
        };
    }

    /**
     * Returns a text as {@code grpc-message} has it: all but printable US-ASCII as percent and two digits, the percent
     * sign too.
     */
    public static String encoded(String asciiText) {
        StringBuilder encoded = new StringBuilder(asciiText.length());
        for (int i = 0; i < asciiText.length(); i++) {
            char c = asciiText.charAt(i);
            if (c >= ' ' && c <= '~' && c != '%') {
                encoded.append(c);
            } else {
                encoded.append('%').append(hex(c >> 4)).append(hex(c));
            }
        }
        return encoded.toString();
    }

    private static char hex(int digit) {
        return "0123456789ABCDEF".charAt(digit & 0xf);
    }
}
