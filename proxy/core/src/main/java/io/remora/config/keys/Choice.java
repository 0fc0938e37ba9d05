package io.remora.config.keys;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A key whose value is one of a few words: an enum's constants, written in lower case and with hyphens, or a switch, which is true or
 * false.
 */
public final class Choice<T> extends ValueKey<T> {
    private final T[] all;

    public Choice(@Nullable Key parent, String name, T[] all, T byDefault) {
        this(parent, name, null, all, byDefault);
    }

    /** The words are those that the type says, where it is given. */
    Choice(@Nullable Key parent, String name, @Nullable String type, T[] all, T byDefault) {
        super(parent, name, type, word(byDefault), byDefault);
        this.all = all;
    }

    public T[] all() {
        return all;
    }

    @Override
    public @Nullable T read(String text) {
        for (T choice : all) {
            if (word(choice).equals(text)) {
                return choice;
            }
        }
        return null;
    }

    @Override
    public String expected(String text) {
        return type == null
                ? ", expected one of " + String.join(", ", names(List.of(all)))
                : ", expected true or false";
    }

    @Override
    public String write(T value) {
        return word(value);
    }

    private static String word(Object choice) {
        return choice instanceof Enum<?> constant ? lower(constant) : choice.toString();
    }

    public static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the words for these in the file. */
    public static List<String> names(List<?> constants) {
        List<String> names = new ArrayList<>();
        for (Object one : constants) {
            names.add(word(one));
        }
        return names;
    }
}
