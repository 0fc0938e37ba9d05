package io.remora.exchange;

import io.remora.stages.Admit;
import io.remora.stages.BoundBody;
import io.remora.stages.CountHops;
import io.remora.stages.Dispatch;
import io.remora.stages.FindRoute;
import io.remora.stages.GuardLoop;
import io.remora.stages.RewriteFields;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One exchange through the stages, from its request's head to its report, between a frontend and a backend that only
 * count and release what they are handed; beside it the same exchange with the stages written out as an if-chain.
 *
 * <p>Every exchange needs heads of its own, because it edits them. {@link #heads} measures what making those of a GET
 * costs, which is part of every other figure here and no part of the relay; a POST has two lines more.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
        value = 2,
        jvmArgsAppend = {"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xms64m", "-Xmx64m"})
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class Relay {
    /** The two heads of a GET, without the exchange. */
    @Benchmark
    public int heads(Listed sidecar) {
        return sidecar.get().fields.size() + sidecar.ok().fields.size();
    }

    @Benchmark
    public int get(Listed sidecar) {
        return sidecar.exchange(sidecar.get());
    }

    @Benchmark
    public int getByIfChain(Chained sidecar) {
        return sidecar.exchange(sidecar.get());
    }

    @Benchmark
    public int getWithFilter(Filtered sidecar) {
        return sidecar.exchange(sidecar.get());
    }

    @Benchmark
    public int post(Listed sidecar) {
        return sidecar.exchange(sidecar.post());
    }

    // ---- the stages, in the order of io.remora.serving.Stages

    /** Goes by the list of stages that every sidecar has. */
    @State(Scope.Thread)
    public static class Listed extends BenchSidecar {
        public Listed() {
            super(
                    new Admit(),
                    new BoundBody(),
                    new GuardLoop(),
                    new CountHops(),
                    new FindRoute(),
                    new RewriteFields(HEADERS, false, requestIds()),
                    new Dispatch());
        }
    }

    /** Goes by the same list, with a stage in it that sees content. */
    @State(Scope.Thread)
    public static class Filtered extends BenchSidecar {
        public Filtered() {
            super(
                    new Admit(),
                    new BoundBody(),
                    new GuardLoop(),
                    new CountHops(),
                    new FindRoute(),
                    new RewriteFields(HEADERS, false, requestIds()),
                    new CountContent(),
                    new Dispatch());
        }
    }

    /** Does in one stage what the others' lists do. */
    @State(Scope.Thread)
    public static class Chained extends BenchSidecar {
        public Chained() {
            super(new IfChain());
        }
    }
}
