package io.remora.config.yaml;

import io.remora.config.model.ConfigException;
import io.remora.config.model.Problem;
import io.remora.text.Ascii;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The problems that have been found so far. Owner: the thread that reads. */
public final class Problems {
    private final String file;
    private final List<Problem> found = new ArrayList<>();

    public Problems(String file) {
        this.file = file;
    }

    void at(int line, int column, String message) {
        Problem problem = new Problem(file, line, column, message);
        // what a route itself says is read for each of its clusters
        if (!found.contains(problem)) {
            found.add(problem);
        }
    }

    /** Adds a problem, unless the node is broken: a problem has been reported then. */
    public void at(Node node, String message) {
        if (!node.isBroken()) {
            at(node.line, node.column, message);
        }
    }

    /** The problem that makes reading on pointless, together with those before it. */
    public ConfigException fatal(int line, int column, String message) {
        at(line, column, message);
        return exception();
    }

    public void throwIfAny() throws ConfigException {
        if (!found.isEmpty()) {
            throw exception();
        }
    }

    private ConfigException exception() {
        Collections.sort(found);
        return new ConfigException(found);
    }

    /** A piece of the file as it may stand in a message: on one line, and short. */
    public static String quote(String text) {
        return Ascii.quote(text);
    }
}
