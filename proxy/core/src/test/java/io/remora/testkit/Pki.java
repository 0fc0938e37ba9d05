package io.remora.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Certificates of a test, made by the openssl command in the test's directory: {@code NAME.crt} and {@code NAME.key}. */
public final class Pki {
    public static final String P256 = "ec:P-256";
    public static final String RSA = "rsa:2048";
    public static final String ED25519 = "ed25519";

    private final Path directory;

    public Pki(Path directory) {
        this.directory = directory;
    }

    /** A certificate authority. */
    public Pki authority(String name) {
        request(name, P256, "basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign");
        openssl(
                "x509",
                "-req",
                "-in",
                name + ".csr",
                "-key",
                name + ".key",
                "-copy_extensions",
                "copy",
                "-days",
                "30",
                "-out",
                name + ".crt");
        return this;
    }

    /** One that an authority issued. */
    public Pki authorityBelow(String issuer, String name) {
        request(name, P256, "basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign");
        sign(issuer, name, 30);
        return this;
    }

    /** A certificate for names such as {@code DNS:a.test}. */
    public Pki issue(String issuer, String name, String subjectNames) {
        return issue(issuer, name, subjectNames, P256, 30);
    }

    /**
     * @param days negative for one that has expired
     */
    public Pki issue(String issuer, String name, String subjectNames, String algorithm, int days) {
        request(name, algorithm, "basicConstraints=critical,CA:FALSE", "subjectAltName=" + subjectNames);
        sign(issuer, name, days);
        return this;
    }

    /** One that nobody else issued. */
    public Pki selfSigned(String name, String subjectNames) {
        request(name, P256, "basicConstraints=critical,CA:FALSE", "subjectAltName=" + subjectNames);
        openssl(
                "x509",
                "-req",
                "-in",
                name + ".csr",
                "-key",
                name + ".key",
                "-copy_extensions",
                "copy",
                "-out",
                name + ".crt");
        return this;
    }

    /** One that only says in its common name who it is for. */
    public Pki issueWithCommonName(String issuer, String name, String commonName) {
        openssl(
                "req",
                "-new",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-keyout",
                name + ".key",
                "-out",
                name + ".csr",
                "-subj",
                "/CN=" + commonName);
        sign(issuer, name, 30);
        return this;
    }

    /** One whose key may be used for this only, for example {@code clientAuth}. */
    public Pki issueFor(String issuer, String name, String subjectNames, String usage) {
        request(name, P256, "subjectAltName=" + subjectNames, "extendedKeyUsage=" + usage);
        sign(issuer, name, 30);
        return this;
    }

    private void request(String name, String algorithm, String... extensions) {
        String[] command = new String[9 + 2 * extensions.length];
        int i = 0;
        for (String word : new String[] {
            "req", "-new", "-nodes", "-keyout", name + ".key", "-out", name + ".csr", "-subj", "/CN=" + name
        }) {
            command[i++] = word;
        }
        for (String extension : extensions) {
            command[i++] = "-addext";
            command[i++] = extension;
        }
        key(name, algorithm);
        command[3] = "-key";
        openssl(command);
    }

    private void key(String name, String algorithm) {
        switch (algorithm) {
            case P256 ->
                openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", name + ".key");
            case RSA ->
                openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", name + ".key");
            default -> openssl("genpkey", "-algorithm", algorithm, "-out", name + ".key");
        }
    }

    private void sign(String issuer, String name, int days) {
        openssl(
                "x509",
                "-req",
                "-in",
                name + ".csr",
                "-CA",
                issuer + ".crt",
                "-CAkey",
                issuer + ".key",
                "-CAcreateserial",
                "-copy_extensions",
                "copy",
                "-days",
                Integer.toString(days),
                "-out",
                name + ".crt");
    }

    /** Puts certificates of several files into one. */
    public Pki join(String into, String... names) {
        try {
            StringBuilder all = new StringBuilder();
            for (String name : names) {
                all.append(Files.readString(path(name + ".crt")));
            }
            Files.writeString(path(into + ".crt"), all);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Pki openssl(String... arguments) {
        String[] command = new String[arguments.length + 1];
        command[0] = "openssl";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        Command.run(directory, command).good();
        return this;
    }

    public Path path(String file) {
        return directory.resolve(file);
    }

    /** A listener's {@code tls} with these certificates, each a chain and a key of that name, and more on the same line. */
    public String listener(String more, String... names) {
        StringBuilder certificates = new StringBuilder();
        for (String name : names) {
            certificates.append(certificates.isEmpty() ? "" : ", ").append(certificate(name));
        }
        return "tls: { certificates: [" + certificates + "]" + (more.isEmpty() ? "" : ", " + more) + " }";
    }

    /** A chain and a key, as a mapping. */
    public String certificate(String name) {
        return "{ chain: \"" + path(name + ".crt") + "\", key: \"" + path(name + ".key") + "\" }";
    }

    public String trust(String name) {
        return "trust: \"" + path(name + ".crt") + "\"";
    }
}
