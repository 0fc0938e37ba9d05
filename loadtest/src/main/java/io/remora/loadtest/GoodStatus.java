package io.remora.loadtest;

/**
 * The statuses of a response that are no failure: 2xx, and those of the class that was recorded, as a sidecar answers some
 * requests itself.
 *
 * @param recordedClass first digit of the recorded status
 */
record GoodStatus(int recordedClass) {
    private static final int SUCCESSFUL = 2;

    /** Nothing but 2xx. */
    static final GoodStatus SUCCESS = new GoodStatus(SUCCESSFUL);

    static GoodStatus recorded(int statusClass) {
        return statusClass == SUCCESSFUL ? SUCCESS : new GoodStatus(statusClass);
    }

    /** Returns whether a status is no failure; 0 stands for no response. */
    boolean has(int status) {
        int statusClass = status / 100;
        return statusClass == SUCCESSFUL || status > 0 && statusClass == recordedClass;
    }
}
