package io.remora.compilelog;

/**
 * Code that a compiler has installed.
 *
 * @param level 1 to 3 for C1, 4 for C2
 * @param isOsr whether it replaces a running loop
 */
record MadeCode(String method, int level, boolean isOsr, long bytes) {}
