package io.remora.feature.fault;

import io.remora.config.keys.Key;
import io.remora.config.keys.Units;
import io.remora.config.model.Limits;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;
import io.remora.http.GrpcStatus;
import org.jspecify.annotations.Nullable;

/** Reads and judges a route's {@code fault}. */
final class FaultReader {
    private static final int LEAST_STATUS = 200;
    private static final int MOST_STATUS = 599;

    private FaultReader() {}

    /** Reads one, and returns the options with it. */
    static Options read(FeatureSection route, Options options) {
        Section section = route.section.sectionOrOff(FaultKeys.FAULT);
        Problems problems = route.problems;
        if (section == null) {
            return options;
        }
        FaultConfig fault = new FaultConfig(
                section.get(FaultKeys.DELAY),
                section.get(FaultKeys.DELAY_PERCENT),
                abort(section.text(FaultKeys.ABORT), problems),
                grpc(section.text(FaultKeys.ABORT_GRPC), problems),
                section.get(FaultKeys.ABORT_PERCENT),
                section.get(FaultKeys.HEADERS),
                section.get(FaultKeys.MAX_DELAY),
                section.get(FaultKeys.MAX_ACTIVE));
        boolean delays = isGiven(section.value(FaultKeys.DELAY));
        boolean aborts = isGiven(section.value(FaultKeys.ABORT)) || isGiven(section.value(FaultKeys.ABORT_GRPC));
        if (!delays && !aborts && !fault.headers()) {
            problems.at(section.node, "fault requires delay, abort, abort-grpc or headers: true");
        }
        if (fault.delayNs() != Limits.UNLIMITED && fault.delayNs() > fault.maxDelayNs()) {
            problems.at(section.node(FaultKeys.DELAY), "delay must not be longer than max-delay");
        }
        useless(section.value(FaultKeys.DELAY_PERCENT), delays || fault.headers(), "delay-percent", "delay", problems);
        useless(section.value(FaultKeys.ABORT_PERCENT), aborts || fault.headers(), "abort-percent", "abort", problems);
        section.end();
        return options.with(FaultConfig.FAULT, fault);
    }

    private static boolean isGiven(@Nullable Node node) {
        return node != null && !node.isText(Key.OFF);
    }

    private static void useless(@Nullable Node given, boolean used, String key, String other, Problems problems) {
        if (given != null && !used) {
            problems.at(given, key + " requires " + other);
        }
    }

    private static int abort(@Nullable Node node, Problems problems) {
        return node == null || node.isText(Key.OFF)
                ? 0
                : (int) node.number(Units.NONE, FaultKeys.ABORT.name, 0, LEAST_STATUS, MOST_STATUS, problems);
    }

    private static @Nullable GrpcStatus grpc(@Nullable Node node, Problems problems) {
        if (node == null || node.isText(Key.OFF)) {
            return null;
        }
        GrpcStatus status = GrpcStatus.named(node.text);
        if (status == null) {
            problems.at(
                    node, "abort-grpc is " + node.quoted() + ", expected a gRPC status, such as unavailable, or off");
        }
        return status;
    }
}
