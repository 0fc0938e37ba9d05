package io.remora.compilelog;

/** A place in a method from which code returned to the interpreter, for one reason. */
final class TrapRow extends TableRow {
    String reason = "";
    String action = "";
    String method = "";
    long bci;
    long count;
    long firstMs;
    long lastMs;

    TrapRow(String name) {
        super(name);
    }

    @Override
    long weight() {
        return count;
    }
}
