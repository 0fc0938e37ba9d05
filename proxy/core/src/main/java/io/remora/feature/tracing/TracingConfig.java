package io.remora.feature.tracing;

import io.remora.config.keys.Key;
import io.remora.config.keys.ShareText;
import io.remora.config.model.Option;
import io.remora.config.text.ConfigText;
import io.remora.config.text.ShownOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Settings of tracing.
 *
 * @param propagation the forms in which backends receive a trace; the first one that a request has is trusted
 * @param sampleMillionths of the traces that no trusted peer has decided on
 * @param failures whether an exchange that fails is recorded though its trace is not
 * @param parent the peers that are trusted to decide whether a trace is recorded
 * @param service the sidecar's name in spans
 */
public record TracingConfig(
        List<Propagation> propagation,
        int sampleMillionths,
        boolean failures,
        TrustedParent parent,
        String service,
        TraceExportConfig export)
        implements ShownOption {
    public static final Option<TracingConfig> TRACING = Option.of(Tracing.NAME);

    /** All of them. */
    public static final int EVERY = 1_000_000;

    /** Form of trace contexts in fields. */
    public enum Propagation {
        W3C("w3c"),
        B3("b3"),
        B3_MULTI("b3-multi");

        public final String text;

        Propagation(String text) {
            this.text = text;
        }
    }

    @Override
    public void show(ConfigText text, @Nullable Key parentKey) {
        text.section(TracingKeys.TRACING);
        List<String> forms = new ArrayList<>();
        for (Propagation form : propagation) {
            forms.add(form.text);
        }
        text.list(TracingKeys.PROPAGATION, forms, "");
        text.plain(TracingKeys.SAMPLE, ShareText.text(sampleMillionths));
        text.put(TracingKeys.FAILURES, failures);
        text.put(TracingKeys.PARENT, parent);
        text.text(TracingKeys.SERVICE, service);
        text.section(TracingKeys.EXPORT);
        text.put(TracingKeys.FORMAT, export.format());
        text.text(TracingKeys.CLUSTER, export.cluster());
        text.text(TracingKeys.PATH, export.path());
        text.text(TracingKeys.HOST, export.host());
        text.number(TracingKeys.QUEUE, export.queueBytes());
        text.number(TracingKeys.INTERVAL, export.intervalNs());
        text.number(TracingKeys.TIMEOUT, export.timeoutNs());
    }

    // a record's own would have the JDK generate classes, at a reload of each sidecar that has one
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TracingConfig that
                && propagation.equals(that.propagation)
                && sampleMillionths == that.sampleMillionths
                && failures == that.failures
                && parent == that.parent
                && service.equals(that.service)
                && export.equals(that.export);
    }

    @Override
    public int hashCode() {
        return 31 * propagation.hashCode() + export.hashCode();
    }
}
