package io.remora.compilelog;

/** A method that compilers met at call sites. */
final class CalleeRow extends TableRow {
    long bytecodes;
    long inlined;
    long notInlined;
    /** The reason of the latest refusal. */
    String reason = "";

    CalleeRow(String name) {
        super(name);
    }

    @Override
    long weight() {
        return notInlined + inlined;
    }
}
