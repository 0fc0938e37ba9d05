package io.remora.http1;

import io.netty.util.concurrent.FastThreadLocal;
import io.remora.http.Fields;

/** The arrays that the parsers of one thread share, of which one parses at a time. Owner: one event loop. */
final class SectionScratch {
    /** Octets taken from a read at once; few heads are longer. */
    static final int OCTETS = 1_024;
    /** Lines whose places need no array of their own; few heads have more. */
    private static final int LINES = 32;

    private static final OfThread OF_THREAD = new OfThread();

    final byte[] octets = new byte[OCTETS];
    final int[] lines = Fields.places(LINES);

    static SectionScratch ofThread() {
        return OF_THREAD.get();
    }

    private static final class OfThread extends FastThreadLocal<SectionScratch> {
        @Override
        protected SectionScratch initialValue() {
            return new SectionScratch();
        }
    }
}
