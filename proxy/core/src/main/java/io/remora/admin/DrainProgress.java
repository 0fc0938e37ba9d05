package io.remora.admin;

/**
 * The progress of a drain.
 *
 * @param exchanges in progress
 * @param connections of clients that are open
 */
public record DrainProgress(int exchanges, int connections) {
    boolean isOver() {
        return exchanges == 0 && connections == 0;
    }
}
