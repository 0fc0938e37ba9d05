package io.remora.config.yaml;

import io.remora.config.keys.AccrualKeys;
import io.remora.config.keys.BreakerKeys;
import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.HealthCheckKeys;
import io.remora.config.model.AccrualConfig;
import io.remora.config.model.BreakerConfig;
import io.remora.config.model.HealthCheckConfig;
import io.remora.config.model.ResilienceConfig;
import org.jspecify.annotations.Nullable;

/** Reads what a cluster does about failures. Loaded only where some of it is configured. */
final class ResilienceReader {
    /** A name of gRPC is never as long, and one octet says how long this is. */
    private static final int MOST_SERVICE = 127;

    private final Problems problems;
    private final boolean http2;

    /**
     * @param http2 whether the cluster's endpoints are spoken to in nothing else
     */
    ResilienceReader(Problems problems, boolean http2) {
        this.problems = problems;
        this.http2 = http2;
    }

    ResilienceConfig read(Section cluster, int panicPercent) {
        Section retries = cluster.sectionOrOff(ClusterKeys.RETRIES);
        Section accrual = cluster.sectionOrOff(ClusterKeys.ACCRUAL);
        Section breakers = cluster.sectionOrOff(ClusterKeys.BREAKERS);
        Section check = cluster.sectionOrOff(ClusterKeys.HEALTH_CHECK);
        return new ResilienceConfig(
                panicPercent,
                retries == null ? null : RetryReader.read(retries, problems),
                accrual == null ? null : accrual(accrual),
                breakers == null ? null : breakers(breakers),
                check == null ? null : check(check));
    }

    private AccrualConfig accrual(Section section) {
        AccrualConfig accrual = new AccrualConfig(
                section.integer(AccrualKeys.CONSECUTIVE),
                section.integer(AccrualKeys.SUCCESS_RATE),
                section.integer(AccrualKeys.REQUESTS),
                section.number(AccrualKeys.WINDOW),
                section.number(AccrualKeys.BACK_OFF),
                section.number(AccrualKeys.MAX_BACK_OFF),
                section.integer(AccrualKeys.MAX_EJECTED));
        if (accrual.consecutive() == 0 && accrual.successPercent() == 0) {
            problems.at(section.node, "accrual by nothing, expected consecutive-failures or success-rate above 0");
        }
        if (accrual.backOffNs() > accrual.maxBackOffNs()) {
            Node given = section.value(AccrualKeys.BACK_OFF);
            Node at = given == null ? section.node : given;
            String most = AccrualKeys.MAX_BACK_OFF.format(accrual.maxBackOffNs());
            problems.at(at, "back-off above max-back-off, expected " + most + " or less");
        }
        section.end();
        return accrual;
    }

    private static BreakerConfig breakers(Section section) {
        BreakerConfig breakers = new BreakerConfig(
                section.integer(BreakerKeys.CONNECTIONS),
                section.integer(BreakerKeys.PENDING),
                section.integer(BreakerKeys.IN_FLIGHT),
                section.integer(BreakerKeys.RETRIES));
        section.end();
        return breakers;
    }

    private HealthCheckConfig check(Section section) {
        Node path = section.text(HealthCheckKeys.PATH);
        Node grpc = section.text(HealthCheckKeys.GRPC);
        Node host = section.text(HealthCheckKeys.HOST);
        HealthCheckConfig check = new HealthCheckConfig(
                path == null ? null : Names.path(path, HealthCheckKeys.PATH.name, problems),
                grpc == null ? null : service(grpc, path != null),
                host == null ? null : host(host),
                section.number(HealthCheckKeys.INTERVAL),
                section.number(HealthCheckKeys.TIMEOUT),
                section.integer(HealthCheckKeys.UNHEALTHY),
                section.integer(HealthCheckKeys.HEALTHY));
        if (check.timeoutNs() >= check.intervalNs()) {
            Node given = section.value(HealthCheckKeys.TIMEOUT);
            Node at = given == null ? section.node : given;
            String most = HealthCheckKeys.INTERVAL.format(check.intervalNs());
            problems.at(at, "timeout above the interval, expected less than " + most);
        }
        if (host != null && path == null && grpc == null) {
            problems.at(host, "host without a use, expected path beside it");
        }
        section.end();
        return check;
    }

    private String service(Node node, boolean path) {
        if (path) {
            problems.at(node, "grpc beside path, expected one of the two");
        }
        if (!http2) {
            problems.at(node, "grpc without HTTP/2, expected protocol 'http2' of the cluster");
        }
        boolean valid = node.text.length() <= MOST_SERVICE;
        for (int i = 0; i < node.text.length(); i++) {
            char c = node.text.charAt(i);
            valid &= c > ' ' && c <= '~';
        }
        if (!valid) {
            problems.at(node, "grpc is " + node.quoted() + ", expected the name of a service");
        }
        return node.text;
    }

    private @Nullable String host(Node node) {
        for (int i = 0; i < node.text.length(); i++) {
            char c = node.text.charAt(i);
            if (c <= ' ' || c > '~' || "/?#@\\,".indexOf(c) >= 0) {
                problems.at(
                        node,
                        HealthCheckKeys.HOST.name + " is " + node.quoted() + ", expected a host, perhaps with a port");
                return null;
            }
        }
        return node.text;
    }
}
