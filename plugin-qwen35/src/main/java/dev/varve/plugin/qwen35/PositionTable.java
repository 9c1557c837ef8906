package dev.varve.plugin.qwen35;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.TensorUse;
import dev.varve.api.vision.ImageGraph;

/**
 * Interpolates the learned table of positions to a grid of patches: bilinear, with the corners of
 * the table at the corners of the grid.
 *
 * @param side rows and columns of the table
 */
record PositionTable(int side) {
    private static final int CORNERS = 4;

    /** Rows of the table for the patches, {@code F32 [width, patches]}. */
    Tensor interpolate(ImageGraph graph, PatchGrid grid) {
        Ops ops = graph.ops();
        Tensor table = graph.weight(Qwen3VlTensors.POSITIONS, TensorUse.COMPUTED_LOOKUP);
        Tensor sum = corner(graph, grid, table, 0);
        for (int corner = 1; corner < CORNERS; corner++) {
            sum = ops.add(sum, corner(graph, grid, table, corner));
        }
        return sum;
    }

    /**
     * The share of one of the four table rows around each patch.
     *
     * @param corner bit 0 for the right ones, bit 1 for the lower ones
     */
    private Tensor corner(ImageGraph graph, PatchGrid grid, Tensor table, int corner) {
        int patches = grid.patches();
        int[] rows = new int[patches];
        float[] shares = new float[patches];
        for (int patch = 0; patch < patches; patch++) {
            Place x = place(grid.column(patch), grid.columns(), corner & 1);
            Place y = place(grid.row(patch), grid.rows(), corner >> 1);
            rows[patch] = y.index() * side + x.index();
            shares[patch] = x.share() * y.share();
        }
        Tensor found = graph.ops().getRows(table, graph.input("position_rows", rows, patches));
        return graph.ops().mul(found, graph.input("position_shares", shares, 1, patches));
    }

    /** An index of the table along one axis, and its share. */
    private record Place(int index, float share) {}

    private Place place(int patch, int patches, int upper) {
        float source = patches == 1 ? 0 : (float) (patch * (side - 1)) / (patches - 1);
        int lower = Math.min((int) source, side - 1);
        float rest = source - lower;
        return upper == 0
                ? new Place(lower, 1 - rest)
                : new Place(Math.min(lower + 1, side - 1), rest);
    }
}
