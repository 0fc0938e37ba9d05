package io.remora.feature.fault;

import io.remora.config.keys.Key;
import io.remora.config.model.Limits;
import io.remora.config.model.Option;
import io.remora.config.text.ConfigText;
import io.remora.config.text.ShownOption;
import io.remora.http.GrpcStatus;
import org.jspecify.annotations.Nullable;

/**
 * The faults of a route.
 *
 * @param delayNs for which a request is held; {@link Limits#UNLIMITED} for none
 * @param delayPercent of the requests that are delayed
 * @param abort the status of the response in the endpoint's place, 0 for none
 * @param abortGrpc the same for calls of gRPC; null for the one that belongs to {@code abort}
 * @param abortPercent of the requests that are aborted
 * @param headers whether a request may ask for its own faults
 * @param maxDelayNs the longest delay that a request may ask for
 * @param maxActive delays under way for each listener on each event loop
 */
record FaultConfig(
        long delayNs,
        int delayPercent,
        int abort,
        @Nullable GrpcStatus abortGrpc,
        int abortPercent,
        boolean headers,
        long maxDelayNs,
        int maxActive)
        implements ShownOption {
    static final Option<FaultConfig> FAULT = Option.of(FaultKeys.NAME);

    @Override
    public void show(ConfigText text, @Nullable Key parent) {
        text.section(FaultKeys.FAULT);
        text.put(FaultKeys.DELAY, delayNs);
        text.put(FaultKeys.DELAY_PERCENT, delayPercent);
        text.plain(FaultKeys.ABORT, abort == 0 ? Key.OFF : Integer.toString(abort));
        text.plain(FaultKeys.ABORT_GRPC, abortGrpc == null ? Key.OFF : abortGrpc.label());
        text.put(FaultKeys.ABORT_PERCENT, abortPercent);
        text.plain(FaultKeys.HEADERS, Boolean.toString(headers));
        text.put(FaultKeys.MAX_DELAY, maxDelayNs);
        text.put(FaultKeys.MAX_ACTIVE, maxActive);
    }
}
