package io.remora.transport;

import io.netty.channel.ConnectTimeoutException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;

/**
 * The cause of a connection that could not be made ready, as the metric has it: what the kernel says of a connect, or which bound was met.
 *
 * <p>The JDK has types for some of the kernel's errors; its texts tell the others apart.
 */
public enum ConnectCause {
    /** ECONNREFUSED: nobody listens there. */
    REFUSED("refused", "refused"),
    /** {@code timeouts.connect} has passed, or the kernel's own time (ETIMEDOUT). */
    TIMEOUT("timeout", "timed out"),
    /** EADDRNOTAVAIL: no local port is left, or no local address leads there. */
    ADDRESS_NOT_AVAILABLE("address-not-available", "assign requested address"),
    /** EHOSTUNREACH and ENETUNREACH. */
    UNREACHABLE("unreachable", "unreachable"),
    NO_ROUTE("unreachable", "No route to host"),
    /** ECONNRESET: the other end closed before the connection was made. */
    RESET("reset", "reset"),
    /** EMFILE and ENFILE: the process has no descriptor left. */
    DESCRIPTORS("descriptors", "open files"),
    /** The peer was reached, and the handshake came to nothing. */
    HANDSHAKE("handshake", ""),
    OTHER("other", "");

    private final String label;
    /** Part of the error's text, empty where it is no error of the kernel's. */
    private final String text;

    ConnectCause(String label, String text) {
        this.label = label;
        this.text = text;
    }

    /** The value of the metric's label. */
    public String label() {
        return label;
    }

    // the innermost says what the kernel did, and Netty's around it holds the endpoint's name, which may be any word
    static ConnectCause of(Throwable thrown) {
        Throwable inner = thrown;
        for (Throwable at = thrown; at != null; at = at.getCause()) {
            inner = at;
        }
        String message = inner.getMessage() == null ? "" : inner.getMessage();
        if (inner instanceof ConnectTimeoutException) {
            return TIMEOUT;
        }
        if (inner instanceof NoRouteToHostException) {
            return NO_ROUTE;
        }
        if (inner instanceof BindException && message.contains(ADDRESS_NOT_AVAILABLE.text)) {
            return ADDRESS_NOT_AVAILABLE;
        }
        if (inner instanceof ConnectException && message.startsWith("Connection timed out")) {
            return TIMEOUT;
        }
        return inner instanceof ConnectException && message.startsWith("Connection refused")
                ? REFUSED
                : byText(message);
    }

    private static ConnectCause byText(String message) {
        for (ConnectCause cause : values()) {
            if (!cause.text.isEmpty() && message.contains(cause.text)) {
                return cause;
            }
        }
        return OTHER;
    }
}
