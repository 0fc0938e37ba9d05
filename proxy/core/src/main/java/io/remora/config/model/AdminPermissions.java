package io.remora.config.model;

import org.jspecify.annotations.Nullable;

/**
 * Permissions of the admin listener's clients beyond the pages that report. Immutable. Cost: loaded only where there is one.
 *
 * @param acts whether the dashboard has buttons that change something
 * @param profile whether they may look inside the process
 * @param heapDump directory of the heap dumps that they may take; null where they may not
 */
public record AdminPermissions(
        boolean acts, boolean profile, @Nullable String heapDump) {}
