package io.remora.compilelog;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that a report is written from.
 *
 * @param file the names of the logs
 * @param latency null without a latency log
 * @param top the rows of a table that has no end of its own
 */
record CompileReport(
        String file,
        Compilations all,
        List<Storm> storms,
        @Nullable LatencyReport latency,
        int top) {}
