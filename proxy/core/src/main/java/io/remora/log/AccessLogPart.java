package io.remora.log;

import io.remora.config.keys.OperatorKeys;
import io.remora.config.keys.ShareText;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeaturePart;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.FilePath;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;
import io.remora.log.AccessLogConfig.Format;

/** The reader of {@code access-log}. Loaded only where it is configured. */
public final class AccessLogPart implements FeaturePart {
    public static final String NAME = "access-log";

    @Override
    public Options read(FeatureSection top, Options options) {
        Section section = top.section.sectionOrOff(OperatorKeys.ACCESS_LOG);
        return section == null ? options : options.with(AccessLogConfig.ACCESS_LOG, read(section, top.problems));
    }

    private static AccessLogConfig read(Section section, Problems problems) {
        Format format = section.get(AccessLogConfig.FORMAT);
        Node output = section.text(AccessLogConfig.OUTPUT);
        if (output != null) {
            FilePath.judge(output, "output", output.text, "stdout or the path of a file", problems);
        }
        int queue = section.get(AccessLogConfig.QUEUE);
        int sample = sample(section, problems);
        section.end();
        String to = output == null ? AccessLogConfig.OUTPUT.fallbackText() : output.text;
        return new AccessLogConfig(format, to, queue, sample);
    }

    private static int sample(Section section, Problems problems) {
        Node only = section.text(AccessLogConfig.ONLY);
        Node sample = section.text(AccessLogConfig.SAMPLE);
        boolean failures = only != null && only.isText(AccessLogConfig.FAILURES);
        if (only != null && !failures && !only.isText(AccessLogConfig.ONLY.fallbackText())) {
            problems.at(only, "only is " + only.quoted() + ", expected failures or all");
        }
        if (sample == null) {
            return failures ? 0 : AccessLogConfig.ALL;
        }
        if (failures) {
            problems.at(sample, "sample cannot be combined with only: failures");
        }
        int millionths = ShareText.millionths(sample.text);
        if (millionths <= 0 || millionths > AccessLogConfig.ALL) {
            String expected = ", expected a share such as 0.1, from 0.000001 to 1";
            problems.at(sample, AccessLogConfig.SAMPLE.name + " is " + sample.quoted() + expected);
            return AccessLogConfig.ALL;
        }
        return millionths;
    }
}
