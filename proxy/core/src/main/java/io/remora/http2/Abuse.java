package io.remora.http2;

import io.remora.http.Failure;

/** A kind of abuse: it costs more than the client pays, and ends its connection. */
enum Abuse {
    /** Streams that were opened and reset, by the client or because it broke a rule. */
    RESETS("resets", true),
    /** Frames that bring no request on. */
    CONTROL_FRAMES("control-frames", true),
    /** DATA frames that have no content and end nothing. */
    EMPTY_FRAMES("empty-frames", true),
    /** CONTINUATION frames of one header section. */
    CONTINUATIONS("continuations", false),
    /** A header section that does not come to its end in time. */
    UNFINISHED_HEAD("unfinished-head", false),
    /** A header section that is far too large. */
    HEADER_LIST("header-list", false),
    /** Frames that are not whole, where there is no memory left for more of them. */
    MEMORY("memory", false);

    private final String label;
    private final boolean hasGrace;

    Abuse(String label, boolean hasGrace) {
        this.label = label;
        this.hasGrace = hasGrace;
    }

    /** Returns whether the connection can be read on, so that streams which are good may end in order. */
    boolean hasGrace() {
        return hasGrace;
    }

    /** Returns whether the client has sent too much of something, rather than too little. */
    boolean isFlood() {
        return this != UNFINISHED_HEAD && this != MEMORY;
    }

    /** Returns the failure of the streams that end with the connection. */
    Failure failure() {
        return isFlood() ? Failure.FLOOD : Failure.CLIENT_GONE;
    }

    String label() {
        return label;
    }

    static String[] labels() {
        Abuse[] all = values();
        String[] labels = new String[all.length];
        for (int i = 0; i < all.length; i++) {
            labels[i] = all[i].label;
        }
        return labels;
    }
}
