package dev.varve.platform.store;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.platform.digest.Sha256;
import dev.varve.platform.setting.Setting;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;

import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** Encrypts chunks with AES-256-GCM, each with its own nonce. Thread-safe. */
public final class ChunkCipher {
    /**
     * Additional bytes of an encrypted chunk: the nonce before the content, and the tag after it.
     */
    static final int OVERHEAD = 12 + 16;

    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final int KEY_BYTES = 32;
    private static final int MOST_FILE_BYTES = 4096;
    private static final int ID_BYTES = 8;

    private final SecretKeySpec key;
    private final String id;
    private final SecureRandom random = new SecureRandom();

    private ChunkCipher(byte[] bytes) {
        key = new SecretKeySpec(bytes, "AES");
        MessageDigest digest = Sha256.begin();
        digest.update("varve cache key ".getBytes(StandardCharsets.UTF_8));
        id = HexFormat.of().formatHex(digest.digest(bytes), 0, ID_BYTES);
    }

    /**
     * Reads a key: {@value #KEY_BYTES} bytes, raw, in hexadecimal digits or in Base64.
     *
     * @throws VarveException if the file cannot be read or does not contain a key
     */
    public static ChunkCipher of(Path file) {
        byte[] content;
        try (InputStream input = Files.newInputStream(file)) {
            content = input.readNBytes(MOST_FILE_BYTES);
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    Setting.STORE_KEY + ": " + file + " cannot be read: " + FileErrors.reason(e),
                    e);
        }
        return parse(content)
                .map(ChunkCipher::new)
                .orElseThrow(
                        () ->
                                new VarveException(
                                        VarveException.Kind.CORRUPT_FILE,
                                        Setting.STORE_KEY
                                                + ": "
                                                + file
                                                + ": expected a key of 32 bytes, as raw bytes, 64"
                                                + " hexadecimal digits or Base64, found "
                                                + content.length
                                                + " bytes in another format"));
    }

    private static Optional<byte[]> parse(byte[] content) {
        if (content.length == KEY_BYTES) {
            return Optional.of(content);
        }
        String text = new String(content, StandardCharsets.ISO_8859_1).strip();
        try {
            byte[] key =
                    text.length() == 2 * KEY_BYTES
                            ? HexFormat.of().parseHex(text)
                            : Base64.getDecoder().decode(text);
            return Optional.of(key).filter(bytes -> bytes.length == KEY_BYTES);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Identifies the key, without revealing it. */
    String id() {
        return id;
    }

    /**
     * Encrypts the remaining bytes of a buffer.
     *
     * @param name authenticated name of the chunk
     * @param to receives {@value #OVERHEAD} bytes more
     */
    void encrypt(byte[] name, ByteBuffer from, ByteBuffer to) {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        to.put(nonce);
        try {
            Cipher cipher = cipher(Cipher.ENCRYPT_MODE, nonce, name);
            cipher.doFinal(from, to);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a chunk could not be encrypted", e);
        }
    }

    /**
     * Decrypts the remaining bytes of a buffer.
     *
     * @return whether they were encrypted with this key and name, and are intact
     */
    boolean decrypt(byte[] name, ByteBuffer from, ByteBuffer to) {
        if (from.remaining() < OVERHEAD) {
            return false;
        }
        byte[] nonce = new byte[NONCE_BYTES];
        from.get(nonce);
        try {
            cipher(Cipher.DECRYPT_MODE, nonce, name).doFinal(from, to);
            return true;
        } catch (GeneralSecurityException e) {
            return false;
        } finally {
            Arrays.fill(nonce, (byte) 0);
        }
    }

    private Cipher cipher(int mode, byte[] nonce, byte[] name) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(name);
        return cipher;
    }
}
