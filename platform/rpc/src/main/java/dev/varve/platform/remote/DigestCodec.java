package dev.varve.platform.remote;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Encodes the tensor digests in the response to a load. Meta has a flag: whether both sides see the
 * same files on one running system, so that no comparison is needed. Otherwise the payload has name
 * and SHA-256 (64 hexadecimal digits) of each tensor, both as texts.
 */
final class DigestCodec {
    /** Length limit of a tensor name; longer than any name in a GGUF file. */
    private static final int NAME = 1 << 10;

    private DigestCodec() {}

    /**
     * @param digests by the tensors' names; empty where both sides see the same files
     */
    static void put(FieldWriter meta, Optional<Map<String, String>> digests) {
        meta.flag(digests.isEmpty());
    }

    static ByteBuffer payload(Optional<Map<String, String>> digests) {
        FieldWriter payload = new FieldWriter();
        digests.orElse(Map.of()).forEach((name, digest) -> payload.text(name).text(digest));
        return payload.done();
    }

    /** Returns digests by the tensors' names; empty where both sides see the same files. */
    static Optional<Map<String, String>> get(FieldReader meta, ByteBuffer payload) {
        FieldReader fields = new FieldReader(payload);
        if (meta.flag("same files")) {
            fields.end();
            return Optional.empty();
        }
        Map<String, String> digests = new LinkedHashMap<>();
        while (payload.hasRemaining()) {
            String name = fields.text("tensor", NAME);
            if (digests.put(name, fields.text("tensor digest", ShardLoadRequest.DIGEST)) != null) {
                throw FieldReader.invalid("tensor " + name, "one digest", "a second one");
            }
        }
        return Optional.of(digests);
    }
}
