package io.remora.transport;

/**
 * The drain of one loop's frontend connections: each is asked to end after the exchange in progress, and in the end all
 * are cut.
 *
 * <p>Owner: the loop, whose thread runs both tasks.
 */
public final class Drains implements Runnable, Deadlines.OwnerVisitor {
    private final Loop loop;
    private boolean cutting;

    public Drains(Loop loop) {
        this.loop = loop;
    }

    /** The task for when the time is over: whatever is in progress is cut. */
    public Runnable end() {
        Drains end = new Drains(loop);
        end.cutting = true;
        return end;
    }

    @Override
    public void run() {
        loop.deadlines().forEachOwner(this);
    }

    @Override
    public void visit(Deadline.Expirable owner) {
        if (owner instanceof Drainable connection) {
            if (cutting) {
                connection.cut();
            } else {
                connection.drain();
            }
        }
    }
}
