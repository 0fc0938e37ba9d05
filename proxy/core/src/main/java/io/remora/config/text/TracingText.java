package io.remora.config.text;

import io.remora.config.keys.OperatorKeys;
import io.remora.config.keys.ShareText;
import io.remora.config.keys.TracingKeys;
import io.remora.config.model.TraceExportConfig;
import io.remora.config.model.TracingConfig;
import java.util.ArrayList;
import java.util.List;

/** Shows {@code tracing}. Loaded only where it is configured. */
final class TracingText {
    private TracingText() {}

    static void show(ConfigText text, TracingConfig tracing) {
        text.section(OperatorKeys.TRACING);
        List<String> forms = new ArrayList<>();
        for (TracingConfig.Propagation form : tracing.propagation()) {
            forms.add(form.text);
        }
        text.list(TracingKeys.PROPAGATION, forms, "");
        text.plain(TracingKeys.SAMPLE, ShareText.text(tracing.sampleMillionths()));
        text.plain(TracingKeys.FAILURES, tracing.failures() ? "true" : "false");
        text.choice(TracingKeys.PARENT, tracing.parent());
        text.text(TracingKeys.SERVICE, tracing.service());
        TraceExportConfig export = tracing.export();
        text.section(TracingKeys.EXPORT);
        text.choice(TracingKeys.FORMAT, export.format());
        text.text(TracingKeys.CLUSTER, export.cluster());
        text.text(TracingKeys.PATH, export.path());
        text.text(TracingKeys.HOST, export.host());
        text.number(TracingKeys.QUEUE, export.queueBytes());
        text.number(TracingKeys.INTERVAL, export.intervalNs());
        text.number(TracingKeys.TIMEOUT, export.timeoutNs());
    }
}
