package dev.varve.platform.http.conversation;

import java.security.SecureRandom;
import java.util.HexFormat;

/** Generates ids of tool calls. */
public final class ToolCallId {
    private static final int BYTES = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    private ToolCallId() {}

    /** Returns a random id, unique across servers. */
    public static String next() {
        return next("call_");
    }

    /** Returns a random id with another prefix. */
    public static String next(String prefix) {
        byte[] id = new byte[BYTES];
        RANDOM.nextBytes(id);
        return prefix + HexFormat.of().formatHex(id);
    }
}
