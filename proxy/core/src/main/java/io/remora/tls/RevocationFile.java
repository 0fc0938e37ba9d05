package io.remora.tls;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The lists of revoked certificates of a PEM file, read and described.
 *
 * <p>Owner: the thread that reads.
 */
final class RevocationFile {
    private final List<RevocationList> lists = new ArrayList<>();

    /**
     * @param der as {@link #read} has judged them
     */
    RevocationFile(List<byte[]> der) {
        try {
            for (byte[] one : der) {
                lists.add(RevocationList.of(one));
            }
        } catch (IOException e) {
            throw new IllegalStateException("a list that was judged when it was read", e);
        }
    }

    /** Reads all of them, in DER; one or more. */
    static List<byte[]> read(List<Pem> blocks) throws IOException {
        List<byte[]> lists = new ArrayList<>();
        for (Pem block : blocks) {
            if (block.label().equals("X509 CRL")) {
                judge(block);
                lists.add(block.der());
                block.use();
            }
        }
        if (lists.isEmpty()) {
            throw new MaterialException("has no PEM block of a revocation list" + Pem.labels(blocks));
        }
        return List.copyOf(lists);
    }

    private static void judge(Pem block) throws MaterialException {
        try {
            RevocationList.of(block.der());
        } catch (TlsException e) {
            throw new MaterialException("line " + block.line() + ": not a revocation list: malformed DER");
        } catch (MaterialException e) {
            throw new MaterialException("line " + block.line() + ": " + e.getMessage());
        }
    }

    /** Returns when the first of them is outdated. */
    long nextUpdateMs() {
        long firstMs = Long.MAX_VALUE;
        for (RevocationList list : lists) {
            firstMs = Math.min(firstMs, list.nextUpdateMs());
        }
        return firstMs;
    }

    boolean isCurrentAt(long nowMs) {
        for (RevocationList list : lists) {
            if (!list.isCurrentAt(nowMs)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns a line for each list, and one where some trusted authority has no list here.
     *
     * @param trust certificates in DER that were judged when they were read
     */
    List<String> describe(String path, List<byte[]> trust, long nowMs) {
        List<String> lines = new ArrayList<>();
        for (RevocationList list : lists) {
            lines.add("revocation list " + path + ": " + list.describe(nowMs));
        }
        int uncovered = 0;
        for (byte[] authority : trust) {
            uncovered += isCovered(authority) ? 0 : 1;
        }
        if (uncovered > 0) {
            lines.add("revocation list " + path + ": none of " + uncovered + " of " + trust.size()
                    + " that are trusted; what these issued is not looked up");
        }
        return lines;
    }

    private boolean isCovered(byte[] authority) {
        try {
            CertificateInfo info = CertificateInfo.of(authority);
            for (RevocationList list : lists) {
                if (list.isOf(info)) {
                    return true;
                }
            }
            return false;
        } catch (TlsException e) {
            throw new IllegalStateException("a certificate that was judged when it was read", e);
        }
    }
}
