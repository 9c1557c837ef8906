package dev.varve.plugin.gemma4;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.gguf.GgufFile;
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

import java.util.List;
import java.util.Set;

/** The image encoder of Gemma 4 12B: large patches with norms and positions, and no transformer. */
final class Gemma4PatchEncoder implements ImageEncoder {
    private static final float NORM_EPSILON = 1e-5f;
    private static final int TENSORS = 96;
    private static final String KERNEL = "v.patch_embd";
    private static final String PROJECTION = "mm.input_projection";

    private final VisionSizes sizes;
    private final TensorSelection tensors;

    private Gemma4PatchEncoder(VisionSizes sizes, TensorSelection tensors) {
        this.sizes = sizes;
        this.tensors = tensors;
    }

    static Gemma4PatchEncoder open(GgufFile file) {
        VisionSizes sizes = VisionSizes.read(file);
        WeightSelector weights = new WeightSelector(file);
        int width = sizes.width();
        long patch = patchValues(sizes);
        weights.add(KERNEL + ".weight", TensorUse.MATMUL, patch, width);
        weights.vector(KERNEL + ".bias", width);
        norm(weights, 1, patch);
        norm(weights, 2, width);
        norm(weights, 3, width);
        weights.add(VisionSizes.POSITIONS, TensorUse.PATCH_KERNEL, width, sizes.positions(), 2);
        weights.add(PROJECTION + ".weight", TensorUse.MATMUL, width, sizes.output());
        return new Gemma4PatchEncoder(sizes, weights.build());
    }

    private static long patchValues(VisionSizes sizes) {
        long side = sizes.input().align();
        return ImagePixels.CHANNELS * side * side;
    }

    private static void norm(WeightSelector weights, int number, long length) {
        for (String suffix : List.of(".weight", ".bias")) {
            weights.vector(normName(number) + suffix, length);
        }
    }

    private static String normName(int number) {
        return "v.patch_norm." + number;
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
        return ImageAttention.BIDIRECTIONAL_IN_WINDOWS;
    }

    @Override
    public TensorSelection tensors() {
        return tensors;
    }

    @Override
    public int graphTensors() {
        return TENSORS;
    }

    @Override
    public long computeBytes(int tokens) {
        long floats = 3 * patchValues(sizes) + 6L * sizes.width() + sizes.output();
        return tokens * floats * Float.BYTES;
    }

    @Override
    public Tensor build(ImageGraph graph, ImagePixels pixels) {
        RasterPatches patches = RasterPatches.of(pixels, sizes.input().align());
        Ops ops = graph.ops();
        int count = patches.count();
        float[] values = patches.values(pixels, 1, 0);
        Tensor given = graph.input("patches", values, values.length / count, count);
        Tensor normed = graph.layerNorm(given, normName(1), NORM_EPSILON);
        Tensor embedded = graph.layerNorm(graph.matmul(KERNEL, normed), normName(2), NORM_EPSILON);
        Tensor placed = patches.addPositions(graph, embedded, sizes.positions());
        Tensor last = graph.layerNorm(placed, normName(3), NORM_EPSILON);
        return graph.matmul(PROJECTION, ops.rmsNorm(last, sizes.epsilon()));
    }
}
