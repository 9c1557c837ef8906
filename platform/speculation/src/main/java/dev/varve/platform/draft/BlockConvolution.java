package dev.varve.platform.draft;

import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.TensorUse;
import dev.varve.platform.shard.local.ShardWeights;

import java.util.Locale;
import java.util.Optional;

/**
 * Mixes each row of a block with those before it, before and after a part of a layer: {@code
 * out[t][c] = Σ_tap (base[c, tap] + change[t][group of c, tap]) · in[t - tap][c]}, with zero for
 * rows before the block's first. Does nothing in networks that do not mix rows.
 */
final class BlockConvolution {
    /** SubLayer of a layer that it surrounds. */
    enum SubLayer {
        ATTN,
        FFN;

        /** Tensor of the taps that all rows share, {@code [hidden, kernel, 2]}. */
        String base(int layer) {
            return DraftTensorNames.layer(layer, lowerCase() + "_conv_base");
        }

        /** Matrix that computes the changes of a row's taps, without suffix. */
        String projection(int layer) {
            return DraftTensorNames.layer(layer, lowerCase() + "_conv_proj");
        }

        private String lowerCase() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Maximum number of tensors that one filter records. */
    static int tensors(BlockDecoding.ConvolutionParameters convolution) {
        return 8 + 2 * 12 * convolution.kernel();
    }

    private record Taps(
            BlockDecoding.ConvolutionParameters convolution, Tensor base, Tensor changes) {}

    private final Ops ops;
    private final int block;
    private final Optional<Taps> taps;

    private BlockConvolution(Ops ops, int block, Optional<Taps> taps) {
        this.ops = ops;
        this.block = block;
        this.taps = taps;
    }

    /**
     * Creates the filter around a part.
     *
     * @param input of the part before it is filtered, {@code F32 [hidden, rows]}, block after block
     */
    static BlockConvolution of(
            SubLayer part, int layer, DraftOperators layers, ShardWeights weights, Tensor input) {
        DraftHyperparameters network = layers.network();
        Optional<Taps> taps =
                network.method() instanceof BlockDecoding.Selector selector
                        ? Optional.of(
                                new Taps(
                                        selector.convolution(),
                                        weights.get(part.base(layer), TensorUse.ELEMENTWISE),
                                        layers.multiply(part.projection(layer), input)))
                        : Optional.empty();
        return new BlockConvolution(layers.ops(), network.block().tokens(), taps);
    }

    /** Filters the input of the part. */
    Tensor before(Tensor rows) {
        return taps.map(own -> convolve(rows, own, 0)).orElse(rows);
    }

    /** Filters the output of the part. */
    Tensor behind(Tensor rows) {
        return taps.map(own -> convolve(rows, own, 1)).orElse(rows);
    }

    private Tensor convolve(Tensor rows, Taps own, int side) {
        int kernel = own.convolution().kernel();
        long group = own.convolution().group();
        long hidden = rows.ne(0);
        long groups = hidden / group;
        Tensor moved = rows;
        Tensor sum = null;
        // A tap that reaches back further than the block length reads zeros only.
        for (int tap = 0; tap < Math.min(kernel, block); tap++) {
            if (tap > 0) {
                moved = moveOn(moved);
            }
            Tensor split = ops.reshape3d(moved, group, groups, rows.ne(1));
            int place = tap + kernel * side;
            Tensor base =
                    ops.view(
                            own.base(),
                            Extents.of(group, groups),
                            Strides.of(group * Float.BYTES),
                            place * hidden * Float.BYTES);
            Tensor changes =
                    ops.view(
                            own.changes(),
                            Extents.of(1, groups, rows.ne(1)),
                            Strides.of(Float.BYTES, own.changes().nb(1)),
                            place * groups * Float.BYTES);
            Tensor mixed = ops.add(ops.mul(split, base), ops.mul(split, changes));
            sum = sum == null ? mixed : ops.add(sum, mixed);
        }
        return ops.reshape2d(sum, hidden, rows.ne(1));
    }

    /** Shifts each block's rows by one, after a zero row. */
    private Tensor moveOn(Tensor rows) {
        long hidden = rows.ne(0);
        long blocks = rows.ne(1) / block;
        Tensor firsts =
                ops.cont(
                        ops.view(
                                rows,
                                Extents.of(hidden, 1, blocks),
                                Strides.of(rows.nb(1), block * rows.nb(1)),
                                0));
        Tensor others =
                ops.view(
                        rows,
                        Extents.of(hidden, block - 1, blocks),
                        Strides.of(rows.nb(1), block * rows.nb(1)),
                        0);
        Tensor joined = ops.concat(ops.scale(firsts, 0), others, 1);
        return ops.reshape2d(joined, hidden, rows.ne(1));
    }
}
