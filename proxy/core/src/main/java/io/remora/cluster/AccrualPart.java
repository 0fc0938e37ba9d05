package io.remora.cluster;

import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeaturePart;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;

/** A cluster's {@code accrual}: its keys in the order of the page, read and shown. Loaded only where it is configured. */
public final class AccrualPart implements FeaturePart {
    public static final String NAME = "accrual";

    /** Number of consecutive failures after which an endpoint is ejected; 0 disables it. */
    public static final ValueKey<Integer> CONSECUTIVE =
            Key.count(ClusterKeys.ACCRUAL, "consecutive-failures", 0, 10_000, 5);

    /** Minimum percentage of successful requests, below which an endpoint is ejected; 0 disables it. */
    public static final ValueKey<Integer> SUCCESS_RATE = Key.count(ClusterKeys.ACCRUAL, "success-rate", 0, 100, 0);

    /**
     * Number of recent requests used for the success rate. With {@code window}, it is the minimum number of requests in
     * that time.
     */
    public static final ValueKey<Integer> REQUESTS = Key.count(ClusterKeys.ACCRUAL, "requests", 10, 10_000, 100);

    /**
     * Time over which the success rate is computed. With {@code off}, it is computed over the last {@code requests},
     * regardless of their age.
     */
    public static final ValueKey<Long> WINDOW = Key.durationOrOffNs(ClusterKeys.ACCRUAL, "window");

    /**
     * Duration of the first ejection. It doubles for each further ejection, until the endpoint has been in use for
     * {@code max-back-off}. Up to 25 % is added at random. After that, one request probes the endpoint, and adds it
     * again if it succeeds.
     */
    public static final ValueKey<Long> BACK_OFF = Key.durationNs(ClusterKeys.ACCRUAL, "back-off", 5_000_000_000L);

    /** Maximum duration of an ejection. */
    public static final ValueKey<Long> MAX_BACK_OFF =
            Key.durationNs(ClusterKeys.ACCRUAL, "max-back-off", 300_000_000_000L);

    /**
     * Maximum percentage of the endpoints of a cluster that failed requests can eject. Health checks are not limited.
     * The only endpoint of a cluster can only be ejected with 100.
     */
    public static final ValueKey<Integer> MAX_EJECTED = Key.count(ClusterKeys.ACCRUAL, "max-ejected", 1, 100, 50);

    @Override
    public Options read(FeatureSection from, Options options) {
        Section section = from.section.sectionOrOff(ClusterKeys.ACCRUAL);
        return section == null ? options : options.with(AccrualConfig.ACCRUAL, read(section, from.problems));
    }

    private static AccrualConfig read(Section section, Problems problems) {
        AccrualConfig accrual = new AccrualConfig(
                section.get(CONSECUTIVE),
                section.get(SUCCESS_RATE),
                section.get(REQUESTS),
                section.get(WINDOW),
                section.get(BACK_OFF),
                section.get(MAX_BACK_OFF),
                section.get(MAX_EJECTED));
        if (accrual.consecutive() == 0 && accrual.successPercent() == 0) {
            problems.at(section.node, "accrual requires consecutive-failures or success-rate above 0");
        }
        if (accrual.backOffNs() > accrual.maxBackOffNs()) {
            String most = MAX_BACK_OFF.write(accrual.maxBackOffNs());
            section.problem(BACK_OFF, "back-off is greater than max-back-off, expected " + most + " or less");
        }
        section.end();
        return accrual;
    }

    static void show(KeyWriter out, Key key, AccrualConfig accrual) {
        out.section(key);
        out.put(CONSECUTIVE, accrual.consecutive());
        out.put(SUCCESS_RATE, accrual.successPercent());
        out.put(REQUESTS, accrual.requests());
        out.put(WINDOW, accrual.windowNs());
        out.put(BACK_OFF, accrual.backOffNs());
        out.put(MAX_BACK_OFF, accrual.maxBackOffNs());
        out.put(MAX_EJECTED, accrual.maxEjectedPercent());
    }
}
