package dev.varve.api.ggml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A product whose tiles are products of their own that write into one result. ggml has no operator
 * for that, so the fields that say where a result lies are set here:
 *
 * <ul>
 *   <li>the whole is a node that computes nothing, but has memory as any result does;
 *   <li>tiles are views of it with strides of its rows;
 *   <li>the returned tensor is a view of it that names the tiles as sources. Its users therefore
 *       run after the tiles, and the memory is reused only when both are finished.
 * </ul>
 */
final class TiledProduct {
    /** The operator of a view, which computes nothing. */
    private static final int OP_VIEW = 37;

    /** Sources of a node besides the tensor that it is a view of. */
    private static final int TILES_PER_VIEW = Tensor.MAX_SOURCES - 1;

    private TiledProduct() {}

    /** Number of tensors that a product of that many tiles counts as. */
    static long tensors(long tiles) {
        // Two operands and a product each, the whole, and the views of it.
        return 3 * tiles + 1 + (tiles + TILES_PER_VIEW - 1) / TILES_PER_VIEW;
    }

    /** See {@link Ops#mulMatTiled}. */
    static Tensor of(Ops ops, Tensor a, Tensor b, long rows, long columns) {
        Tensor whole = ops.mulMat(a, b);
        struct(whole).set(JAVA_INT, Tensor.OPERATOR, OP_VIEW);
        List<Tensor> tiles = new ArrayList<>();
        for (long row = 0; row < a.ne(1); row += rows) {
            Tensor some =
                    ops.view2d(a, a.ne(0), Math.min(rows, a.ne(1) - row), a.nb(1), row * a.nb(1));
            for (long column = 0; column < b.ne(1); column += columns) {
                Tensor others =
                        ops.view2d(
                                b,
                                b.ne(0),
                                Math.min(columns, b.ne(1) - column),
                                b.nb(1),
                                column * b.nb(1));
                Tensor tile = ops.mulMat(some, others);
                move(tile, whole, row * whole.nb(0) + column * whole.nb(1));
                tiles.add(tile);
            }
        }
        Tensor result = whole;
        for (int first = 0; first < tiles.size(); first += TILES_PER_VIEW) {
            result = ops.view2d(result, whole.ne(0), whole.ne(1), whole.nb(1), 0);
            int last = Math.min(tiles.size(), first + TILES_PER_VIEW);
            for (int i = first; i < last; i++) {
                struct(result)
                        .set(
                                ADDRESS,
                                Tensor.SOURCES + (1 + i - first) * ADDRESS.byteSize(),
                                struct(tiles.get(i)));
            }
        }
        return result;
    }

    /** Makes a tile write into the whole. After this, only ggml uses the tile. */
    private static void move(Tensor tile, Tensor whole, long offset) {
        MemorySegment struct = struct(tile);
        for (int dimension = 1; dimension < 4; dimension++) {
            struct.set(JAVA_LONG, Tensor.NB + dimension * Long.BYTES, whole.nb(dimension));
        }
        struct.set(ADDRESS, Tensor.VIEW_SOURCE, struct(whole));
        struct.set(JAVA_LONG, Tensor.VIEW_OFFSET, offset);
    }

    private static MemorySegment struct(Tensor tensor) {
        return tensor.pointer().address();
    }
}
