package io.remora.feature.rewrite;

import java.util.List;

/**
 * The value of a field with its variables, taken apart once. Immutable.
 *
 * @param text as the file has it
 * @param literals before, between and behind the variables
 */
public record FieldValue(String text, List<String> literals, List<FieldVariable> variables) {
    /** Returns whether it is one variable, with nothing around it. */
    public boolean isVariable() {
        return variables.size() == 1
                && literals.get(0).isEmpty()
                && literals.get(1).isEmpty();
    }
}
