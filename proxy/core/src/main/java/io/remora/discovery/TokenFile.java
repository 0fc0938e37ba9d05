package io.remora.discovery;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file with a token. Its content never stands in a message. Bounds: 16 KiB of visible ASCII. */
public final class TokenFile {
    private static final int MAX_OCTETS = 16 << 10;

    private TokenFile() {}

    /**
     * The token, without the white space around it.
     *
     * @throws IOException where it cannot be used; the message names the file
     */
    public static String read(String path) throws IOException {
        byte[] octets;
        try (InputStream in = Files.newInputStream(Path.of(path))) {
            octets = in.readNBytes(MAX_OCTETS + 1);
        } catch (IOException e) {
            throw new IOException("token-file " + path + " cannot be read: " + reason(e, path), e);
        }
        String token = new String(octets, StandardCharsets.ISO_8859_1).strip();
        for (int i = 0; i < token.length(); i++) {
            if (token.charAt(i) <= ' ' || token.charAt(i) > '~') {
                throw new IOException("token-file " + path + " holds something else than a token");
            }
        }
        if (token.isEmpty() || octets.length > MAX_OCTETS) {
            throw new IOException("token-file " + path + (token.isEmpty() ? " is empty" : " is too large"));
        }
        return token;
    }

    private static String reason(IOException e, String path) {
        String message = String.valueOf(e.getMessage());
        return message.equals(path) ? "no such file" : message;
    }
}
