package io.remora.inject;

import io.remora.text.Ascii;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The table of JVM profiles from which the launchers select one, as jvm-profiles/README.md describes it.
 *
 * <p>Immutable. The injection reads the table of the image or the checkout that it runs in.
 */
public final class ProfileTable {
    /**
     * A row: the profile of an image for a rate, and its measured memory. A name of {@code -} is a rate without a profile.
     *
     * @param refusal the options of the profile, with blanks in between; without a profile the reason
     */
    public record Profile(String image, String name, long rps, long peakBytes, String refusal) {
        boolean isOffered() {
            return !name.equals("-") && peakBytes > 0;
        }
    }

    private static final int FIELDS = 8;

    private final List<Profile> rows;

    private ProfileTable(List<Profile> rows) {
        this.rows = rows;
    }

    /** Reads the table next to the jar that runs. */
    public static ProfileTable ofThisImage() throws IOException {
        String classPath = System.getProperty("java.class.path", "");
        int colon = classPath.indexOf(':');
        Path jar =
                Path.of(colon < 0 ? classPath : classPath.substring(0, colon)).toAbsolutePath();
        // home/lib/remora/remora.jar of an image and of an installation, proxy/core/target/remora.jar of a checkout
        for (String place :
                new String[] {"../../../jvm-profiles/table", "../jvm-profiles/table", "../../../../jvm-profiles/table"
                }) {
            Path table = jar.resolve(place).normalize();
            if (Files.isReadable(table)) {
                return read(table);
            }
        }
        throw new IOException("there is no table of JVM profiles next to " + jar + "; make build makes it");
    }

    /** Reads a table. */
    public static ProfileTable read(Path table) throws IOException {
        List<Profile> rows = new ArrayList<>();
        for (String line : Files.readAllLines(table)) {
            if (!line.startsWith("#")) {
                rows.add(row(table, line));
            }
        }
        return new ProfileTable(rows);
    }

    private static Profile row(Path table, String line) throws IOException {
        String[] fields = new String[FIELDS];
        int at = 0;
        for (int i = 0; i < FIELDS; i++) {
            int end = line.indexOf(' ', at);
            if (end < 0) {
                throw new IOException(table + ": a row of fewer than " + FIELDS + " fields: " + Ascii.quote(line));
            }
            fields[i] = line.substring(at, end);
            at = end + 1;
        }
        return new Profile(
                fields[0], fields[1], Long.parseLong(fields[2]), Long.parseLong(fields[3]), line.substring(at));
    }

    /** Returns whether the table has rows for a runtime image. */
    boolean knows(String image) {
        return !of(image).isEmpty();
    }

    /** Returns the names of the runtime images, in the order of the table. */
    List<String> images() {
        List<String> images = new ArrayList<>();
        for (Profile row : rows) {
            if (!images.contains(row.image)) {
                images.add(row.image);
            }
        }
        return images;
    }

    /** Returns the profiles that an image offers. */
    public List<Profile> offered(String image) {
        List<Profile> offered = of(image);
        offered.removeIf(row -> !row.isOffered());
        return offered;
    }

    /** Returns the first row of an image that covers the rate, as the launchers do; null if the table does not know it. */
    @Nullable
    Profile find(String image, long rps) {
        for (Profile row : of(image)) {
            if (row.rps >= rps) {
                return row;
            }
        }
        return null;
    }

    private List<Profile> of(String image) {
        int jdk = image.lastIndexOf("-jdk");
        List<Profile> found = rows(image);
        return found.isEmpty() && jdk > 0 ? rows(image.substring(0, jdk)) : found;
    }

    private List<Profile> rows(String image) {
        List<Profile> found = new ArrayList<>();
        for (Profile row : rows) {
            if (row.image.equals(image)) {
                found.add(row);
            }
        }
        return found;
    }
}
