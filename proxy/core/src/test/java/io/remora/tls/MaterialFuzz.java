package io.remora.tls;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * What is done with any octets that are taken for key material: they are read, or refused in words, and nothing worse. A fuzzer
 * calls {@link #fuzzerTestOneInput}; that of {@code scripts/fuzz-tls} is Jazzer, that of {@link MaterialFuzzIT} our own.
 *
 * <p>Bounds: no encrypted keys, whose file says how long their decryption takes.
 */
public final class MaterialFuzz {
    private static final long NOW_MS = 1_790_000_000_000L;

    /** The first octet of an input is the place of who reads the rest. */
    static final List<Reader> READERS = List.of(
            MaterialFuzz::readChain,
            MaterialFuzz::readKey,
            MaterialFuzz::readLists,
            MaterialFuzz::certificate,
            MaterialFuzz::list,
            MaterialFuzz::name,
            KeyFile::algorithmOf,
            der -> readKeyAs("EC PRIVATE KEY", der));

    private static final Path FILE = newFile();

    /** One that is in the product. */
    interface Reader {
        void read(byte[] octets) throws IOException;
    }

    private MaterialFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length > 0) {
            isRead(READERS.get((input[0] & 0xff) % READERS.size()), Arrays.copyOfRange(input, 1, input.length));
        }
    }

    /** Whether it was; anything but an exception for bad material passes through. */
    static boolean isRead(Reader reader, byte[] octets) {
        try {
            reader.read(octets);
            return true;
        } catch (TlsException | MaterialException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path newFile() {
        try {
            Path file = Files.createTempFile("remora-fuzz", ".pem");
            file.toFile().deleteOnExit();
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String file(byte[] octets) throws IOException {
        // cut to its length behind the write: some file systems flush what was empty in between
        try (FileChannel out = FileChannel.open(FILE, StandardOpenOption.WRITE)) {
            out.write(ByteBuffer.wrap(octets));
            out.truncate(octets.length);
        }
        return FILE.toString();
    }

    private static void readChain(byte[] octets) throws IOException {
        for (byte[] der : CertificateFile.readChain(Pem.read(file(octets)))) {
            certificate(der);
        }
    }

    private static void readKey(byte[] octets) throws IOException {
        byte[] text = new String(octets, ISO_8859_1).replace("ENCRYPTED", "").getBytes(ISO_8859_1);
        KeyFile.algorithmOf(KeyFile.read(Pem.read(file(text)), null));
    }

    private static void readKeyAs(String label, byte[] der) throws IOException {
        String base64 = Base64.getEncoder().encodeToString(der);
        readKey(("-----BEGIN " + label + "-----\n" + base64 + "\n-----END " + label + "-----\n").getBytes(ISO_8859_1));
    }

    private static void readLists(byte[] octets) throws IOException {
        RevocationFile lists = new RevocationFile(RevocationFile.read(Pem.read(file(octets))));
        require(isOneLine(String.join("", lists.describe("f", List.of(), NOW_MS))));
        require(!lists.isCurrentAt(Long.MAX_VALUE));
        lists.nextUpdateMs();
    }

    private static void certificate(byte[] der) throws IOException {
        CertificateInfo info = CertificateInfo.of(der);
        require(!info.isValidAt(Long.MAX_VALUE));
        info.daysLeft(NOW_MS);
        for (String name : info.names().dns()) {
            require(isOneLine(name));
        }
        for (String name : info.names().uris()) {
            require(isOneLine(name));
        }
        info.names().matchesAny(List.of("a.test", "b.a.test"));
        // nothing in it may end the element of the field that it becomes
        require(isOneLine(ForwardedCertificate.of(der, der, true)));
    }

    private static void list(byte[] der) throws IOException {
        RevocationList list = RevocationList.of(der);
        require(isOneLine(list.describe(NOW_MS)));
        require(!list.isCurrentAt(Long.MAX_VALUE));
    }

    private static void name(byte[] der) throws IOException {
        String text = DistinguishedName.of(der);
        require(isOneLine(text) && text.indexOf('"') < 0);
    }

    private static boolean isOneLine(String text) {
        return text.chars().allMatch(c -> c >= ' ' && c <= '~');
    }

    private static void require(boolean holds) {
        if (!holds) {
            throw new AssertionError("a reader broke its promise");
        }
    }
}
