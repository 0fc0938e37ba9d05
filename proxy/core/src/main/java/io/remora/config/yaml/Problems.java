package io.remora.config.yaml;

import io.remora.config.model.ConfigException;
import io.remora.config.model.Problem;
import io.remora.text.Ascii;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The problems that have been found so far. Owner: the thread that reads. */
public final class Problems {
    private final String file;
    // what a route itself says is read for each of its clusters, and stands once
    private final Set<Problem> found = new LinkedHashSet<>();

    public Problems(String file) {
        this.file = file;
    }

    void at(int line, int column, String message) {
        found.add(new Problem(file, line, column, message));
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
        List<Problem> sorted = new ArrayList<>(found);
        Collections.sort(sorted);
        return new ConfigException(sorted);
    }

    /** A piece of the file as it may stand in a message: on one line, and short. */
    public static String quote(String text) {
        return Ascii.quote(text);
    }
}
