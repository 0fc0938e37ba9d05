package io.remora.recorder;

import io.remora.metrics.ChangeListener;

/** Commits an event for each change of state. Thread safe. */
final class RecordedChanges implements ChangeListener {
    @Override
    public void ejected(String cluster, String endpoint, String reason, long forNs) {
        EjectionEvent event = new EjectionEvent();
        event.cluster = cluster;
        event.endpoint = endpoint;
        event.reason = reason;
        event.backOff = forNs;
        event.commit();
    }

    @Override
    public void pressed(String before, String now, int fillPerMille, long usedBytes) {
        PressureEvent event = new PressureEvent();
        event.before = before;
        event.stage = now;
        event.fill = fillPerMille / 1_000f;
        event.used = usedBytes;
        event.commit();
    }

    @Override
    public void reloaded(boolean taken, long generation) {
        ReloadEvent event = new ReloadEvent();
        event.taken = taken;
        event.generation = generation;
        event.commit();
    }
}
