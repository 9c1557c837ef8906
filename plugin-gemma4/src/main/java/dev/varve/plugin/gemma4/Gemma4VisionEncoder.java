package dev.varve.plugin.gemma4;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.RopeOptions;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufMetadata;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.api.model.WeightSelector;
import dev.varve.api.vision.ImageAttention;
import dev.varve.api.vision.ImageEncoder;
import dev.varve.api.vision.ImageGraph;
import dev.varve.api.vision.ImageInput;
import dev.varve.api.vision.ImageMarks;
import dev.varve.api.vision.ImagePixels;
import dev.varve.api.vision.ImagePositions;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The image encoder of Gemma 4: a transformer over patches with learned and rotated positions,
 * whose last step averages squares of patches.
 */
final class Gemma4VisionEncoder implements ImageEncoder {
    private static final float ROPE_BASE = 100;
    private static final int TENSORS_PER_LAYER = 96;
    private static final int OTHER_TENSORS = 128;
    private static final String KERNEL = "v.patch_embd.weight";
    private static final String PROJECTION = "mm.input_projection";
    private static final String BIAS = "v.std_bias";
    private static final String SCALE = "v.std_scale";
    private static final List<String> MATRICES =
            List.of("attn_q", "attn_k", "attn_v", "attn_out", "ffn_gate", "ffn_up", "ffn_down");

    /** Widths of the models whose images attend causally; no key of the files says so. */
    private static final Set<Integer> CAUSAL_WIDTHS = Set.of(1536, 2560);

    private final VisionSizes sizes;
    private final Blocks blocks;
    private final TensorSelection tensors;
    private final Map<String, ClippedLinear> products;

    /** Sizes of the transformer; {@code inner} is the width of the feed-forward. */
    private record Blocks(int count, int heads, int inner, Activation activation) {}

    private enum Activation {
        QUICK_GELU,
        GELU,
        SILU
    }

    private Gemma4VisionEncoder(
            VisionSizes sizes,
            Blocks blocks,
            TensorSelection tensors,
            Map<String, ClippedLinear> products) {
        this.sizes = sizes;
        this.blocks = blocks;
        this.tensors = tensors;
        this.products = products;
    }

    static Gemma4VisionEncoder open(GgufFile file) {
        VisionSizes sizes = VisionSizes.read(file);
        Blocks blocks = blocks(file, sizes);
        Map<String, ClippedLinear> products = new HashMap<>();
        for (int layer = 0; layer < blocks.count(); layer++) {
            for (String matrix : MATRICES) {
                String name = block(layer, matrix);
                products.put(name, ClippedLinear.read(file, name));
            }
        }
        products.put(PROJECTION, ClippedLinear.read(file, PROJECTION));
        return new Gemma4VisionEncoder(sizes, blocks, select(file, sizes, blocks), products);
    }

    private static Blocks blocks(GgufFile file, VisionSizes sizes) {
        GgufMetadata keys = file.metadata();
        int heads = keys.positiveInt(VisionSizes.KEYS + "attention.head_count");
        if (sizes.width() % heads != 0 || sizes.width() / heads % 4 != 0) {
            throw new ModelFormatException(
                    file.path(),
                    VisionSizes.KEYS + "attention.head_count",
                    "a divisor of " + sizes.width() + " that leaves a multiple of 4",
                    Integer.toString(heads));
        }
        return new Blocks(
                keys.positiveInt(VisionSizes.KEYS + "block_count"),
                heads,
                keys.positiveInt(VisionSizes.KEYS + "feed_forward_length"),
                activation(file, keys));
    }

    private static Activation activation(GgufFile file, GgufMetadata keys) {
        boolean gelu = keys.findBool("clip.use_gelu").orElse(false);
        boolean silu = keys.findBool("clip.use_silu").orElse(false);
        if (gelu && silu) {
            throw new VarveException(
                    VarveException.Kind.UNSUPPORTED_MODEL,
                    file.path().getFileName() + ": the projector has two activations");
        }
        if (gelu) {
            return Activation.GELU;
        }
        return silu ? Activation.SILU : Activation.QUICK_GELU;
    }

    private static String block(int layer, String name) {
        return "v.blk." + layer + "." + name;
    }

    private static TensorSelection select(GgufFile file, VisionSizes sizes, Blocks blocks) {
        WeightSelector weights = new WeightSelector(file);
        int width = sizes.width();
        int patch = sizes.patch();
        weights.add(KERNEL, TensorUse.PATCH_KERNEL, patch, patch, ImagePixels.CHANNELS, width);
        weights.add(VisionSizes.POSITIONS, TensorUse.PATCH_KERNEL, width, sizes.positions(), 2);
        for (int layer = 0; layer < blocks.count(); layer++) {
            for (String norm : List.of("ln1", "ln2", "attn_post_norm", "ffn_post_norm")) {
                weights.vector(block(layer, norm) + ".weight", width);
            }
            for (String norm : List.of("attn_q_norm", "attn_k_norm")) {
                weights.vector(block(layer, norm) + ".weight", width / blocks.heads());
            }
            for (String matrix : MATRICES) {
                weights.add(
                        block(layer, matrix) + ".weight",
                        TensorUse.MATMUL,
                        matrix.equals("ffn_down") ? blocks.inner() : width,
                        matrix.equals("ffn_gate") || matrix.equals("ffn_up")
                                ? blocks.inner()
                                : width);
            }
            outScale(weights, file, block(layer, "out_scale.weight"), width);
        }
        weights.addIfPresent(BIAS, TensorUse.ELEMENTWISE, width);
        weights.addIfPresent(SCALE, TensorUse.ELEMENTWISE, width);
        weights.add(PROJECTION + ".weight", TensorUse.MATMUL, width, sizes.output());
        return weights.build();
    }

    /** A factor for all elements, or one for each. */
    private static void outScale(WeightSelector weights, GgufFile file, String name, int width) {
        file.tensor(name).ifPresent(tensor -> weights.vector(name, tensor.ne(0) == 1 ? 1 : width));
    }

    @Override
    public Set<String> architectures() {
        return Set.of("gemma4");
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
        return VisionSizes.MARKS;
    }

    @Override
    public ImagePositions positions() {
        return ImagePositions.LINE;
    }

    @Override
    public ImageAttention attention() {
        return CAUSAL_WIDTHS.contains(sizes.output())
                ? ImageAttention.CAUSAL
                : ImageAttention.BIDIRECTIONAL_IN_WINDOWS;
    }

    @Override
    public TensorSelection tensors() {
        return tensors;
    }

    @Override
    public int graphTensors() {
        return OTHER_TENSORS + blocks.count() * TENSORS_PER_LAYER;
    }

    @Override
    public long computeBytes(int tokens) {
        long patches = (long) tokens * sizes.pooling() * sizes.pooling();
        long patch = (long) sizes.patch() * sizes.patch() * ImagePixels.CHANNELS;
        long floats = patch + 8L * sizes.width() + 4L * blocks.inner();
        return patches * floats * Float.BYTES + (long) tokens * sizes.output() * Float.BYTES;
    }

    @Override
    public Tensor build(ImageGraph graph, ImagePixels pixels) {
        RasterPatches patches = RasterPatches.of(pixels, sizes.patch());
        Ops ops = graph.ops();
        int count = patches.count();
        // The encoder was trained with values between -1 and 1.
        float[] values = patches.values(pixels, 2, -1);
        Tensor given = graph.input("patches", values, values.length / count, count);
        Tensor kernel = graph.weight(KERNEL, TensorUse.PATCH_KERNEL);
        Tensor embedded = ops.mulMat(ops.reshape2d(kernel, given.ne(0), sizes.width()), given);
        Tensor hidden = patches.addPositions(graph, embedded, sizes.positions());
        Tensor xs = graph.input("x", patches.xs(), count);
        Tensor ys = graph.input("y", patches.ys(0), count);
        for (int layer = 0; layer < blocks.count(); layer++) {
            hidden = layer(graph, layer, hidden, xs, ys);
        }
        Tensor pooled = standardised(graph, pool(ops, hidden, patches));
        return products.get(PROJECTION).multiply(graph, ops.rmsNorm(pooled, sizes.epsilon()));
    }

    private Tensor layer(ImageGraph graph, int layer, Tensor input, Tensor xs, Tensor ys) {
        Ops ops = graph.ops();
        Tensor attended = attention(graph, layer, norm(graph, layer, "ln1", input), xs, ys);
        Tensor middle = ops.add(norm(graph, layer, "attn_post_norm", attended), input);
        Tensor normed = norm(graph, layer, "ln2", middle);
        Tensor gate = activated(ops, product(graph, layer, "ffn_gate", normed));
        Tensor inner = ops.mul(gate, product(graph, layer, "ffn_up", normed));
        Tensor fed = product(graph, layer, "ffn_down", inner);
        Tensor output = ops.add(norm(graph, layer, "ffn_post_norm", fed), middle);
        return graph.optionalWeight(block(layer, "out_scale.weight"), TensorUse.ELEMENTWISE)
                .map(scale -> ops.mul(output, scale))
                .orElse(output);
    }

    private Tensor product(ImageGraph graph, int layer, String name, Tensor input) {
        return products.get(block(layer, name)).multiply(graph, input);
    }

    private Tensor norm(ImageGraph graph, int layer, String name, Tensor input) {
        Tensor weight = graph.weight(block(layer, name) + ".weight", TensorUse.ELEMENTWISE);
        return graph.ops().mul(graph.ops().rmsNorm(input, sizes.epsilon()), weight);
    }

    private Tensor activated(Ops ops, Tensor gate) {
        return switch (blocks.activation()) {
            case GELU -> ops.gelu(gate);
            case SILU -> ops.silu(gate);
            case QUICK_GELU -> ops.mul(gate, ops.sigmoid(ops.scale(gate, 1.702f)));
        };
    }

    private Tensor attention(ImageGraph graph, int layer, Tensor input, Tensor xs, Tensor ys) {
        Tensor query = heads(graph, product(graph, layer, "attn_q", input));
        Tensor key = heads(graph, product(graph, layer, "attn_k", input));
        Tensor value = heads(graph, product(graph, layer, "attn_v", input));
        Tensor attended =
                graph.attention(
                        rotate(graph.ops(), norm(graph, layer, "attn_q_norm", query), xs, ys),
                        rotate(graph.ops(), norm(graph, layer, "attn_k_norm", key), xs, ys),
                        graph.ops().rmsNorm(value, sizes.epsilon()),
                        1);
        return product(graph, layer, "attn_out", attended);
    }

    private Tensor heads(ImageGraph graph, Tensor columns) {
        long length = sizes.width() / blocks.heads();
        return graph.ops().reshape3d(columns, length, blocks.heads(), columns.ne(1));
    }

    /** The first half of each head by the column, the second one by the row. */
    private Tensor rotate(Ops ops, Tensor heads, Tensor xs, Tensor ys) {
        return ops.concat(half(ops, heads, 0, xs), half(ops, heads, 1, ys), 0);
    }

    private Tensor half(Ops ops, Tensor heads, int index, Tensor positions) {
        long length = heads.ne(0) / 2;
        Tensor part =
                ops.view(
                        heads,
                        Extents.of(length, heads.ne(1), heads.ne(2)),
                        Strides.of(heads.nb(1), heads.nb(2)),
                        index * length * Float.BYTES);
        RopeOptions options = RopeOptions.plain((int) length, RopeOptions.Mode.NEOX, ROPE_BASE, 0);
        return ops.ropeExt(part, positions, Optional.empty(), options);
    }

    /** The mean of each square of patches, times the root of the width. */
    private Tensor pool(Ops ops, Tensor hidden, RasterPatches patches) {
        int square = sizes.pooling();
        long across = patches.columns() / square;
        long down = patches.rows() / square;
        long row = hidden.nb(1);
        Tensor lines = null;
        for (int x = 0; x < square; x++) {
            Tensor column =
                    ops.view(
                            hidden,
                            Extents.of(sizes.width(), across, patches.rows()),
                            Strides.of(square * row, patches.columns() * row),
                            x * row);
            lines = lines == null ? ops.cont(column) : ops.add(lines, column);
        }
        Tensor sum = null;
        for (int y = 0; y < square; y++) {
            Tensor line =
                    ops.view(
                            lines,
                            Extents.of(sizes.width(), across, down),
                            Strides.of(lines.nb(1), square * lines.nb(2)),
                            y * lines.nb(2));
            sum = sum == null ? ops.cont(line) : ops.add(sum, line);
        }
        float factor = (float) Math.sqrt(sizes.width()) / (square * square);
        return ops.scale(ops.reshape2d(sum, sizes.width(), across * down), factor);
    }

    private Tensor standardised(ImageGraph graph, Tensor pooled) {
        Ops ops = graph.ops();
        Tensor centred =
                graph.optionalWeight(BIAS, TensorUse.ELEMENTWISE)
                        .map(bias -> ops.sub(pooled, bias))
                        .orElse(pooled);
        return graph.optionalWeight(SCALE, TensorUse.ELEMENTWISE)
                .map(scale -> ops.mul(centred, scale))
                .orElse(centred);
    }
}
