package io.remora.feature.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http.Fields;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FieldEditsTest {
    private static FieldEdit edit(FieldEdit.Kind kind, String name, String value) {
        return new FieldEdit(kind, name, new FieldValue(value, List.of(value), List.of()));
    }

    /** The parser leaves room for so many lines of so many octets, so that no array grows for them. */
    @Test
    void whatIsAddedFitsIntoItsLines() {
        FieldEdits edits = new FieldEdits(List.of(
                new FieldEdit(FieldEdit.Kind.REMOVE, "x-gone", null),
                edit(FieldEdit.Kind.SET, "x-short", "a"),
                edit(FieldEdit.Kind.SET, "x-long", "b".repeat(100)),
                edit(FieldEdit.Kind.APPEND, "x-appended", "c".repeat(20))));
        assertThat(edits.lines()).isEqualTo(3);
        assertThat(edits.octets()).isEqualTo((7 + 4 + 1) + (6 + 4 + 100) + (10 + 4 + 20));
        assertThat(growsBy(edits, 3)).isZero();
    }

    /** None relies on the room that another one leaves. */
    @ParameterizedTest
    @ValueSource(ints = {1, 17, 18, 19, 20, 49, 50, 51, 52, 53})
    void eachEditHasRoomForItself(int length) {
        FieldEdits alone = new FieldEdits(List.of(edit(FieldEdit.Kind.APPEND, "x-appended", "c".repeat(length))));
        assertThat(growsBy(alone, 1)).isZero();
    }

    private static int growsBy(FieldEdits edits, int lines) {
        Fields fields = Fields.receivedIn(Fields.places(0));
        fields.own(edits.lines());
        fields.seal(new byte[edits.octets()], 0);
        int before = fields.heapBytes();
        edits.apply(fields, null);
        assertThat(fields.size()).isEqualTo(lines);
        return fields.heapBytes() - before;
    }
}
