package io.remora.transport;

/** Reaches every connection of a loop. Owner: the loop. */
public final class Drains {
    private Drains() {}

    /** Asks each to end after the exchange in progress. */
    public static void drain(Loop loop) {
        loop.deadlines().forEachOwner(new Deadlines.OwnerVisitor() {
            @Override
            public void visit(Deadline.Expirable owner) {
                if (owner instanceof Drainable connection) {
                    connection.drain();
                }
            }
        });
    }

    /** Ends each now. */
    public static void cut(Loop loop) {
        loop.deadlines().forEachOwner(new Deadlines.OwnerVisitor() {
            @Override
            public void visit(Deadline.Expirable owner) {
                if (owner instanceof Drainable connection) {
                    connection.cut();
                }
            }
        });
    }
}
