import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Copies a jar with its classes made lean and its entries uncompressed, in their order and with their times. A layer of an image is
 * compressed as a whole, and that finds in all entries together what compressing each by itself hides. What only builds and native images read
 * is left out.
 */
final class LeanJar {
    /** How the names of entries begin that no JVM reads: of Maven, of an index to other jars, of GraalVM. */
    private static final List<String> UNREAD = List.of(
            "META-INF/maven/", "META-INF/INDEX.LIST", "META-INF/native-image/", "io/netty/util/internal/svm/");

    private LeanJar() {}

    /** Copies jar {@code arguments[0]} to {@code arguments[1]}. */
    public static void main(String[] arguments) throws IOException {
        try (ZipFile from = new ZipFile(arguments[0]);
                OutputStream file = Files.newOutputStream(Path.of(arguments[1]));
                ZipOutputStream to = new ZipOutputStream(new BufferedOutputStream(file))) {
            to.setMethod(ZipOutputStream.STORED);
            for (Enumeration<? extends ZipEntry> entries = from.entries(); entries.hasMoreElements(); ) {
                ZipEntry entry = entries.nextElement();
                if (UNREAD.stream().noneMatch(entry.getName()::startsWith)) {
                    copy(from, entry, to);
                }
            }
        }
    }

    private static void copy(ZipFile from, ZipEntry entry, ZipOutputStream to) throws IOException {
        byte[] content;
        try (InputStream in = from.getInputStream(entry)) {
            content = in.readAllBytes();
        }
        if (entry.getName().endsWith(".class")) {
            content = LeanClass.of(content);
        }
        CRC32 checksum = new CRC32();
        checksum.update(content);
        ZipEntry stored = new ZipEntry(entry.getName());
        stored.setTimeLocal(entry.getTimeLocal());
        stored.setSize(content.length);
        stored.setCompressedSize(content.length);
        stored.setCrc(checksum.getValue());
        to.putNextEntry(stored);
        to.write(content);
        to.closeEntry();
    }
}
