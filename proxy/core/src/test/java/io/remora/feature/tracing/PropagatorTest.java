package io.remora.feature.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.feature.tracing.TracingConfig.Propagation;
import io.remora.http.Fields;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class PropagatorTest {
    /** The parser leaves room for so many lines of so many octets, so that no array grows for them. */
    @ParameterizedTest
    @EnumSource(Propagation.class)
    void aTraceContextFitsIntoItsLines(Propagation form) {
        Propagator propagator = new Propagator(List.of(form));
        Fields fields = Fields.receivedIn(Fields.places(0));
        fields.own(propagator.lines());
        fields.seal(new byte[propagator.octets()], 0);
        int before = fields.heapBytes();
        propagator.write(fields, -1, -1, -1, -1, true);
        assertThat(fields.size()).isEqualTo(propagator.lines());
        assertThat(fields.length()).isEqualTo(propagator.octets());
        assertThat(fields.heapBytes()).isEqualTo(before);
    }
}
