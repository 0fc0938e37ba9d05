package io.remora.http1;

import io.remora.http.Octets;

/** The reason phrases of the sidecar's own responses (RFC 9110 section 15; 431 is RFC 6585, 508 is RFC 5842). */
public final class Reasons {
    /** The phrase of nearly every response, one piece for all. */
    private static final Octets OK = Octets.of("OK");

    private Reasons() {}

    static Octets of(int status) {
        return status == 200 ? OK : Octets.of(text(status));
    }

    /** The phrase in {@code octets}. */
    static Octets of(byte[] octets, int from, int to) {
        boolean ok = to - from == 2 && octets[from] == 'O' && octets[from + 1] == 'K';
        return ok ? OK : new Octets(octets, from, to);
    }

    /** Reason phrase of a status that the sidecar gives; empty for any other, which is as good (RFC 9112 4). */
    public static String text(int status) {
        return switch (status) {
            case 100 -> "Continue";
            case 200 -> "OK";
            case 202 -> "Accepted";
            case 400 -> "Bad Request";
            case 403 -> "Forbidden";
            case 404 -> "Not Found";
            case 405 -> "Method Not Allowed";
            case 408 -> "Request Timeout";
            case 409 -> "Conflict";
            case 413 -> "Content Too Large";
            case 414 -> "URI Too Long";
            case 422 -> "Unprocessable Content";
            case 431 -> "Request Header Fields Too Large";
            case 500 -> "Internal Server Error";
            case 501 -> "Not Implemented";
            case 502 -> "Bad Gateway";
            case 503 -> "Service Unavailable";
            case 504 -> "Gateway Timeout";
            case 505 -> "HTTP Version Not Supported";
            case 508 -> "Loop Detected";
            default -> "";
        };
    }
}
