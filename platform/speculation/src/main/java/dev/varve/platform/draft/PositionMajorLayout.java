package dev.varve.platform.draft;

import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;

/**
 * Layout of a tensor with the slots of some blocks: slot after slot, and within a slot sequence
 * after sequence.
 *
 * @param count number of predicted slots
 * @param sequences number of blocks
 */
record PositionMajorLayout(Ops ops, int count, int sequences) {
    /** The columns of a slot, one for each sequence. */
    Tensor columns(Tensor all, int slot) {
        return ops.view2d(
                all, all.ne(0), sequences, all.nb(1), (long) slot * sequences * all.nb(1));
    }

    /** A slot's part of packed 4-byte elements: {@code [ne0, ne1, sequences]}. */
    Tensor part(Tensor all, long ne0, long ne1, int slot) {
        long bytes = ne0 * ne1 * Float.BYTES;
        return ops.view(
                all,
                Extents.of(ne0, ne1, sequences),
                Strides.of(ne0 * Float.BYTES, bytes),
                slot * sequences * bytes);
    }

    /** All ids of a slot, {@code [n, slots * sequences] -> [n * sequences]}. */
    Tensor ids(Tensor all, int slot) {
        long ids = all.ne(0) * sequences;
        return ops.view1d(all, ids, slot * ids * Integer.BYTES);
    }
}
