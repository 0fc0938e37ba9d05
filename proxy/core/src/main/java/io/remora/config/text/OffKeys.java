package io.remora.config.text;

import java.util.Map;

/**
 * The keys of features that {@link ConfigText} shows where the features are off, each with its value then.
 *
 * @param listeners keys of those that take requests
 */
public record OffKeys(Map<String, String> top, Map<String, String> listeners) {
    /** Nothing to show, as a configuration without features has it. */
    static final OffKeys NONE = new OffKeys(Map.of(), Map.of());
}
