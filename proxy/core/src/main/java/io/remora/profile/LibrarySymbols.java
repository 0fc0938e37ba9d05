package io.remora.profile;

import io.remora.log.Log;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The search for a library's file of symbols. {@code NAME.symbols} is next to the library {@code NAME.so}. That of the VM may
 * also be next to the directory of the runtime image, as {@code IMAGE.symbols}, so that the image stays without it.
 *
 * <p>Cost: one read of {@value #SEARCHED} bytes of the library.
 */
final class LibrarySymbols {
    private static final String LIBRARY = ".so";
    private static final String SYMBOLS = ".symbols";
    private static final String VM = "/libjvm";

    /** The linker places the build ID right behind the program headers. */
    private static final int SEARCHED = 4_096;

    private static final int ID_BYTES = 20;
    private static final int HEX = 16;
    private static final int DIGIT_BITS = 4;

    /** Head of an ELF note with a build ID, NT_GNU_BUILD_ID of elf.h: lengths of name and content, type and name. */
    private static final byte[] NOTE = {4, 0, 0, 0, ID_BYTES, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0};

    private LibrarySymbols() {}

    /** Returns the names of a library's functions; null if there is no file of this build of the library. */
    static @Nullable SymbolFile open(String library) {
        String stem = library.endsWith(LIBRARY) ? library.substring(0, library.length() - LIBRARY.length()) : library;
        SymbolFile found = open(stem + SYMBOLS, library);
        File image = new File(System.getProperty("java.home", "")).getParentFile();
        return found != null || image == null || !stem.endsWith(VM) ? found : open(image + SYMBOLS, library);
    }

    private static @Nullable SymbolFile open(String path, String library) {
        if (!new File(path).isFile()) {
            return null;
        }
        try {
            SymbolFile file = new SymbolFile(path);
            if (file.buildId().isEmpty() || file.buildId().equals(buildId(library))) {
                return file;
            }
            file.close();
            Log.warn("profile: " + path + " belongs to another build of " + library + "; its functions have no names");
        } catch (IOException e) {
            Log.warn("profile: cannot read " + path + ": " + e.getMessage() + "; functions have no names");
        }
        return null;
    }

    /** Returns the build ID of a library in hexadecimal digits; empty if it has none. */
    static String buildId(String library) throws IOException {
        byte[] head;
        try (FileInputStream in = new FileInputStream(library)) {
            head = in.readNBytes(SEARCHED);
        }
        for (int at = 0; at + NOTE.length + ID_BYTES <= head.length; at++) {
            if (Arrays.equals(head, at, at + NOTE.length, NOTE, 0, NOTE.length)) {
                return hex(head, at + NOTE.length);
            }
        }
        return "";
    }

    private static String hex(byte[] from, int start) {
        StringBuilder text = new StringBuilder();
        for (int i = start; i < start + ID_BYTES; i++) {
            text.append(Character.forDigit(from[i] >> DIGIT_BITS & (HEX - 1), HEX));
            text.append(Character.forDigit(from[i] & (HEX - 1), HEX));
        }
        return text.toString();
    }
}
