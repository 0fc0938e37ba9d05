package io.remora.text;

/** The variables of a template's texts, which stand for the host and the port of a request. */
public final class HostVariable {
    /** Stands for the host. */
    public static final String HOST = "{host}";

    /** Stands for the port. */
    public static final String PORT = "{port}";

    /** A host that stands for any, where a template's names are judged. */
    private static final String SAMPLE = "h";

    private HostVariable() {}

    public static String filled(String text, String host) {
        return text.replace(HOST, host);
    }

    /** Returns the text, which may name the host, as it is for a sample host. */
    public static String sample(String text) {
        return filled(text, SAMPLE);
    }
}
