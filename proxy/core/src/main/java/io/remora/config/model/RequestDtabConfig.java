package io.remora.config.model;

import java.util.ArrayList;
import java.util.List;

/**
 * The names that the dtabs of trusted requests may delegate to.
 *
 * @param place where the section stands
 * @param allow beginnings of names, one or more
 */
public record RequestDtabConfig(PlacedText place, List<PlacedText> allow) {
    /** Returns the allowed names as they stand in the file. */
    public List<String> allowed() {
        List<String> texts = new ArrayList<>(allow.size());
        for (PlacedText one : allow) {
            texts.add(one.text());
        }
        return List.copyOf(texts);
    }
}
