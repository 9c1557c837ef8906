package dev.varve.plugin.gemma4;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.TensorUse;
import dev.varve.api.vision.ImageGraph;
import dev.varve.api.vision.ImagePixels;

/**
 * Patches of an image in raster order.
 *
 * @param side of a patch in pixels
 * @param columns patches side by side
 * @param rows patches one below the other
 */
record RasterPatches(int side, int columns, int rows) {
    static RasterPatches of(ImagePixels pixels, int side) {
        return new RasterPatches(side, pixels.width() / side, pixels.height() / side);
    }

    int count() {
        return columns * rows;
    }

    /**
     * Values of each patch, {@code [side * side * 3, count]}: column, row, channel.
     *
     * @param factor of each value
     * @param summand added afterwards
     */
    float[] values(ImagePixels pixels, float factor, float summand) {
        float[] values = new float[pixels.values().length];
        int at = 0;
        for (int patch = 0; patch < count(); patch++) {
            int left = patch % columns * side;
            int top = patch / columns * side;
            for (int channel = 0; channel < ImagePixels.CHANNELS; channel++) {
                for (int y = 0; y < side; y++) {
                    int from = pixels.offset(channel, left, top + y);
                    for (int x = 0; x < side; x++) {
                        values[at++] = pixels.values()[from + x] * factor + summand;
                    }
                }
            }
        }
        return values;
    }

    /** Column of each patch. */
    int[] xs() {
        int[] xs = new int[count()];
        for (int patch = 0; patch < xs.length; patch++) {
            xs[patch] = patch % columns;
        }
        return xs;
    }

    /** Row of each patch, plus a number. */
    int[] ys(int begin) {
        int[] ys = new int[count()];
        for (int patch = 0; patch < ys.length; patch++) {
            ys[patch] = begin + patch / columns;
        }
        return ys;
    }

    /** Adds the learned rows of each patch's column and row. */
    Tensor addPositions(ImageGraph graph, Tensor embedded, int tableRows) {
        if (columns > tableRows || rows > tableRows) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    "an image of "
                            + columns
                            + "x"
                            + rows
                            + " patches exceeds the encoder's "
                            + tableRows
                            + " positions");
        }
        Ops ops = graph.ops();
        Tensor both = graph.weight(VisionSizes.POSITIONS, TensorUse.PATCH_KERNEL);
        Tensor table = ops.reshape2d(both, both.ne(0), both.ne(1) * both.ne(2));
        Tensor across = ops.getRows(table, graph.input("columns", xs(), count()));
        Tensor down = ops.getRows(table, graph.input("rows", ys(tableRows), count()));
        return ops.add(ops.add(embedded, across), down);
    }
}
