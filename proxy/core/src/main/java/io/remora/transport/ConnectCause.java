package io.remora.transport;

/**
 * The cause of a connection that could not be made ready, as the metric has it: what the kernel says of a connect, or which bound was met.
 *
 * <p>The JDK has no types for most of the kernel's errors, so that its texts tell them apart.
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
    /** In the error's text, empty for no error of the kernel's. */
    private final String text;

    ConnectCause(String label, String text) {
        this.label = label;
        this.text = text;
    }

    /** The value of the metric's label. */
    public String label() {
        return label;
    }

    static ConnectCause of(Throwable thrown) {
        for (Throwable at = thrown; at != null; at = at.getCause()) {
            String message = at.getMessage();
            for (ConnectCause cause : values()) {
                if (message != null && !cause.text.isEmpty() && message.contains(cause.text)) {
                    return cause;
                }
            }
        }
        return OTHER;
    }
}
