package io.remora.bundle;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Words that the sidecar itself may write, from the texts in its classes. Any other word of a log is somebody else's.
 *
 * <p>Cost: reads the jar once. Spec: JVMS 4.4.
 */
final class Vocabulary {
    private static final int UTF8 = 1;
    private static final int LONG = 5;
    private static final int DOUBLE = 6;
    private static final int STRING = 8;
    private static final int METHOD_HANDLE = 15;
    private static final String OURS = "io/remora/";

    private final Set<String> words = new HashSet<>();

    private Vocabulary() {}

    /** Reads the classes of the jar that this class is from; no words where it is from none. */
    static Vocabulary ofThisJar() throws IOException {
        String classPath = System.getProperty("java.class.path", "");
        int colon = classPath.indexOf(':');
        return of(Path.of(colon < 0 ? classPath : classPath.substring(0, colon)));
    }

    static Vocabulary of(Path jar) throws IOException {
        Vocabulary vocabulary = new Vocabulary();
        if (!Files.isRegularFile(jar)) {
            return vocabulary;
        }
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            Enumeration<? extends ZipEntry> entries = zip.entries();
            while (entries.hasMoreElements()) {
                ZipEntry entry = entries.nextElement();
                if (entry.getName().startsWith(OURS) && entry.getName().endsWith(".class")) {
                    try (InputStream in = zip.getInputStream(entry)) {
                        vocabulary.add(new DataInputStream(new BufferedInputStream(in)));
                    }
                }
            }
        }
        return vocabulary;
    }

    private void add(DataInputStream in) throws IOException {
        in.readLong();
        String[] texts = new String[in.readUnsignedShort()];
        int[] constants = new int[texts.length];
        for (int i = 1; i < texts.length; i++) {
            int tag = in.readUnsignedByte();
            if (tag == UTF8) {
                texts[i] = in.readUTF();
            } else if (tag == STRING) {
                constants[i] = in.readUnsignedShort();
            } else {
                in.skipNBytes(size(tag));
                i += tag == LONG || tag == DOUBLE ? 1 : 0;
            }
        }
        // names of classes and methods are no words of a log
        for (int constant : constants) {
            if (texts[constant] != null) {
                add(texts[constant]);
            }
        }
    }

    private static int size(int tag) {
        return switch (tag) {
            case LONG, DOUBLE -> 8;
            case METHOD_HANDLE -> 3;
            // a class, a type, a module, a package
            case 7, 16, 19, 20 -> 2;
            default -> 4;
        };
    }

    private void add(String text) {
        int start = 0;
        for (int i = 0; i <= text.length(); i++) {
            if (i == text.length() || !isLetter(text.charAt(i))) {
                if (i > start) {
                    words.add(text.substring(start, i));
                }
                start = i + 1;
            }
        }
    }

    /** Returns whether all letters of a text are in words of the sidecar. */
    boolean knows(String text) {
        int start = 0;
        for (int i = 0; i <= text.length(); i++) {
            if (i == text.length() || !isLetter(text.charAt(i))) {
                if (i > start && !words.contains(text.substring(start, i))) {
                    return false;
                }
                start = i + 1;
            }
        }
        return true;
    }

    private static boolean isLetter(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c > '~';
    }
}
