package io.remora.config.yaml;

import io.remora.text.Ascii;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Judges paths of files before anything opens them, so that no later use of one throws an unexpected exception. */
public final class FilePath {
    private FilePath() {}

    /**
     * Reports a path that no file can have.
     *
     * @param path that the node's text stands for
     * @param expected text of the message: the form to write instead
     */
    public static void judge(Node node, String key, String path, String expected, Problems problems) {
        boolean isVisible = !path.isBlank() && Ascii.oneLine(path).equals(path);
        if (!isVisible || !isEncodable(path)) {
            String how = isVisible ? ", in characters that the locale has" : "";
            problems.at(node, key + " is " + node.quoted() + ", expected " + expected + how);
        }
    }

    /** Tells whether the system has octets for it: in the locale C only ASCII has. */
    private static boolean isEncodable(String path) {
        try {
            return !Path.of(path).toString().isEmpty();
        } catch (InvalidPathException e) {
            return false;
        }
    }
}
