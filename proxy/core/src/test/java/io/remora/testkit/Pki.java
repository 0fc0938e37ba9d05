package io.remora.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Certificates of a test, made by the openssl command in the test's directory: {@code NAME.crt} and {@code NAME.key}. */
public final class Pki {
    public static final String P256 = "ec:P-256";
    public static final String RSA = "rsa:2048";
    /** Too short for OpenSSL's security level 2. */
    public static final String WEAK_RSA = "rsa:1024";

    public static final String ED25519 = "ed25519";

    private final Path directory;

    public Pki(Path directory) {
        this.directory = directory;
    }

    /** A certificate authority. */
    public Pki authority(String name) {
        request(name, name, P256, "basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign");
        certify(name, 30, "-key", name + ".key");
        return this;
    }

    /** One that an authority issued. */
    public Pki authorityBelow(String issuer, String name) {
        request(name, name, P256, "basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign");
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
        request(name, name, algorithm, "basicConstraints=critical,CA:FALSE", "subjectAltName=" + subjectNames);
        sign(issuer, name, days);
        return this;
    }

    /** One that nobody else issued. */
    public Pki selfSigned(String name, String subjectNames) {
        request(name, name, P256, "basicConstraints=critical,CA:FALSE", "subjectAltName=" + subjectNames);
        certify(name, 30, "-key", name + ".key");
        return this;
    }

    /** One that only says in its common name who it is for. */
    public Pki issueWithCommonName(String issuer, String name, String commonName) {
        request(name, commonName, P256);
        sign(issuer, name, 30);
        return this;
    }

    /** One whose key may be used for this only, for example {@code clientAuth}. */
    public Pki issueFor(String issuer, String name, String subjectNames, String usage) {
        request(name, name, P256, "subjectAltName=" + subjectNames, "extendedKeyUsage=" + usage);
        sign(issuer, name, 30);
        return this;
    }

    /** One with an extension of its own, in a line of openssl's configuration. */
    public Pki issueWith(String issuer, String name, String subjectNames, String extension) {
        request(name, name, P256, "subjectAltName=" + subjectNames, extension);
        sign(issuer, name, 30);
        return this;
    }

    /** One that is valid between two times in the form that openssl takes. */
    public Pki issueBetween(String issuer, String name, String subjectNames, String start, String end) {
        request(name, name, P256, "subjectAltName=" + subjectNames);
        try {
            Files.writeString(path(name + ".index"), "");
            Files.writeString(
                    path(name + ".cnf"),
                    "[ca]\ndefault_ca=d\n[d]\ndatabase=" + path(name + ".index") + "\nnew_certs_dir=" + directory
                            + "\nrand_serial=yes\ndefault_md=sha256\npolicy=p\ncopy_extensions=copy\n"
                            + "[p]\ncommonName=supplied\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<String> words = new ArrayList<>(List.of("ca", "-batch", "-notext", "-config", name + ".cnf"));
        words.addAll(List.of("-keyfile", issuer + ".key", "-cert", issuer + ".crt", "-in", name + ".csr"));
        words.addAll(List.of("-startdate", start, "-enddate", end, "-out", name + ".crt"));
        return openssl(words.toArray(new String[0]));
    }

    private void request(String name, String commonName, String algorithm, String... extensions) {
        key(name, algorithm);
        List<String> words = new ArrayList<>(List.of("req", "-new", "-key", name + ".key", "-out", name + ".csr"));
        words.addAll(List.of("-subj", "/CN=" + commonName));
        for (String extension : extensions) {
            words.addAll(List.of("-addext", extension));
        }
        openssl(words.toArray(new String[0]));
    }

    private void key(String name, String algorithm) {
        switch (algorithm) {
            case P256 ->
                openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", name + ".key");
            case RSA, WEAK_RSA -> {
                String bits = "rsa_keygen_bits:" + algorithm.substring("rsa:".length());
                openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", bits, "-out", name + ".key");
            }
            default -> openssl("genpkey", "-algorithm", algorithm, "-out", name + ".key");
        }
    }

    private void sign(String issuer, String name, int days) {
        certify(name, days, "-CA", issuer + ".crt", "-CAkey", issuer + ".key", "-CAcreateserial");
    }

    /** Makes the certificate that was requested, signed as these options say. */
    private void certify(String name, int days, String... by) {
        List<String> words = new ArrayList<>(List.of("x509", "-req", "-in", name + ".csr", "-out", name + ".crt"));
        words.addAll(List.of("-copy_extensions", "copy", "-days", Integer.toString(days)));
        words.addAll(List.of(by));
        openssl(words.toArray(new String[0]));
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

    /** Makes a new key, and a request or a certificate for it as more of openssl's words say. */
    public Pki requestWithNewKey(String name, String subject, String... more) {
        List<String> words = new ArrayList<>(List.of("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"));
        words.addAll(List.of("-nodes", "-keyout", name + ".key", "-subj", subject));
        words.addAll(List.of(more));
        return openssl(words.toArray(new String[0]));
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
