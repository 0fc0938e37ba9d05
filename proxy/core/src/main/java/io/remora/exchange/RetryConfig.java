package io.remora.exchange;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.PlacedOption;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Option;
import java.util.List;

/**
 * The conditions and the bounds of further attempts at a request.
 *
 * @param attempts of one request at the most, the first included
 * @param statuses of responses that are dropped in favour of another attempt
 * @param grpc statuses of gRPC, by name, of calls that are made again whose response is nothing but that
 * @param bodyBytes that are kept of a body, so that it can be sent again
 * @param backOffNs the longest wait before the second attempt; it doubles with each further one
 */
public record RetryConfig(int attempts, List<Integer> statuses, List<String> grpc, int bodyBytes, long backOffNs)
        implements PlacedOption {
    public static final Option<RetryConfig> RETRIES = Option.of(ClusterConfig.RETRIES.toString());

    @Override
    public void show(KeyWriter out, Key key) {
        RetryPart.show(out, key, this);
    }
}
