package io.remora.config.model;

/**
 * Who may connect to a listener that is a file. Immutable.
 *
 * @param mode permissions of the file, as chmod takes them
 * @param owner a user, empty for the sidecar's own
 * @param group empty for the sidecar's own
 */
public record SocketConfig(int mode, String owner, String group) {}
