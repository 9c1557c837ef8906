package dev.varve.platform.http.conversation;

import java.security.SecureRandom;
import java.util.HexFormat;

/** Ids of tool calls. */
public final class ToolCallId {
    private static final int BYTES = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    private ToolCallId() {}

    /** An id that no other call has, also not one of another server. */
    public static String next() {
        return next("call_");
    }

    /** Likewise, with another beginning. */
    public static String next(String prefix) {
        byte[] id = new byte[BYTES];
        RANDOM.nextBytes(id);
        return prefix + HexFormat.of().formatHex(id);
    }
}
