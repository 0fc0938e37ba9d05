package io.remora.feature.rewrite;

import org.jspecify.annotations.Nullable;

/**
 * One change of a message's fields.
 *
 * @param name as the file spells it
 * @param value null where the field is removed
 */
public record FieldEdit(Kind kind, String name, @Nullable FieldValue value) {
    /** The kinds of edits, in the order in which they are made. */
    public enum Kind {
        /** Takes all lines with the name out. */
        REMOVE,
        /** Replaces all lines of the name by one. */
        SET,
        /** Adds a line behind those with the name. */
        APPEND
    }
}
