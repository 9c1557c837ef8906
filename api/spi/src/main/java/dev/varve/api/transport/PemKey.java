package dev.varve.api.transport;

import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a private key from PEM: PKCS 8, or the older forms of RSA and EC. The older forms lack only
 * the name of the algorithm, which is read from the matching public key.
 */
public final class PemKey {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ((?:[A-Z0-9]+ )*PRIVATE KEY)-----([^-]*)-----END \\1-----");

    /** Header of a key that OpenSSL encrypted in the form before PKCS 8. */
    private static final String OLD_ENCRYPTION = "Proc-Type: 4,ENCRYPTED";

    private static final String ENCRYPTED = "the key is encrypted, and no password was given";
    private static final int SEQUENCE = 0x30;
    private static final int OCTETS = 0x04;
    private static final byte[] VERSION_0 = {2, 1, 0};

    private PemKey() {}

    /**
     * Parses the first key of a text.
     *
     * @param partner the public key to which it should belong
     * @throws GeneralSecurityException if the text holds no key, or a key of another algorithm; its
     *     message repeats nothing of the text
     */
    public static PrivateKey parse(String text, PublicKey partner) throws GeneralSecurityException {
        Matcher block = BLOCK.matcher(text);
        if (!block.find()) {
            throw new InvalidKeyException(
                    text.contains(OLD_ENCRYPTION) ? ENCRYPTED : "found no PRIVATE KEY");
        }
        if (block.group(1).startsWith("ENCRYPTED")) {
            throw new InvalidKeyException(ENCRYPTED);
        }
        byte[] content = decode(block.group(2));
        byte[] encoded =
                switch (block.group(1)) {
                    case "PRIVATE KEY" -> content;
                    case "RSA PRIVATE KEY", "EC PRIVATE KEY" -> wrapped(content, partner);
                    default -> throw new InvalidKeyException("found " + block.group(1));
                };
        return KeyFactory.getInstance(partner.getAlgorithm())
                .generatePrivate(new PKCS8EncodedKeySpec(encoded));
    }

    private static byte[] decode(String base64) throws InvalidKeyException {
        try {
            return Base64.getMimeDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new InvalidKeyException("the key is not valid Base64", e);
        }
    }

    /** Wraps the key as PKCS 8: a version, the algorithm and the original key. */
    private static byte[] wrapped(byte[] key, PublicKey partner) {
        return element(SEQUENCE, VERSION_0, algorithm(partner.getEncoded()), element(OCTETS, key));
    }

    /** Returns the first element of a sequence, which in a public key is the algorithm. */
    private static byte[] algorithm(byte[] sequence) {
        int begin = headerBytes(sequence, 0);
        int content = begin + headerBytes(sequence, begin);
        return Arrays.copyOfRange(sequence, begin, content + length(sequence, begin));
    }

    private static int headerBytes(byte[] der, int at) {
        int first = der[at + 1] & 0xFF;
        return first < 0x80 ? 2 : 2 + (first & 0x7F);
    }

    private static int length(byte[] der, int at) {
        int header = headerBytes(der, at);
        int length = header == 2 ? der[at + 1] : 0;
        for (int i = 2; i < header; i++) {
            length = length << Byte.SIZE | der[at + i] & 0xFF;
        }
        return length;
    }

    private static byte[] element(int tag, byte[]... parts) {
        int length = Arrays.stream(parts).mapToInt(part -> part.length).sum();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        if (length < 0x80) {
            out.write(length);
        } else {
            // A shorter length could also be written in two bytes, but DER permits only the
            // shortest form.
            int bytes = length < 0x100 ? 1 : length < 0x1_0000 ? 2 : 3;
            out.write(0x80 | bytes);
            for (int i = bytes - 1; i >= 0; i--) {
                out.write(length >> i * Byte.SIZE);
            }
        }
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
