package io.remora.feature.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The variables that the value of a field may name in braces. */
public enum FieldVariable {
    /** Address of the client, without a port. */
    CLIENT,
    /** Address of the other end of the connection, without a port. */
    PEER,
    /** The identity that the client has proved. */
    IDENTITY,
    /** The value of the request's X-Request-Id. */
    REQUEST_ID,
    METHOD,
    /** The host as the client sent it, with its port. */
    HOST,
    /** The path as the client sent it, without the query. */
    PATH,
    /** The scheme by which the client came. */
    SCHEME,
    LISTENER,
    ROUTE,
    CLUSTER;

    /** Returns the variable as the file writes it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public static @Nullable FieldVariable of(String text) {
        for (FieldVariable variable : values()) {
            if (variable.text().equals(text)) {
                return variable;
            }
        }
        return null;
    }

    public static List<String> texts() {
        List<String> texts = new ArrayList<>();
        for (FieldVariable variable : values()) {
            texts.add(variable.text());
        }
        return texts;
    }
}
