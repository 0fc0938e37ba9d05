package io.remora.config.yaml;

import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.KeyWriter;
import io.remora.config.model.AccrualConfig;
import io.remora.config.model.BreakerConfig;
import io.remora.config.model.HealthCheckConfig;
import io.remora.config.model.ResilienceConfig;
import io.remora.config.model.RetryConfig;

/** The parts of a cluster that are about failures, read and shown. Loaded only where one of them is configured. */
public final class ResiliencePart {
    private ResiliencePart() {}

    /** @param http2 true where the cluster's endpoints are spoken to in nothing else */
    static ResilienceConfig read(Section cluster, int panicPercent, boolean http2, Problems problems) {
        Section retries = cluster.sectionOrOff(ClusterKeys.RETRIES);
        Section accrual = cluster.sectionOrOff(ClusterKeys.ACCRUAL);
        Section breakers = cluster.sectionOrOff(ClusterKeys.BREAKERS);
        Section check = cluster.sectionOrOff(ClusterKeys.HEALTH_CHECK);
        return new ResilienceConfig(
                panicPercent,
                retries == null ? null : RetryPart.read(retries, problems),
                accrual == null ? null : AccrualPart.read(accrual, problems),
                breakers == null ? null : BreakerPart.read(breakers),
                check == null ? null : HealthCheckPart.read(check, http2, problems));
    }

    public static void show(KeyWriter out, ResilienceConfig resilience) {
        RetryConfig retries = resilience.retries();
        if (out.begins(ClusterKeys.RETRIES, retries) && retries != null) {
            RetryPart.show(out, retries);
        }
        AccrualConfig accrual = resilience.accrual();
        if (out.begins(ClusterKeys.ACCRUAL, accrual) && accrual != null) {
            AccrualPart.show(out, accrual);
        }
        out.put(ClusterKeys.PANIC_BELOW, resilience.panicPercent());
        BreakerConfig breakers = resilience.breakers();
        if (out.begins(ClusterKeys.BREAKERS, breakers) && breakers != null) {
            BreakerPart.show(out, breakers);
        }
        HealthCheckConfig check = resilience.healthCheck();
        if (out.begins(ClusterKeys.HEALTH_CHECK, check) && check != null) {
            HealthCheckPart.show(out, check);
        }
    }
}
