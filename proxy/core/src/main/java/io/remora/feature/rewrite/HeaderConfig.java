package io.remora.feature.rewrite;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.Option;
import io.remora.config.text.ConfigText;
import io.remora.config.text.ShownOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Edits of the fields of a route's requests or responses.
 *
 * @param ofRequest true for the fields that the endpoint receives, false for those that the client receives
 */
public record HeaderConfig(boolean ofRequest, List<FieldEdit> edits) implements ShownOption {
    public static final Option<HeaderConfig> REQUEST = Option.of(Rewriting.REQUEST_HEADERS);
    public static final Option<HeaderConfig> RESPONSE = Option.of(Rewriting.RESPONSE_HEADERS);

    /** Changes request fields. Fields for connections, framing and forwarding cannot be changed. */
    public static final Key REQUEST_HEADERS = Key.optional(ListenerKeys.ROUTES, Rewriting.REQUEST_HEADERS, Key.MAPPING);

    /** Changes response fields, including those of responses that the sidecar generates. */
    public static final Key RESPONSE_HEADERS =
            Key.optional(ListenerKeys.ROUTES, Rewriting.RESPONSE_HEADERS, Key.MAPPING);

    /**
     * Fields to set, which replace the fields of the client. Values can contain variables in braces, such as {@code
     * '{client}'}. Use a double brace for a literal brace. If the resulting value is empty, the field is omitted.
     */
    public static final Key REQUEST_SET = Key.optional(REQUEST_HEADERS, "set", "mapping of names to values");

    /** Fields to append to the fields of the client. Values are as in {@code set}. */
    public static final Key REQUEST_APPEND = Key.optional(REQUEST_HEADERS, "append", "mapping of names to values");

    /** Fields of the client to remove. */
    public static final Key REQUEST_REMOVE = Key.optional(REQUEST_HEADERS, "remove", "list of names");

    /** Fields to set, which replace the fields of the endpoint. Values are as for requests. */
    public static final Key RESPONSE_SET = Key.optional(RESPONSE_HEADERS, "set", "mapping of names to values");

    /** Fields to append to the fields of the endpoint. Values are as in {@code set}. */
    public static final Key RESPONSE_APPEND = Key.optional(RESPONSE_HEADERS, "append", "mapping of names to values");

    /** Fields of the endpoint to remove. */
    public static final Key RESPONSE_REMOVE = Key.optional(RESPONSE_HEADERS, "remove", "list of names");

    @Override
    public void show(ConfigText text, @Nullable Key parent) {
        text.section(ofRequest ? REQUEST_HEADERS : RESPONSE_HEADERS);
        showRemoved(text, ofRequest ? REQUEST_REMOVE : RESPONSE_REMOVE, edits);
        showAdded(text, ofRequest ? REQUEST_SET : RESPONSE_SET, FieldEdit.Kind.SET, edits);
        showAdded(text, ofRequest ? REQUEST_APPEND : RESPONSE_APPEND, FieldEdit.Kind.APPEND, edits);
    }

    private static void showRemoved(KeyWriter out, Key key, List<FieldEdit> edits) {
        List<String> names = new ArrayList<>();
        for (FieldEdit edit : edits) {
            if (edit.kind() == FieldEdit.Kind.REMOVE) {
                names.add(edit.name());
            }
        }
        out.unlessEmpty(key, names);
    }

    private static void showAdded(KeyWriter out, Key key, FieldEdit.Kind kind, List<FieldEdit> edits) {
        boolean any = false;
        for (FieldEdit edit : edits) {
            FieldValue value = edit.value();
            if (edit.kind() == kind && value != null) {
                if (!any) {
                    out.section(key);
                }
                any = true;
                out.header(key, edit.name(), value.text());
            }
        }
    }
}
