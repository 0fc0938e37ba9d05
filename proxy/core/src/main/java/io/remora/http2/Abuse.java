package io.remora.http2;

/** For what a connection is ended because it costs more than its client pays. */
enum Abuse {
    /** Streams that were opened and reset, by the client or because it broke a rule. */
    RESETS("resets"),
    /** Frames that bring no request on. */
    CONTROL_FRAMES("control-frames"),
    /** DATA frames that have no content and end nothing. */
    EMPTY_FRAMES("empty-frames"),
    /** CONTINUATION frames of one header section. */
    CONTINUATIONS("continuations"),
    /** A header section that does not come to its end in time. */
    UNFINISHED_HEAD("unfinished-head"),
    /** A header section that is far too large. */
    HEADER_LIST("header-list"),
    /** Frames that are not whole, where there is no memory left for more of them. */
    MEMORY("memory");

    private final String label;

    Abuse(String label) {
        this.label = label;
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
