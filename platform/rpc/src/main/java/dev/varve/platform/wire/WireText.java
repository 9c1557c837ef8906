package dev.varve.platform.wire;

import dev.varve.platform.log.ControlCharacters;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Encodes and decodes text on the wire: UTF-8, never assumed to be well formed. */
final class WireText {
    /** Most characters of an error or a reason. */
    private static final int MAX_CHARACTERS = 4096;

    private WireText() {}

    static ByteBuffer encode(String text) {
        String cut = text.length() > MAX_CHARACTERS ? text.substring(0, MAX_CHARACTERS) : text;
        return StandardCharsets.UTF_8.encode(cut);
    }

    /**
     * Decodes text; replaces control characters with spaces, so that a peer cannot forge log lines.
     */
    static String decode(ByteBuffer bytes) {
        return ControlCharacters.replace(StandardCharsets.UTF_8.decode(bytes).toString(), ' ');
    }
}
