package io.remora.admin;

import io.remora.log.UtcTime;
import io.remora.metrics.ConfigState;

/**
 * Comments at the head of the configuration's page, about its generation and its last reload. The page stays a valid
 * configuration with them.
 */
final class ConfigHead {
    private ConfigHead() {}

    static void append(StringBuilder text, ConfigState state) {
        text.append("# generation ").append(state.generation()).append(", since ");
        UtcTime.appendIso(text, state.sinceMs());
        text.append('\n');
        if (state.lastMs() == 0) {
            return;
        }
        text.append("# the last reload, ");
        UtcTime.appendIso(text, state.lastMs());
        text.append(":\n#   ");
        String last = state.last();
        int end = last.endsWith("\n") ? last.length() - 1 : last.length();
        for (int i = 0; i < end; i++) {
            char c = last.charAt(i);
            text.append(c);
            if (c == '\n') {
                text.append("#   ");
            }
        }
        text.append('\n');
    }
}
