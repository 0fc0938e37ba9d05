package io.remora.tls;

import io.remora.testkit.Pki;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/** Authorities that may sign revocation lists, and their lists, {@code NAME.crl}, made by the openssl command. */
final class Revocations {
    /** In the form that openssl takes. */
    static final String FAR = "20990101000000Z";

    static final String PAST = "20250201000000Z";
    private static final String BEGIN = "20250101000000Z";

    private final Pki pki;

    Revocations(Pki pki) {
        this.pki = pki;
    }

    /** An authority. */
    Revocations authority(String name) {
        return authority(name, name);
    }

    /** An authority that calls itself otherwise than its files. */
    Revocations authority(String name, String commonName) {
        request(name, commonName);
        return certify(name, "-key", name + ".key");
    }

    /** An authority that another one has issued. */
    Revocations authorityBelow(String issuer, String name) {
        request(name, name);
        return certify(name, "-CA", issuer + ".crt", "-CAkey", issuer + ".key", "-CAcreateserial");
    }

    /** Makes a certificate of a request, by a signer in words of openssl's. */
    private Revocations certify(String name, String... signer) {
        List<String> command = new ArrayList<>(List.of("x509", "-req", "-in", name + ".csr"));
        command.addAll(List.of(signer));
        command.addAll(List.of("-copy_extensions", "copy", "-days", "30", "-out", name + ".crt"));
        pki.openssl(command.toArray(new String[0]));
        return this;
    }

    private void request(String name, String commonName) {
        pki.requestWithNewKey(
                name,
                "/CN=" + commonName,
                "-new",
                "-out",
                name + ".csr",
                "-addext",
                "basicConstraints=critical,CA:TRUE",
                "-addext",
                "keyUsage=critical,keyCertSign,cRLSign");
    }

    /** A list that is good for decades. */
    Revocations list(String name, String issuer, String... revoked) {
        return listUntil(FAR, "", name, issuer, revoked);
    }

    /**
     * @param until when the next one is due
     * @param extension of the list, in a line of openssl's configuration; empty for none
     */
    Revocations listUntil(String until, String extension, String name, String issuer, String... revoked) {
        write(name + ".index", "");
        write(
                name + ".cnf",
                "[ca]\ndefault_ca=d\n[d]\ndatabase=" + pki.path(name + ".index") + "\ndefault_md=sha256\n[e]\n"
                        + extension + "\n[p]\nonlyuser=TRUE\n");
        for (String one : revoked) {
            ca(name, issuer, "-revoke", one + ".crt");
        }
        List<String> options = new ArrayList<>(List.of("-gencrl", "-crl_lastupdate", BEGIN, "-crl_nextupdate", until));
        options.addAll(extension.isEmpty() ? List.of() : List.of("-crlexts", "e"));
        options.addAll(List.of("-out", name + ".crl"));
        ca(name, issuer, options.toArray(new String[0]));
        return this;
    }

    private void ca(String name, String issuer, String... options) {
        List<String> command = new ArrayList<>(List.of("ca", "-config", name + ".cnf"));
        command.addAll(List.of("-keyfile", issuer + ".key", "-cert", issuer + ".crt"));
        command.addAll(List.of(options));
        pki.openssl(command.toArray(new String[0]));
    }

    /** Puts several files into one. */
    Revocations join(String into, String... files) {
        StringBuilder all = new StringBuilder();
        for (String file : files) {
            try {
                all.append(Files.readString(pki.path(file)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        write(into, all.toString());
        return this;
    }

    private void write(String file, String text) {
        try {
            Files.writeString(pki.path(file), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
