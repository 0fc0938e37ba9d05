package io.remora.admin;

import io.remora.log.Log;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A page whose response takes a while to make. A separate daemon thread makes it, as the admin thread answers probes.
 *
 * <p>Thread safe. Bounds: one request at a time in the process; a further one gets 409. Cost: loaded by the first such
 * request.
 */
final class SlowPage {
    /** Time in which a client has to read a response that has been made. */
    static final long SEND_NS = 60_000_000_000L;

    private final String component;
    private final String busyText;
    private final long stackBytes;
    private final AtomicBoolean busy = new AtomicBoolean();

    /**
     * Makes a page.
     *
     * @param component of the log, which also names the thread
     * @param busyText for a client whose request comes during another
     */
    SlowPage(String component, String busyText) {
        this(component, busyText, 0);
    }

    /**
     * Makes a page whose thread has a stack of its own size.
     *
     * @param stackBytes 0 for the default of the JVM
     */
    SlowPage(String component, String busyText, long stackBytes) {
        this.component = component;
        this.busyText = busyText;
        this.stackBytes = stackBytes;
    }

    /** Begins the work, unless another request has the page. */
    void begin(LaterReply then, Work work) {
        Turn turn = new Turn(this, then, work);
        if (!busy.compareAndSet(false, true)) {
            then.told(409, busyText + '\n');
            return;
        }
        try {
            Thread thread = new Thread(null, turn, "remora-" + component, stackBytes);
            thread.setDaemon(true);
            thread.start();
        } catch (RuntimeException | Error e) {
            // a limit of processes or of memory is reached
            turn.failed(e.toString());
        }
    }

    /** Work that makes the response. */
    interface Work {
        /**
         * Makes the response, on the page's thread.
         *
         * @throws IOException if that fails; the client gets 503 with the message, or a body that is cut
         */
        void answer(Turn turn) throws IOException, InterruptedException;
    }

    /** The turn of one request. Owner: the page's thread. */
    static final class Turn implements Runnable {
        private final SlowPage page;
        private final LaterReply then;
        private final Work work;
        private @Nullable StreamedAnswer body;
        private boolean over;

        private Turn(SlowPage page, LaterReply then, Work work) {
            this.page = page;
            this.then = then;
            this.work = work;
        }

        @Override
        public void run() {
            try {
                work.answer(this);
            } catch (IOException e) {
                failed(String.valueOf(e.getMessage()));
            } catch (InterruptedException e) {
                failed("interrupted");
            } catch (RuntimeException | Error e) {
                failed(e.toString());
            } finally {
                release();
            }
        }

        /** Returns the address of the client, for the log. */
        String peer() {
            return then.peer();
        }

        /** Sends the whole response. */
        void told(int status, String text) {
            release();
            then.told(status, text);
        }

        /**
         * Answers a request that cannot be granted: 400 for an argument, 409 for a state. Returns false for any other
         * cause, which has no answer yet.
         */
        boolean refuse(Throwable why) {
            int status = why instanceof IllegalArgumentException ? 400 : why instanceof IllegalStateException ? 409 : 0;
            if (status > 0) {
                told(status, why.getMessage() + '\n');
            }
            return status > 0;
        }

        /** Begins a response of status 200; {@link #end} ends it. */
        StreamedAnswer stream(String contentType) throws IOException {
            StreamedAnswer begun = then.stream(contentType);
            body = begun;
            return begun;
        }

        /** Sends a text as the whole response of status 200, and returns its bytes once the client has read it. */
        long send(String text) throws IOException {
            StreamedAnswer out = stream(Reply.TEXT);
            out.endBy(System.nanoTime() + SEND_NS);
            out.write(text.getBytes(StandardCharsets.UTF_8));
            return end();
        }

        /** Returns whether the head of a response has been sent. */
        boolean hasBegun() {
            return body != null;
        }

        /** Ends the response that was begun, and returns the bytes of its body. */
        long end() throws IOException {
            StreamedAnswer begun = body;
            if (begun == null) {
                throw new IllegalStateException("no response was begun");
            }
            begun.flush();
            release();
            begun.end();
            return begun.bytes();
        }

        // before the last byte: the client may send the next request as soon as it has the response
        private void release() {
            if (!over) {
                over = true;
                page.busy.set(false);
            }
        }

        private void failed(String why) {
            String line = page.component + ": " + why + "; ";
            StreamedAnswer begun = body;
            if (begun != null) {
                Log.warn(line + "cutting the response peer=" + then.peer() + " bytes=" + begun.bytes());
                release();
                begun.cut();
            } else if (over) {
                Log.warn(line + "the response was already sent peer=" + then.peer());
            } else {
                Log.warn(line + "responding with 503 peer=" + then.peer());
                told(503, why + '\n');
            }
        }
    }
}
