package io.remora.config.model;

/**
 * An optional part of a listener, route, cluster or sidecar: the name by which {@link Options} knows it, and the type
 * of its value. Two are the same if their names are, which are interned: a list of features can ask for an option whose
 * class it must not load. A constant of this type loads nothing of the type that it names. Immutable.
 */
@SuppressWarnings("UnusedTypeParameter") // it is the type of the value that Options gives back
public final class Option<T> {
    final String name;

    private Option(String name) {
        this.name = name.intern();
    }

    public static <T> Option<T> of(String name) {
        return new Option<>(name);
    }

    @Override
    public String toString() {
        return name;
    }
}
