package io.remora.config.text;

import io.remora.config.keys.AccrualKeys;
import io.remora.config.keys.AdaptiveKeys;
import io.remora.config.keys.BreakerKeys;
import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.HealthCheckKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.RetryKeys;
import io.remora.config.model.AccrualConfig;
import io.remora.config.model.AdaptiveConfig;
import io.remora.config.model.BreakerConfig;
import io.remora.config.model.HealthCheckConfig;
import io.remora.config.model.ResilienceConfig;
import io.remora.config.model.RetryConfig;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What listeners, routes and clusters do about overload and failures, for {@link ConfigText}. Loaded only where there is something of it. */
final class ResilienceText {
    private final ConfigText text;

    ResilienceText(ConfigText text) {
        this.text = text;
    }

    void adaptive(AdaptiveConfig adaptive) {
        text.number(AdaptiveKeys.MIN, adaptive.min());
        text.number(AdaptiveKeys.MAX, adaptive.max());
        text.number(AdaptiveKeys.TOLERANCE, adaptive.tolerancePercent());
    }

    void retries(RetryConfig retries) {
        text.number(RetryKeys.ATTEMPTS, retries.attempts());
        List<String> statuses = new ArrayList<>();
        for (Integer status : retries.statuses()) {
            statuses.add(status.toString());
        }
        text.list(RetryKeys.STATUSES, statuses, "[]");
        text.list(RetryKeys.GRPC, retries.grpc(), "[]");
        text.number(RetryKeys.BODY, retries.bodyBytes());
        text.number(RetryKeys.BACK_OFF, retries.backOffNs());
    }

    /** All but the retries. */
    void cluster(ResilienceConfig resilience) {
        AccrualConfig accrual = resilience.accrual();
        if (begins(ClusterKeys.ACCRUAL, accrual) && accrual != null) {
            accrual(accrual);
        }
        text.number(ClusterKeys.PANIC_BELOW, resilience.panicPercent());
        BreakerConfig breakers = resilience.breakers();
        if (begins(ClusterKeys.BREAKERS, breakers) && breakers != null) {
            breakers(breakers);
        }
        HealthCheckConfig check = resilience.healthCheck();
        if (begins(ClusterKeys.HEALTH_CHECK, check) && check != null) {
            check(check);
        }
    }

    private boolean begins(Key key, @Nullable Object config) {
        if (config == null) {
            text.plain(key, Key.OFF);
            return false;
        }
        text.section(key);
        return true;
    }

    private void accrual(AccrualConfig accrual) {
        text.number(AccrualKeys.CONSECUTIVE, accrual.consecutive());
        text.number(AccrualKeys.SUCCESS_RATE, accrual.successPercent());
        text.number(AccrualKeys.REQUESTS, accrual.requests());
        text.number(AccrualKeys.WINDOW, accrual.windowNs());
        text.number(AccrualKeys.BACK_OFF, accrual.backOffNs());
        text.number(AccrualKeys.MAX_BACK_OFF, accrual.maxBackOffNs());
        text.number(AccrualKeys.MAX_EJECTED, accrual.maxEjectedPercent());
    }

    private void breakers(BreakerConfig breakers) {
        text.number(BreakerKeys.CONNECTIONS, breakers.connections());
        text.number(BreakerKeys.PENDING, breakers.pending());
        text.number(BreakerKeys.IN_FLIGHT, breakers.inFlight());
        text.number(BreakerKeys.RETRIES, breakers.retries());
    }

    private void check(HealthCheckConfig check) {
        text.optional(HealthCheckKeys.PATH, check.path());
        text.optional(HealthCheckKeys.GRPC, check.grpc());
        text.optional(HealthCheckKeys.HOST, check.host());
        text.number(HealthCheckKeys.INTERVAL, check.intervalNs());
        text.number(HealthCheckKeys.TIMEOUT, check.timeoutNs());
        text.number(HealthCheckKeys.UNHEALTHY, check.unhealthyThreshold());
        text.number(HealthCheckKeys.HEALTHY, check.healthyThreshold());
    }
}
