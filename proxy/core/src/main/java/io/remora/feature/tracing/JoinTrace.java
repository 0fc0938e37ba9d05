package io.remora.feature.tracing;

import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.http.Fields;

/**
 * Has a request continue the trace that it is part of, or begin one, and decides whether it is recorded.
 *
 * <p>Owner: one listener on one event loop. Cost: where nothing is recorded, no text is made.
 */
final class JoinTrace extends Stage {
    private final TracingConfig config;
    private final Propagator propagator;
    private final Sampler sampler;
    private final LoopTracer tracer;
    private final TraceContext context = new TraceContext();

    JoinTrace(TracingConfig config, LoopTracer tracer) {
        this.config = config;
        this.propagator = new Propagator(config.propagation());
        this.sampler = new Sampler(config.sampleMillionths());
        this.tracer = tracer;
    }

    @Override
    public boolean pass(StagedRequest exchange) {
        Fields fields = exchange.head().fields;
        propagator.read(fields, context);
        boolean decided = context.sampled != TraceContext.UNDECIDED && believes(exchange);
        if (!context.hasId()) {
            context.high = tracer.newId();
            context.low = tracer.newId();
        }
        boolean sampled = decided ? context.sampled == TraceContext.YES : sampler.takes(context.low);
        exchange.trace(context.high, context.low);
        if (!sampled && !config.failures()) {
            // no span is recorded here, so that those of the backend hang below those of the caller
            boolean begun = context.parent == 0;
            long span = begun ? tracer.newId() : context.parent;
            propagator.write(fields, context.high, context.low, span, context.grandparent, false);
        } else {
            exchange.join(new ExchangeSpans(exchange, tracer, propagator, config, context, sampled));
        }
        return true;
    }

    @Override
    public int addedLines() {
        return propagator.lines();
    }

    @Override
    public int addedOctets() {
        return propagator.octets();
    }

    private boolean believes(StagedRequest exchange) {
        TrustedParent parent = config.parent();
        return parent == TrustedParent.EVERYONE || parent == TrustedParent.TRUSTED && exchange.isBelieved();
    }
}
