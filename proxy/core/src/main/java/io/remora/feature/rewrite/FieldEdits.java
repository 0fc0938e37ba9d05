package io.remora.feature.rewrite;

import io.remora.config.model.RouteConfig;
import io.remora.exchange.StagedRequest;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.RequestHead;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Changes that a route makes to the fields of a message. Immutable.
 *
 * <p>Bounds: the value of a variable has at most {@value #MAX_CHARS} characters. A value from a client can end neither
 * the line nor the element of a list: all that is not visible ASCII, and the characters {@code " , ; \}, is written as
 * %XX.
 */
final class FieldEdits {
    private static final int MAX_CHARS = 256;
    private static final int ENCODED_CHARS = 3;
    /** Octets by which a variable's value may exceed its name in the file. */
    private static final int VARIABLE_OCTETS = 8;

    private static final boolean[] PLAIN = plain("\",;\\");
    private static final String HEX = "0123456789ABCDEF";

    private final FieldEdit[] edits;
    private final FieldName[] names;

    FieldEdits(List<FieldEdit> edits) {
        this.edits = edits.toArray(new FieldEdit[0]);
        this.names = new FieldName[this.edits.length];
        for (int i = 0; i < names.length; i++) {
            names[i] = FieldName.of(this.edits[i].name());
        }
    }

    /** Returns how many lines it adds. */
    int lines() {
        int lines = 0;
        for (FieldEdit edit : edits) {
            lines += edit.value() == null ? 0 : 1;
        }
        return lines;
    }

    /** Returns how many octets the added lines have, where variables are short. */
    int octets() {
        int octets = 0;
        for (FieldEdit edit : edits) {
            if (edit.value() != null) {
                octets += edit.name().length()
                        + Fields.FRAME_OCTETS
                        + edit.value().text().length()
                        + edit.value().variables().size() * VARIABLE_OCTETS;
            }
        }
        return octets;
    }

    void apply(Fields fields, StagedRequest exchange) {
        for (int i = 0; i < edits.length; i++) {
            FieldValue value = edits[i].value();
            String text = value == null ? "" : text(value, exchange);
            if (edits[i].kind() == FieldEdit.Kind.APPEND) {
                if (!text.isEmpty()) {
                    fields.add(names[i], text);
                }
            } else if (text.isEmpty()) {
                // nor does the other side's own word pass for one of the sidecar's
                fields.remove(names[i]);
            } else {
                fields.set(names[i], text);
            }
        }
    }

    private static String text(FieldValue value, StagedRequest exchange) {
        List<FieldVariable> variables = value.variables();
        if (variables.isEmpty()) {
            return value.literals().get(0);
        }
        String alone = value.isVariable() ? of(variables.get(0), exchange) : null;
        if (alone != null && isPlain(alone)) {
            return alone;
        }
        StringBuilder text = new StringBuilder(value.literals().get(0));
        for (int i = 0; i < variables.size(); i++) {
            append(text, of(variables.get(i), exchange));
            text.append(value.literals().get(i + 1));
        }
        return text.toString().strip();
    }

    private static @Nullable String of(FieldVariable variable, StagedRequest exchange) {
        RequestHead head = exchange.head();
        RouteConfig route = exchange.route();
        return switch (variable) {
            case CLIENT -> exchange.client();
            case PEER -> exchange.peer();
            case IDENTITY -> exchange.identity();
            case REQUEST_ID -> head.fields.get(FieldName.X_REQUEST_ID);
            case METHOD -> head.method;
            case HOST -> head.authority.toString();
            case PATH -> head.path();
            case SCHEME -> exchange.scheme();
            case LISTENER -> exchange.snapshot().config().name();
            case ROUTE -> route == null ? null : route.name();
            case CLUSTER -> route == null ? null : route.cluster();
        };
    }

    private static boolean isPlain(String value) {
        for (int i = 0; i < value.length(); i++) {
            if (!isPlain(value.charAt(i))) {
                return false;
            }
        }
        return value.length() <= MAX_CHARS;
    }

    private static boolean isPlain(char c) {
        return c < PLAIN.length && PLAIN[c];
    }

    private static boolean[] plain(String separators) {
        boolean[] plain = new boolean[0x7f];
        for (char c = ' ' + 1; c < plain.length; c++) {
            plain[c] = separators.indexOf(c) < 0;
        }
        return plain;
    }

    private static void append(StringBuilder text, @Nullable String value) {
        int most = text.length() + MAX_CHARS;
        for (int i = 0; value != null && i < value.length(); i++) {
            char c = value.charAt(i);
            boolean plain = isPlain(c);
            if (text.length() + (plain ? 1 : ENCODED_CHARS) > most) {
                return;
            }
            if (plain) {
                text.append(c);
            } else {
                text.append('%').append(HEX.charAt(c >> 4 & 15)).append(HEX.charAt(c & 15));
            }
        }
    }
}
