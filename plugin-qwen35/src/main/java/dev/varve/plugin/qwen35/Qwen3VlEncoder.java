package dev.varve.plugin.qwen35;

import static dev.varve.plugin.qwen35.Qwen3VlTensors.block;

import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.RopeOptions;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.api.vision.ImageEncoder;
import dev.varve.api.vision.ImageGraph;
import dev.varve.api.vision.ImageInput;
import dev.varve.api.vision.ImageMarks;
import dev.varve.api.vision.ImagePixels;
import dev.varve.api.vision.ImagePositions;

import java.util.Arrays;
import java.util.Set;

/**
 * The image encoder of Qwen 3.5 and 3.6: a transformer over patches with learned and rotated
 * positions, whose last step merges each square of four patches into one row.
 */
final class Qwen3VlEncoder implements ImageEncoder {
    private static final float ROPE_BASE = 10_000;
    private static final int ROPE_CONTEXT = 32_768;
    private static final int TENSORS_PER_LAYER = 64;
    private static final int OTHER_TENSORS = 128;

    private final Qwen3VlSizes sizes;
    private final TensorSelection tensors;

    Qwen3VlEncoder(Qwen3VlSizes sizes, TensorSelection tensors) {
        this.sizes = sizes;
        this.tensors = tensors;
    }

    @Override
    public Set<String> architectures() {
        return Set.of("qwen35", "qwen35moe");
    }

    @Override
    public int width() {
        return sizes.output();
    }

    @Override
    public ImageInput input() {
        return sizes.input();
    }

    @Override
    public ImageMarks marks() {
        return new ImageMarks(
                "<|image_pad|>", "<|vision_start|>", "<|vision_end|>", ImageMarks.Writer.TEMPLATE);
    }

    @Override
    public ImagePositions positions() {
        return ImagePositions.GRID;
    }

    @Override
    public TensorSelection tensors() {
        return tensors;
    }

    @Override
    public int graphTensors() {
        return OTHER_TENSORS + sizes.layers() * TENSORS_PER_LAYER;
    }

    @Override
    public long computeBytes(int tokens) {
        long patches = (long) tokens * Qwen3VlSizes.MERGE * Qwen3VlSizes.MERGE;
        long patch = (long) sizes.patch() * sizes.patch() * ImagePixels.CHANNELS;
        // The residual, its norm, the widest product before and after its bias, and F16 rows.
        long widest = Math.max(3L * sizes.width(), sizes.inner());
        long floats = patch + 4L * sizes.width() + 3 * widest;
        return patches * floats * Float.BYTES;
    }

    @Override
    public Tensor build(ImageGraph graph, ImagePixels pixels) {
        PatchGrid grid =
                new PatchGrid(pixels.width() / sizes.patch(), pixels.height() / sizes.patch());
        Tensor hidden = embed(graph, grid, pixels);
        Tensor positions = graph.input("patch_positions", grid.positions(), 4L * grid.patches());
        for (int layer = 0; layer < sizes.layers(); layer++) {
            hidden = graph.ops().add(attention(graph, layer, hidden, positions), hidden);
            hidden = graph.ops().add(feedForward(graph, layer, hidden), hidden);
        }
        return merge(graph, hidden);
    }

    /** A still image is both frames of the two kernels, whose sums are rounded separately. */
    private Tensor embed(ImageGraph graph, PatchGrid grid, ImagePixels pixels) {
        Ops ops = graph.ops();
        float[] values = grid.values(pixels, sizes.patch());
        long length = values.length / grid.patches();
        Tensor patches = graph.input("patches", values, length, grid.patches());
        Tensor sum =
                ops.add(
                        convolve(graph, Qwen3VlTensors.FIRST_KERNEL, patches),
                        convolve(graph, Qwen3VlTensors.SECOND_KERNEL, patches));
        Tensor bias = graph.weight(Qwen3VlTensors.KERNEL_BIAS, TensorUse.ELEMENTWISE);
        Tensor embedded = ops.add(sum, bias);
        return ops.add(embedded, new PositionTable(sizes.tableSide()).interpolate(graph, grid));
    }

    /** Patches do not overlap, so the convolution is a product with each of them. */
    private Tensor convolve(ImageGraph graph, String kernel, Tensor patches) {
        Tensor weight = graph.weight(kernel, TensorUse.PATCH_KERNEL);
        Ops ops = graph.ops();
        return ops.mulMat(ops.reshape2d(weight, patches.ne(0), sizes.width()), patches);
    }

    private Tensor attention(ImageGraph graph, int layer, Tensor hidden, Tensor positions) {
        Tensor normed = graph.layerNorm(hidden, block(layer, "ln1"), sizes.epsilon());
        Tensor joined = graph.matmul(block(layer, "attn_qkv"), normed);
        Tensor attended =
                graph.attention(
                        rotate(graph, part(graph, joined, 0), positions),
                        rotate(graph, part(graph, joined, 1), positions),
                        part(graph, joined, 2),
                        1 / (float) Math.sqrt(sizes.headLength()));
        return graph.matmul(block(layer, "attn_out"), attended);
    }

    /** Queries, keys or values, {@code F32 [headLength, heads, patches]}. */
    private Tensor part(ImageGraph graph, Tensor joined, int index) {
        long length = sizes.headLength();
        return graph.ops()
                .view(
                        joined,
                        Extents.of(length, sizes.heads(), joined.ne(1)),
                        Strides.of(length * Float.BYTES, joined.nb(1)),
                        (long) index * sizes.width() * Float.BYTES);
    }

    private Tensor rotate(ImageGraph graph, Tensor heads, Tensor positions) {
        int[] sections = new int[4];
        Arrays.fill(sections, sizes.headLength() / 4);
        RopeOptions options =
                RopeOptions.plain(
                        sizes.headLength() / 2, RopeOptions.Mode.VISION, ROPE_BASE, ROPE_CONTEXT);
        return graph.ops().ropeMulti(heads, positions, sections, options);
    }

    private Tensor feedForward(ImageGraph graph, int layer, Tensor hidden) {
        Tensor normed = graph.layerNorm(hidden, block(layer, "ln2"), sizes.epsilon());
        Tensor inner = graph.ops().gelu(graph.matmul(block(layer, "ffn_up"), normed));
        return graph.matmul(block(layer, "ffn_down"), inner);
    }

    private Tensor merge(ImageGraph graph, Tensor hidden) {
        Tensor normed = graph.layerNorm(hidden, Qwen3VlTensors.LAST_NORM, sizes.epsilon());
        long square = (long) Qwen3VlSizes.MERGE * Qwen3VlSizes.MERGE;
        Tensor merged = graph.ops().reshape2d(normed, normed.ne(0) * square, normed.ne(1) / square);
        Tensor inner = graph.ops().gelu(graph.matmul(Qwen3VlTensors.MERGER_IN, merged));
        return graph.matmul(Qwen3VlTensors.MERGER_OUT, inner);
    }
}
