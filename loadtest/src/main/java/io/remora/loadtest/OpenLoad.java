package io.remora.loadtest;

import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A load generator with an open loop that keeps its rate while some requests hang, and tells what became of each: a command a line on standard
 * input, answered by one line.
 *
 * <pre>
 * begin PORT PATH RATE CONNECTIONS MOST_CONNECTIONS FILE   see {@link OpenRun}
 * end                                                      requests N failed N connections N
 * </pre>
 */
public final class OpenLoad {
    private @Nullable OpenRun run;

    private OpenLoad() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        OpenLoad load = new OpenLoad();
        Commands.serve(Map.of("begin", load::begin, "end", words -> load.end()));
    }

    private String begin(String[] words) throws IOException {
        OpenRun.Plan plan = new OpenRun.Plan(
                Integer.parseInt(words[1]),
                words[2],
                Double.parseDouble(words[3]),
                Integer.parseInt(words[4]),
                Integer.parseInt(words[5]));
        run = new OpenRun(plan, new OutcomeFile(words[6]));
        run.begin();
        return Commands.OK;
    }

    private String end() throws IOException, InterruptedException {
        if (run == null) {
            throw new IllegalStateException("nothing has begun");
        }
        OpenRun ending = run;
        run = null;
        return ending.end();
    }
}
