package io.remora.config.model;

import java.util.List;

/** A configuration that cannot be used, with everything that is wrong with it. Carries no stack trace. */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient List<Problem> problems;

    /** Takes the problems in the order of the file. */
    public ConfigException(List<Problem> problems) {
        super(lines(problems), null, false, false);
        this.problems = List.copyOf(problems);
    }

    /** One or more, in the order of the file. */
    public List<Problem> problems() {
        return problems;
    }

    private static String lines(List<Problem> problems) {
        StringBuilder text = new StringBuilder();
        for (Problem problem : problems) {
            text.append(text.length() == 0 ? "" : "\n").append(problem);
        }
        return text.toString();
    }
}
