package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/** The demo models, and the logits of each from PyTorch, with which they were trained. */
public enum DemoModel {
    QWEN35,
    GEMMA4,
    LAGUNA;

    private static final Path FOLDER =
            Path.of(System.getProperty("varve.test.root"), "tools", "demo-models");

    /**
     * Logits of PyTorch in full precision, from the weights of the F16 file.
     *
     * @param tokens the input tokens
     * @param positions tokens whose logits are kept, ascending
     * @param logits {@code [positions.length][vocabulary]}
     */
    record Reference(int[] tokens, int[] positions, float[][] logits) {
        /** The rows of these positions among those of all tokens. */
        float[][] kept(float[][] all) {
            return Arrays.stream(positions)
                    .mapToObj(position -> all[position])
                    .toArray(float[][]::new);
        }
    }

    /** The F16 file; the test is skipped where the models were not made. */
    public Path file() {
        Path file = FOLDER.resolve("models").resolve("varve-demo-" + family() + ".gguf");
        assumeTrue(Files.exists(file), () -> "no demo model " + file);
        return file;
    }

    /** Returns the reference; fails if a model has none. */
    Reference reference() throws IOException {
        Path folder = FOLDER.resolve("evaluation");
        JsonNode description =
                JsonMapper.shared()
                        .readTree(Files.readString(folder.resolve(family() + ".logits.json")));
        int[] positions = ints(description.get("positions"));
        int vocabulary = description.get("vocabulary").intValue();
        byte[] bytes = Files.readAllBytes(folder.resolve(family() + ".logits.f32"));
        assertEquals(4L * positions.length * vocabulary, bytes.length, "bytes of the reference");
        ByteBuffer values = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        float[][] logits = new float[positions.length][vocabulary];
        for (float[] row : logits) {
            for (int i = 0; i < vocabulary; i++) {
                row[i] = values.getFloat();
            }
        }
        return new Reference(ints(description.get("tokens")), positions, logits);
    }

    private String family() {
        return name().toLowerCase(Locale.ROOT);
    }

    private static int[] ints(JsonNode array) {
        return array.valueStream().mapToInt(JsonNode::intValue).toArray();
    }
}
