package io.remora.feature;

import io.remora.exchange.Stage;
import java.util.ArrayList;
import java.util.List;

/**
 * The stages of one listener on one event loop while they are put together, each at its slot.
 *
 * <p>Owner: the thread that makes a snapshot.
 */
public final class StagePath {
    private static final Slot[] SLOTS = Slot.values();

    private final List<List<Stage>> bySlot = new ArrayList<>(SLOTS.length);

    public StagePath() {
        for (int i = 0; i < SLOTS.length; i++) {
            bySlot.add(List.of());
        }
    }

    /**
     * Returns the stages at a slot, to which others may be added. A list, since the verifier loads no class of what is added to one: a
     * stage that is left out stays unloaded.
     */
    @SuppressWarnings("EnumOrdinal") // a slot's list is where the slot stands in the order
    public List<Stage> at(Slot slot) {
        List<Stage> stages = bySlot.get(slot.ordinal());
        if (stages.isEmpty()) {
            stages = new ArrayList<>(1);
            bySlot.set(slot.ordinal(), stages);
        }
        return stages;
    }

    /** Returns all stages in the order of a request. */
    public Stage[] stages() {
        List<Stage> all = new ArrayList<>();
        for (List<Stage> each : bySlot) {
            all.addAll(each);
        }
        return all.toArray(new Stage[0]);
    }
}
