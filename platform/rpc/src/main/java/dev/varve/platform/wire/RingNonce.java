package dev.varve.platform.wire;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Random mark that identifies a shared-memory file.
 *
 * @param hex 32 lower-case digits
 */
record RingNonce(String hex) {
    static final int BYTES = 16;
    static final RingNonce NONE = new RingNonce("0".repeat(2 * BYTES));

    static RingNonce random() {
        byte[] bytes = new byte[BYTES];
        new SecureRandom().nextBytes(bytes);
        return new RingNonce(HexFormat.of().formatHex(bytes));
    }

    static RingNonce read(ByteBuffer source) {
        byte[] bytes = new byte[BYTES];
        source.get(bytes);
        return new RingNonce(HexFormat.of().formatHex(bytes));
    }

    byte[] bytes() {
        return HexFormat.of().parseHex(hex);
    }
}
