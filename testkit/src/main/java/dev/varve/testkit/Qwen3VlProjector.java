package dev.varve.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A random image encoder of type {@code qwen3vl_merger}.
 *
 * @param width of its hidden state, a multiple of 4 times the heads
 * @param inner width of its feed-forward
 * @param layers number of its blocks
 * @param heads of its attention
 * @param tableSide rows and columns of its position table
 * @param output width of the rows that enter a model
 */
public record Qwen3VlProjector(
        int width, int inner, int layers, int heads, int tableSide, int output) {
    private static final int PATCH = 16;
    private static final long SEED = 77;

    /** A small encoder for models of a width. */
    public static Qwen3VlProjector tiny(int output) {
        return new Qwen3VlProjector(32, 48, 2, 2, 4, output);
    }

    /** Writes the file into a folder. */
    public Path write(Path folder) throws IOException {
        Path file = folder.resolve(String.format(Locale.ROOT, "mmproj-%d.gguf", output));
        writer().write(file);
        return file;
    }

    /** The whole content, for callers that change it before writing. */
    public GgufWriter writer() {
        GgufWriter writer = new GgufWriter();
        putKeys(writer);
        RandomTensors tensors =
                new RandomTensors(writer, TensorType.F16, false, new RandomRows(SEED), Set.of());
        for (String kernel : List.of("v.patch_embd.weight", "v.patch_embd.weight.1")) {
            tensors.matrix(kernel, List.of(PATCH, PATCH, 3, width), 0.04);
        }
        bias(tensors, "v.patch_embd.bias", width);
        tensors.floats(
                "v.position_embd.weight",
                List.of(width, tableSide * tableSide),
                tensors.rows().gaussian("v.position_embd.weight", 0, 0.3));
        for (int layer = 0; layer < layers; layer++) {
            block(tensors, "v.blk." + layer + ".");
        }
        norm(tensors, "v.post_ln");
        matrix(tensors, "mm.0", 4 * width, 4 * width);
        matrix(tensors, "mm.2", 4 * width, output);
        return writer;
    }

    private void putKeys(GgufWriter writer) {
        String keys = "clip.vision.";
        writer.put("general.architecture", GgufValue.of("clip"))
                .put("general.type", GgufValue.of("mmproj"))
                .put("clip.has_vision_encoder", GgufValue.of(true))
                .put("clip.projector_type", GgufValue.of("qwen3vl_merger"))
                .put("clip.use_gelu", GgufValue.of(true))
                .put(keys + "projection_dim", GgufValue.of(output))
                .put(keys + "image_size", GgufValue.of(tableSide * PATCH))
                .put(keys + "patch_size", GgufValue.of(PATCH))
                .put(keys + "embedding_length", GgufValue.of(width))
                .put(keys + "feed_forward_length", GgufValue.of(inner))
                .put(keys + "block_count", GgufValue.of(layers))
                .put(keys + "attention.head_count", GgufValue.of(heads))
                .put(keys + "attention.layer_norm_epsilon", GgufValue.of(1e-6f))
                .put(keys + "spatial_merge_size", GgufValue.of(2))
                .put(keys + "image_mean", GgufValue.floats(List.of(0.5f, 0.5f, 0.5f)))
                .put(keys + "image_std", GgufValue.floats(List.of(0.5f, 0.5f, 0.5f)));
    }

    private void block(RandomTensors tensors, String block) {
        norm(tensors, block + "ln1");
        norm(tensors, block + "ln2");
        matrix(tensors, block + "attn_qkv", width, 3 * width);
        matrix(tensors, block + "attn_out", width, width);
        matrix(tensors, block + "ffn_up", width, inner);
        matrix(tensors, block + "ffn_down", inner, width);
    }

    private void norm(RandomTensors tensors, String name) {
        tensors.norm(name + ".weight", width, 1);
        bias(tensors, name + ".bias", width);
    }

    private static void matrix(RandomTensors tensors, String name, int inputs, int outputs) {
        tensors.matrix(name + ".weight", List.of(inputs, outputs), 1 / Math.sqrt(inputs));
        bias(tensors, name + ".bias", outputs);
    }

    private static void bias(RandomTensors tensors, String name, int length) {
        tensors.norm(name, length, 0);
    }
}
