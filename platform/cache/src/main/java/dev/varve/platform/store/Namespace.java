package dev.varve.platform.store;

import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Namespace of a store: objects of one model that were computed in one way.
 *
 * @param id a SHA-256
 * @param description description for display
 */
public record Namespace(byte[] id, Map<String, String> description) {
    private static final int FOLDER_BYTES = 16;

    /** Copies both. */
    public Namespace {
        id = ObjectKey.of(id).bytes();
        description = new LinkedHashMap<>(description);
    }

    @Override
    public byte[] id() {
        return id.clone();
    }

    @Override
    public Map<String, String> description() {
        return new LinkedHashMap<>(description);
    }

    /** Name of its folder. */
    String folder() {
        return HexFormat.of().formatHex(id, 0, FOLDER_BYTES);
    }
}
