package dev.varve.client.node;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The demo model with a file that says that it was trained for long texts. What it makes of them is
 * nonsense, but it reads them.
 */
final class LongModel {
    /** More tokens than coding agents send at first, in the small vocabulary of the demo models. */
    static final int CONTEXT = 24_000;

    private static final Path DEMO =
            InstalledServer.INSTALLATION.resolve("models").resolve("varve-demo-qwen35.gguf");
    private static final String KEY = "qwen35.context_length";

    /** The type of GGUF that is an unsigned number of 32 bits. */
    private static final int UINT32 = 4;

    private LongModel() {}

    /** Writes it into a folder. */
    static Path write(Path folder) throws IOException {
        byte[] file = Files.readAllBytes(DEMO);
        int type = indexBehind(file, KEY.getBytes(StandardCharsets.UTF_8));
        ByteBuffer values = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        if (values.getInt(type) != UINT32) {
            throw new AssertionError(KEY + " has type " + values.getInt(type));
        }
        values.putInt(type + Integer.BYTES, CONTEXT);
        return Files.write(folder.resolve("long.gguf"), file);
    }

    private static int indexBehind(byte[] file, byte[] key) {
        for (int i = 0; i + key.length <= file.length; i++) {
            if (Arrays.equals(file, i, i + key.length, key, 0, key.length)) {
                return i + key.length;
            }
        }
        throw new AssertionError("no " + KEY + " in " + DEMO);
    }
}
