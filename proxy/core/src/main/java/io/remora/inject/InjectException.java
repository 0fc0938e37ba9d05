package io.remora.inject;

import java.util.List;

/** Problems of a manifest, of its annotations or of the operator's settings, each with its place and what to write instead. */
public final class InjectException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient List<String> problems;

    InjectException(List<String> problems) {
        super(String.join("; ", problems));
        this.problems = List.copyOf(problems);
    }

    InjectException(String problem) {
        this(List.of(problem));
    }

    public List<String> problems() {
        return problems;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
