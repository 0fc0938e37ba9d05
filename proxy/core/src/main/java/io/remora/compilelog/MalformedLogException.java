package io.remora.compilelog;

import java.io.IOException;

/** A line of the input that no log of its kind has. The message names the file and the line. */
final class MalformedLogException extends IOException {
    private static final long serialVersionUID = 1L;

    MalformedLogException(String file, long line, String problem) {
        super(file + ":" + line + ": " + problem);
    }
}
