package io.remora.config.model;

/**
 * The file permissions of a listener that is a Unix socket, which say who may connect. Immutable.
 *
 * @param mode permissions of the file, as chmod takes them
 * @param owner a user, empty for the sidecar's own
 * @param group empty for the sidecar's own
 */
public record SocketConfig(int mode, String owner, String group) {}
