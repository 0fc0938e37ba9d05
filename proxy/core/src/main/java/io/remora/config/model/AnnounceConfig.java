package io.remora.config.model;

import java.util.ArrayList;
import java.util.List;

/**
 * The names under which a listener is announced.
 *
 * @param names in the words of the engine that announces it, which judges them as well; one or more
 * @param address where others reach the listener; its port is 0 for the one that the listener is bound to
 */
public record AnnounceConfig(List<PlacedText> names, Address address) {
    /** Returns the names as they stand in the file. */
    public List<String> texts() {
        List<String> texts = new ArrayList<>(names.size());
        for (PlacedText name : names) {
            texts.add(name.text());
        }
        return List.copyOf(texts);
    }
}
