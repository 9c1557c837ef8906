package dev.varve.contracts;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** A copy of a model file in which one tensor or key has another name, so that it is missing. */
final class RenamedEntry {
    /** Name of the file. */
    static final String NAME = "renamed.gguf";

    private final byte[] bytes;
    private final Path file;

    RenamedEntry(Path model, Path folder) throws IOException {
        bytes = Files.readAllBytes(model);
        file = Files.copy(model, folder.resolve(NAME), StandardCopyOption.REPLACE_EXISTING);
    }

    /** An action on a file. */
    @FunctionalInterface
    interface Use<T> {
        T with(Path file) throws IOException;
    }

    /**
     * Renames an entry while the file is used.
     *
     * @param name name of a tensor or key; GGUF writes its length in 8 bytes before it
     */
    <T> T without(String name, Use<T> use) throws IOException {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        byte[] entry =
                ByteBuffer.allocate(Long.BYTES + text.length)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(text.length)
                        .put(text)
                        .array();
        int last = find(entry) + entry.length - 1;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {'!'}), last);
            try {
                return use.with(file);
            } finally {
                channel.write(ByteBuffer.wrap(bytes, last, 1), last);
            }
        }
    }

    private int find(byte[] wanted) {
        for (int at = 0; at <= bytes.length - wanted.length; at++) {
            int same = 0;
            while (same < wanted.length && bytes[at + same] == wanted[same]) {
                same++;
            }
            if (same == wanted.length) {
                return at;
            }
        }
        throw new IllegalArgumentException("no such entry");
    }
}
