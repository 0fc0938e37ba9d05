package io.remora.feature.tracing;

import io.remora.exchange.AttemptView;
import io.remora.exchange.Filter;
import io.remora.exchange.RequestView;
import io.remora.exchange.StagedRequest;
import io.remora.http.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * The spans of one exchange, its own and one for each attempt, kept until its end shows whether they are recorded. Tells the backend by each
 * attempt's head which span stands before it.
 *
 * <p>Owner: the exchange. Bounds: the last {@value #MAX_ATTEMPTS} attempts.
 */
final class ExchangeSpans extends Filter {
    private static final int MAX_ATTEMPTS = 32;

    private final StagedRequest request;
    private final LoopTracer tracer;
    private final Propagator propagator;
    private final TracingConfig config;
    final long traceHigh;
    final long traceLow;
    /** The caller's span; 0 for none. */
    final long parent;

    final long id;
    private final boolean sampled;
    private @Nullable AttemptSpan last;
    private int attempts;
    /** The span of which the head tells now. */
    private long told;

    ExchangeSpans(
            StagedRequest request,
            LoopTracer tracer,
            Propagator propagator,
            TracingConfig config,
            TraceContext context,
            boolean sampled) {
        this.request = request;
        this.tracer = tracer;
        this.propagator = propagator;
        this.config = config;
        this.traceHigh = context.high;
        this.traceLow = context.low;
        this.parent = context.parent;
        this.sampled = sampled;
        this.id = tracer.newId();
    }

    TracingConfig config() {
        return config;
    }

    /** The last attempt, from which those before it can be reached. */
    @Nullable
    AttemptSpan last() {
        return last;
    }

    @Override
    public void attempt(RequestHead head, AttemptView attempt) {
        if (attempts < MAX_ATTEMPTS) {
            attempts++;
            last = new AttemptSpan(attempt, tracer.newId(), tracer.nowNs(), last);
        }
        AttemptSpan span = last;
        if (span != null) {
            tell(head, span);
        }
    }

    private void tell(RequestHead head, AttemptSpan span) {
        told = span.id;
        propagator.write(head.fields, traceHigh, traceLow, span.id, id, sampled);
    }

    @Override
    public void picked(AttemptView attempt) {
        AttemptSpan span = of(attempt);
        if (span != null && span.pickedNs == 0) {
            span.pickedNs = tracer.nowNs();
        }
    }

    @Override
    public void sends(RequestHead head, AttemptView attempt) {
        AttemptSpan span = of(attempt);
        if (span == null) {
            return;
        }
        span.sentNs = tracer.nowNs();
        if (told != span.id) {
            // another attempt has begun next to it
            tell(head, span);
        }
    }

    @Override
    public void answered(AttemptView attempt) {
        AttemptSpan span = of(attempt);
        if (span != null) {
            span.answeredNs = tracer.nowNs();
        }
    }

    @Override
    public void attemptEnded(AttemptView attempt) {
        AttemptSpan span = of(attempt);
        if (span != null) {
            span.endedNs = tracer.nowNs();
        }
    }

    private @Nullable AttemptSpan of(AttemptView attempt) {
        for (AttemptSpan span = last; span != null; span = span.before) {
            if (span.attempt == attempt) {
                return span;
            }
        }
        return null;
    }

    @Override
    public void ended(RequestView ended) {
        if (sampled || config.failures() && request.hasFailed()) {
            tracer.record(this, request);
        }
    }
}
