package io.remora.finagle;

import com.twitter.finagle.Backoff;
import com.twitter.finagle.Http;
import com.twitter.finagle.http.service.HttpResponseClassifier;
import com.twitter.finagle.liveness.FailureAccrualFactory;
import com.twitter.finagle.liveness.FailureAccrualFactory$;
import com.twitter.finagle.liveness.FailureAccrualPolicy;
import com.twitter.finagle.loadbalancer.Balancers;
import com.twitter.finagle.loadbalancer.LoadBalancerFactory;
import com.twitter.finagle.util.Rng;
import com.twitter.util.Duration;
import io.remora.cluster.AccrualConfig;
import io.remora.cluster.BalancerConfig;
import io.remora.cluster.ResilienceConfig;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Limits;
import org.jspecify.annotations.Nullable;
import scala.Function0;
import scala.Option;
import scala.Tuple2;

/** Says in Finagle's terms how a cluster balances, and when an endpoint is out of use. */
final class Policies {
    private Policies() {}

    static Http.Client apply(Http.Client client, ClusterConfig config) {
        ResilienceConfig resilience = ResilienceConfig.of(config);
        AccrualConfig accrual = resilience == null ? null : resilience.accrual();
        Http.Client balanced = client.withLoadBalancer().apply(balancer(BalancerConfig.of(config)));
        // one refused connect would keep an endpoint out of use, and a sidecar often has no other
        Http.Client plain = balanced.withSessionQualifier().noFailFast();
        if (accrual == null) {
            return plain.withSessionQualifier().noFailureAccrual();
        }
        Function0<FailureAccrualPolicy> policy = () -> policyOf(accrual);
        return plain.withResponseClassifier(HttpResponseClassifier.ServerErrorsAsFailures())
                .configured(new Tuple2<>(
                        FailureAccrualFactory$.MODULE$.Param(policy), FailureAccrualFactory.Param$.MODULE$.param()));
    }

    private static LoadBalancerFactory balancer(@Nullable BalancerConfig config) {
        Rng rng = Rng.threadLocal();
        if (config == null) {
            return Balancers.p2c(rng);
        }
        return switch (config.kind()) {
            case PEAK_EWMA -> Balancers.p2cPeakEwma(Duration.fromNanoseconds(config.decayNs()), rng);
            case ROUND_ROBIN -> Balancers.roundRobin();
            case APERTURE ->
                Balancers.aperture(
                        Balancers.aperture$default$1(),
                        Balancers.aperture$default$2(),
                        Balancers.aperture$default$3(),
                        config.window().size(),
                        rng,
                        Option.empty());
            case LEAST_LOADED -> Balancers.p2c(rng);
            case MAGLEV -> throw new IllegalArgumentException("refused: " + config.kind());
        };
    }

    // one for each endpoint, which is out of use as soon as either of its halves says so
    private static FailureAccrualPolicy policyOf(AccrualConfig config) {
        FailureAccrualPolicy rate = config.successPercent() == 0 ? null : rateOf(config);
        if (config.consecutive() == 0) {
            return rate == null ? FailureAccrualPolicy.consecutiveFailures(Integer.MAX_VALUE, backOff(config)) : rate;
        }
        FailureAccrualPolicy inARow = FailureAccrualPolicy.consecutiveFailures(config.consecutive(), backOff(config));
        return rate == null ? inARow : inARow.orElse(rate);
    }

    private static FailureAccrualPolicy rateOf(AccrualConfig config) {
        double rate = config.successPercent() / 100.0;
        return config.windowNs() == Limits.UNLIMITED
                ? FailureAccrualPolicy.successRate(rate, config.requests(), backOff(config))
                : FailureAccrualPolicy.successRateWithinDuration(
                        rate, Duration.fromNanoseconds(config.windowNs()), backOff(config), config.requests());
    }

    private static Backoff backOff(AccrualConfig config) {
        return Backoff.exponential(
                Duration.fromNanoseconds(config.backOffNs()), 2, Duration.fromNanoseconds(config.maxBackOffNs()));
    }
}
