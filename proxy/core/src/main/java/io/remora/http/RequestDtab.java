package io.remora.http;

import java.util.List;

/**
 * The delegations of a trusted request, as they were written.
 *
 * @param texts the values of its fields, of which a later one wins
 * @param allowed beginnings of the names to which it may delegate
 */
public record RequestDtab(List<String> texts, List<String> allowed) {
    /** Names of the fields, those of Finagle and linkerd among them. */
    public static final List<FieldName> FIELDS =
            List.of(FieldName.of("Dtab-Local"), FieldName.of("l5d-dtab"), FieldName.of("Remora-Dtab"));
}
