package io.remora.tls;

import java.io.IOException;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** Decrypts PKCS#8 (RFC 5958 3) by the JDK; apart, so that its classes are loaded for an encrypted key only. */
final class EncryptedKey {
    private EncryptedKey() {}

    static byte[] decrypt(byte[] der, String passPhrase) throws IOException {
        PBEKeySpec phrase = new PBEKeySpec(passPhrase.toCharArray());
        try {
            EncryptedPrivateKeyInfo key = new EncryptedPrivateKeyInfo(der);
            AlgorithmParameters parameters = key.getAlgParameters();
            // of PBES2 the parameters say which cipher and hash, and their text is the name of that
            String name = parameters == null ? key.getAlgName() : nameOf(key, parameters);
            SecretKey secret = SecretKeyFactory.getInstance(name).generateSecret(phrase);
            Cipher cipher = Cipher.getInstance(name);
            cipher.init(Cipher.DECRYPT_MODE, secret, parameters);
            return key.getKeySpec(cipher).getEncoded();
        } catch (GeneralSecurityException e) {
            throw new MaterialException("cannot be decrypted: wrong pass phrase, or not PBES2 with AES");
        } catch (IOException e) {
            throw new MaterialException("malformed: " + e.getMessage());
        } finally {
            phrase.clearPassword();
        }
    }

    private static String nameOf(EncryptedPrivateKeyInfo key, AlgorithmParameters parameters) {
        String name = parameters.toString();
        return name == null || !name.startsWith("PBEWith") ? key.getAlgName() : name;
    }
}
