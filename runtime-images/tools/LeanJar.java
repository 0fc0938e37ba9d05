import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Copies an application's jars with their classes made lean and their entries uncompressed, by name and with one time. A layer of an
 * image is compressed as a whole, and that finds in all entries together what compressing each by itself hides. It leaves out what only builds and
 * native images read, descriptions of packages, and classes that nothing names.
 */
final class LeanJar {
    /** Prefixes of entries that no JVM reads: those of Maven, of an index to other jars, of GraalVM. */
    private static final List<String> UNREAD = List.of(
            "META-INF/maven/", "META-INF/INDEX.LIST", "META-INF/native-image/", "io/netty/util/internal/svm/");

    /** Classes of the commands that write manifests, which a sidecar never loads. */
    private static final String INJECTION = "io/remora/inject/";

    /** Classes of the webhook, which a sidecar never loads either. */
    private static final String WEBHOOK = "io/remora/webhook/";

    /** Classes of applications' probes, which few sidecars load. */
    private static final String PROBES = "io/remora/probes/";

    /** Parts of commands that no sidecar loads, of profiles, and of the check of the user's flags. */
    private static final List<String> COMMANDS = List.of(
            "io/remora/adminclient/",
            "io/remora/advise/",
            "io/remora/bundle/",
            "io/remora/compilelog/",
            "io/remora/flame/",
            "io/remora/profile/",
            "io/remora/vmflags/");

    /** Classes and the page of the dashboard, which few sidecars show. */
    private static final String DASHBOARD = "io/remora/dashboard/";

    private static final String DASHBOARD_PAGE = "io/remora/admin/dashboard";

    private static final LocalDateTime TIME = LocalDateTime.of(2020, 1, 1, 0, 0);
    private static final String WHOLE = "--whole";
    private static final String WITHOUT = "--without";
    /** A prefix that no entry has. */
    private static final String NOTHING = "/";
    private static final String PACKAGE = "package-info.class";
    private static final Pattern CLASS = Pattern.compile("(?:META-INF/versions/\\d+/)?(.*)\\.class");

    private LeanJar() {}

    /**
     * Copies the jars {@code arguments[2]} and so on from the directory {@code arguments[0]} to {@code arguments[1]}; the first is the application's
     * own, and the only one that keeps its line numbers. Behind {@code --without} in front of them stands the prefix of entries to leave out. Jars behind {@code --whole} keep all their classes, and the classes that these name, as they find one another by services and by reflection; then
     * all jars keep line numbers and the generic signatures of fields and methods, which libraries for JSON read.
     */
    public static void main(String[] arguments) throws IOException {
        Path from = Path.of(arguments[0]);
        Path to = Path.of(arguments[1]);
        List<String> jars = new ArrayList<>(List.of(arguments).subList(2, arguments.length));
        String without = NOTHING;
        if (jars.get(0).equals(WITHOUT)) {
            without = jars.get(1);
            jars.subList(0, 2).clear();
        }
        int whole = jars.indexOf(WHOLE);
        if (whole >= 0) {
            jars.remove(whole);
        } else {
            whole = jars.size();
        }
        Reachable application = new Reachable();
        Set<String> own = new HashSet<>();
        for (int i = 0; i < jars.size(); i++) {
            read(from.resolve(jars.get(i)), application, without, i == 0 || i >= whole ? own : new HashSet<>());
        }
        Set<String> kept = application.from(own);
        for (int i = 0; i < jars.size(); i++) {
            boolean more = whole < jars.size();
            copy(from.resolve(jars.get(i)), to.resolve(jars.get(i)), kept, without, more, more || i == 0);
        }
    }

    private static void read(Path jar, Reachable application, String without, Set<String> names) throws IOException {
        try (ZipFile from = new ZipFile(jar.toFile())) {
            for (ZipEntry entry : Collections.list(from.entries())) {
                String name = className(entry);
                if (name != null && !entry.getName().startsWith(without)) {
                    names.add(name);
                    application.add(name, content(from, entry));
                }
            }
        }
    }

    /** With slashes; null for what is no class. */
    private static String className(ZipEntry entry) {
        Matcher name = CLASS.matcher(entry.getName());
        return name.matches() ? name.group(1) : null;
    }

    private static byte[] content(ZipFile from, ZipEntry entry) throws IOException {
        try (InputStream in = from.getInputStream(entry)) {
            return in.readAllBytes();
        }
    }

    private static void copy(Path jar, Path copy, Set<String> kept, String without, boolean signatures, boolean lines) throws IOException {
        try (ZipFile from = new ZipFile(jar.toFile());
                OutputStream file = Files.newOutputStream(copy);
                ZipOutputStream to = new ZipOutputStream(new BufferedOutputStream(file))) {
            to.setMethod(ZipOutputStream.STORED);
            List<ZipEntry> entries = new ArrayList<>(Collections.list(from.entries()));
            entries.sort(Comparator.comparing(ZipEntry::getName));
            for (ZipEntry entry : entries) {
                String name = className(entry);
                if ((name == null || kept.contains(name)) && !entry.getName().endsWith(PACKAGE) && !entry.getName().startsWith(without)
                        && UNREAD.stream().noneMatch(entry.getName()::startsWith)) {
                    copy(from, entry, to, signatures, lines);
                }
            }
        }
    }

    private static boolean isUnread(String name) {
        return name.endsWith(".json") || name.startsWith(INJECTION) || name.startsWith(WEBHOOK) || name.startsWith(PROBES)
                || COMMANDS.stream().anyMatch(name::startsWith) || name.startsWith(DASHBOARD) || name.startsWith(DASHBOARD_PAGE);
    }

    private static void copy(ZipFile from, ZipEntry entry, ZipOutputStream to, boolean signatures, boolean lines) throws IOException {
        byte[] content = content(from, entry);
        if (entry.getName().endsWith(".class")) {
            content = LeanClass.of(content, signatures, lines);
        }
        ZipEntry stored = new ZipEntry(entry.getName());
        stored.setTimeLocal(TIME);
        if (isUnread(entry.getName())) {
            // hardly a running sidecar reads it: a fifth of its size in the image if it is text, half if it is a class
            stored.setMethod(ZipEntry.DEFLATED);
        } else {
            CRC32 checksum = new CRC32();
            checksum.update(content);
            stored.setSize(content.length);
            stored.setCompressedSize(content.length);
            stored.setCrc(checksum.getValue());
        }
        to.putNextEntry(stored);
        to.write(content);
        to.closeEntry();
    }
}
