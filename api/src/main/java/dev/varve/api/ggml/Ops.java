package dev.varve.api.ggml;

import dev.varve.api.ggml.Pointer.TensorPtr;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Optional;

/**
 * The operators of ggml. Each checks in Java what ggml would assert, adds a tensor to the context
 * and returns it; nothing is computed yet. One file on purpose: it is a flat vocabulary without
 * state.
 *
 * <p>Shapes are in ggml order, the fastest dimension first.
 */
public final class Ops {
    /**
     * Arguments of rotary embeddings, as ggml names them.
     *
     * @param dims leading elements of a head that are rotated
     * @param mode {@link #NORMAL} or {@link #NEOX}; for several axes {@link #MULTI_AXIS} or {@link
     *     #INTERLEAVED_MULTI_AXIS}
     * @param originalContext context length before YaRN scaling
     * @param freqBase base of the frequencies
     * @param freqScale factor of the positions
     * @param extFactor 1 for YaRN, else 0
     * @param attnFactor factor of sine and cosine
     * @param betaFast YaRN's upper bound in rotations
     * @param betaSlow YaRN's lower bound in rotations
     */
    public record RopeOptions(
            int dims,
            int mode,
            int originalContext,
            float freqBase,
            float freqScale,
            float extFactor,
            float attnFactor,
            float betaFast,
            float betaSlow) {
        /** Rotates elements 2p and 2p + 1. */
        public static final int NORMAL = 0;

        /** Rotates elements p and p + dims/2. */
        public static final int NEOX = 2;

        /** As {@link #NEOX}, with a section of the pairs for each position axis. */
        public static final int MULTI_AXIS = 8;

        /** As {@link #NEOX}, with the position axes taking turns over the pairs. */
        public static final int INTERLEAVED_MULTI_AXIS = 40;
    }

    private static final int PRECISION_F32 = 10;
    private static final int HINT_HADAMARD = 1;
    private static final int OP_MUL_MAT = 29;
    private static final int OP_MUL_MAT_ID = 30;
    private static final int OP_FLASH_ATTENTION = 74;
    private static final long FLOAT = Float.BYTES;

    private final GgmlContext context;

    Ops(GgmlContext context) {
        this.context = context;
    }

    /**
     * Product with a weight: {@code a [K, M], b F32 [K, N] -> F32 [M, N]}; a is broadcast over the
     * outer dimensions.
     */
    public Tensor mulMat(Tensor a, Tensor b) {
        require(
                a.ne(0) == b.ne(0)
                        && b.ne(2) % a.ne(2) == 0
                        && b.ne(3) % a.ne(3) == 0
                        && !a.isTransposed()
                        && a.hasContiguousRows()
                        && b.hasContiguousRows(),
                "mul_mat",
                a,
                b);
        requireComputable("mul_mat", a);
        requireF32("mul_mat", b);
        return adopt(OpsApi.mulMat(context.count(1), use(a), use(b)));
    }

    /**
     * As {@link #mulMat}, where a is a Hadamard matrix {@code F32 [n, n]}, n a power of two, and a
     * faster way may exist; b is contiguous.
     */
    public Tensor mulMatHadamard(Tensor a, Tensor b) {
        requireF32("mul_mat", a);
        require(
                a.isContiguous()
                        && b.isContiguous()
                        && a.ne(1) == a.ne(0)
                        && a.elements() == a.ne(0) * a.ne(0)
                        && Long.bitCount(a.ne(0)) == 1,
                "mul_mat with a Hadamard matrix",
                a,
                b);
        Tensor product = mulMat(a, b);
        OpsApi.mulMatSetHint(product.pointer(), HINT_HADAMARD);
        return product;
    }

    /**
     * Product with chosen experts: {@code as [K, M, E], b F32 [K, U or 1, T], ids I32 [U, T] -> F32
     * [M, U, T]}.
     */
    public Tensor mulMatId(Tensor as, Tensor b, Tensor ids) {
        require(
                as.ne(0) == b.ne(0)
                        && as.ne(3) == 1
                        && b.ne(3) == 1
                        && ids.ne(1) == b.ne(2)
                        && ids.ne(0) % b.ne(1) == 0
                        && ids.ne(2) == 1
                        && ids.ne(3) == 1
                        && !as.isTransposed()
                        && as.hasContiguousRows()
                        && b.hasContiguousRows()
                        && ids.hasContiguousRows(),
                "mul_mat_id",
                as,
                b,
                ids);
        requireComputable("mul_mat_id", as);
        requireF32("mul_mat_id", b);
        requireType("mul_mat_id", ids, GgmlType.I32);
        return adopt(OpsApi.mulMatId(context.count(1), use(as), use(b), use(ids)));
    }

    /**
     * Rows by number: {@code a [n, rows], ids I32 [m] -> F32 [n, m]}. The ids must be below the
     * number of rows.
     */
    public Tensor getRows(Tensor a, Tensor ids) {
        require(
                a.ne(2) == ids.ne(1)
                        && a.ne(3) == ids.ne(2)
                        && ids.ne(3) == 1
                        && a.hasContiguousRows(),
                "get_rows",
                a,
                ids);
        if (a.type() != GgmlType.I32) {
            requireComputable("get_rows", a);
        }
        requireType("get_rows", ids, GgmlType.I32);
        return adopt(OpsApi.getRows(context.count(1), use(a), use(ids)));
    }

    /**
     * Writes rows: {@code target [n, rows], source F32 [n, m], ids I64 or I32 [m]}; returns a view
     * of the target.
     */
    public Tensor setRows(Tensor target, Tensor source, Tensor ids) {
        require(
                target.ne(0) == source.ne(0)
                        && target.ne(2) == source.ne(2)
                        && target.ne(3) == source.ne(3)
                        && source.ne(1) == ids.ne(0)
                        && source.ne(2) % ids.ne(1) == 0
                        && source.ne(3) % ids.ne(2) == 0
                        && ids.ne(3) == 1
                        && source.hasContiguousRows()
                        && target.hasContiguousRows(),
                "set_rows",
                target,
                source,
                ids);
        requireF32("set_rows", source);
        requireWritable("set_rows", target);
        if (ids.type() != GgmlType.I32) {
            requireType("set_rows", ids, GgmlType.I64);
        }
        return view(target, OpsApi.setRows(context.count(1), use(target), use(source), use(ids)));
    }

    /** Copies elements, converting the type; returns a view of the target. */
    public Tensor copy(Tensor source, Tensor target) {
        require(
                source.elements() == target.elements() && canConvert(source, target),
                "cpy",
                source,
                target);
        return view(target, OpsApi.cpy(context.count(1), use(source), use(target)));
    }

    /** A contiguous copy. */
    public Tensor cont(Tensor a) {
        return adopt(OpsApi.cont(context.count(1), use(a)));
    }

    /** A contiguous copy of another shape with as many elements. */
    public Tensor cont2d(Tensor a, long ne0, long ne1) {
        require(!a.type().isQuantized() || a.isContiguous(), "cont_2d", a);
        requireReshape("cont_2d", a, ne0, ne1);
        return adopt(OpsApi.cont2d(context.count(1), use(a), ne0, ne1));
    }

    /** Joins two tensors along a dimension. */
    public Tensor concat(Tensor a, Tensor b, int dimension) {
        boolean fits =
                a.type() == b.type() && !a.type().isQuantized() && dimension >= 0 && dimension < 4;
        for (int i = 0; i < 4; i++) {
            fits &= i == dimension || a.ne(i) == b.ne(i);
        }
        // Eight-byte elements are copied by rows, all others one by one.
        fits &= a.type().typeSize() < 8 || a.hasContiguousRows() && b.hasContiguousRows();
        require(fits, "concat", a, b);
        return adopt(OpsApi.concat(context.count(1), use(a), use(b), dimension));
    }

    /** Sum; b is repeated to the shape of a. */
    public Tensor add(Tensor a, Tensor b) {
        requireBroadcast("add", a, b);
        return adopt(OpsApi.add(context.count(1), use(a), use(b)));
    }

    /** Difference; b is repeated to the shape of a. */
    public Tensor sub(Tensor a, Tensor b) {
        requireBroadcast("sub", a, b);
        return adopt(OpsApi.sub(context.count(1), use(a), use(b)));
    }

    /** Element-wise product; b is repeated to the shape of a. */
    public Tensor mul(Tensor a, Tensor b) {
        requireBroadcast("mul", a, b);
        return adopt(OpsApi.mul(context.count(1), use(a), use(b)));
    }

    /** Element-wise quotient; b is repeated to the shape of a. */
    public Tensor div(Tensor a, Tensor b) {
        requireBroadcast("div", a, b);
        return adopt(OpsApi.div(context.count(1), use(a), use(b)));
    }

    /** Times a number; contiguous. */
    public Tensor scale(Tensor a, float factor) {
        requireF32("scale", a);
        require(a.isContiguous() && a.hasEvenPlanes(), "scale", a);
        return adopt(OpsApi.scale(context.count(1), use(a), factor));
    }

    /** Divides each row by its root mean square; the result is contiguous. */
    public Tensor rmsNorm(Tensor a, float epsilon) {
        requireF32("rms_norm", a);
        require(a.hasContiguousRows(), "rms_norm", a);
        if (!(epsilon >= 0)) {
            throw new IllegalArgumentException(
                    "rms_norm: epsilon must not be negative, got " + epsilon);
        }
        return adopt(OpsApi.rmsNorm(context.count(1), use(a), epsilon));
    }

    /** {@code 1 / (1 + exp(-x))}. */
    public Tensor sigmoid(Tensor a) {
        requireRows("sigmoid", a);
        return adopt(OpsApi.sigmoid(context.count(1), use(a)));
    }

    /** {@code x * sigmoid(x)}. */
    public Tensor silu(Tensor a) {
        requireRows("silu", a);
        return adopt(OpsApi.silu(context.count(1), use(a)));
    }

    /** GELU in the tanh approximation. */
    public Tensor gelu(Tensor a) {
        requireRows("gelu", a);
        return adopt(OpsApi.gelu(context.count(1), use(a)));
    }

    /** {@code log(1 + exp(x))}. */
    public Tensor softplus(Tensor a) {
        requireRows("softplus", a);
        return adopt(OpsApi.softplus(context.count(1), use(a)));
    }

    /** {@code exp(x)}. */
    public Tensor exp(Tensor a) {
        requireRows("exp", a);
        return adopt(OpsApi.exp(context.count(1), use(a)));
    }

    /** {@code tanh(x)}. */
    public Tensor tanh(Tensor a) {
        requireRows("tanh", a);
        return adopt(OpsApi.tanh(context.count(1), use(a)));
    }

    /** {@code -x}. */
    public Tensor neg(Tensor a) {
        requireRows("neg", a);
        return adopt(OpsApi.neg(context.count(1), use(a)));
    }

    /** {@code silu(a) * b}. */
    public Tensor swigluSplit(Tensor a, Tensor b) {
        requireSameRows("swiglu", a, b);
        return adopt(OpsApi.swigluSplit(context.count(1), use(a), use(b)));
    }

    /** {@code gelu(a) * b}. */
    public Tensor gegluSplit(Tensor a, Tensor b) {
        requireSameRows("geglu", a, b);
        return adopt(OpsApi.gegluSplit(context.count(1), use(a), use(b)));
    }

    /** Softmax of each row. */
    public Tensor softMax(Tensor a) {
        requireF32("soft_max", a);
        require(a.isPacked(), "soft_max", a);
        return adopt(OpsApi.softMax(context.count(1), use(a)));
    }

    /** Softmax of each row of {@code a * scale + mask}; the mask has at least as many rows. */
    public Tensor softMaxExt(Tensor a, Optional<Tensor> mask, float scale) {
        requireF32("soft_max_ext", a);
        require(a.isPacked(), "soft_max_ext", a);
        mask.ifPresent(
                given ->
                        require(
                                given.isPacked()
                                        && given.ne(0) == a.ne(0)
                                        && given.ne(1) >= a.ne(1)
                                        && a.ne(2) % given.ne(2) == 0
                                        && a.ne(3) % given.ne(3) == 0
                                        && (given.type() == GgmlType.F16
                                                || given.type() == GgmlType.F32),
                                "soft_max_ext",
                                a,
                                given));
        return adopt(OpsApi.softMaxExt(context.count(1), use(a), pointer(mask), scale, 0));
    }

    /** Sum of each row: {@code [n, m] -> [1, m]}. */
    public Tensor sumRows(Tensor a) {
        requireRows("sum_rows", a);
        return adopt(OpsApi.sumRows(context.count(1), use(a)));
    }

    /** Limits each element; works in place. */
    public Tensor clamp(Tensor a, float min, float max) {
        requireRows("clamp", a);
        require(a.hasEvenRows(), "clamp", a);
        if (!(min <= max)) {
            throw new IllegalArgumentException("clamp: empty interval " + min + " to " + max);
        }
        return view(a, OpsApi.clamp(context.count(1), use(a), min, max));
    }

    /**
     * Indices of the k largest elements of each row, in order: {@code I32 [k, ...]}. Counts as two
     * tensors.
     */
    public Tensor argsortTopK(Tensor a, int k) {
        requireRows("argsort_top_k", a);
        require(
                a.hasEvenRows() && k >= 1 && k <= a.ne(0) && a.ne(0) <= Integer.MAX_VALUE,
                "argsort_top_k",
                a);
        // A sorted copy and the view of its beginning.
        return adopt(OpsApi.argsortTopK(context.count(2), use(a), k));
    }

    /** A row of elements inside {@code a}. Offset in bytes. */
    public Tensor view1d(Tensor a, long ne0, long offset) {
        requireInside(a, new long[] {ne0, 1, 1, 1}, new long[] {0, 0, 0}, offset);
        return view(a, OpsApi.view1d(context.count(1), use(a), ne0, offset));
    }

    /** Rows inside {@code a}. Strides and offset in bytes. */
    public Tensor view2d(Tensor a, long ne0, long ne1, long nb1, long offset) {
        requireInside(a, new long[] {ne0, ne1, 1, 1}, new long[] {nb1, 0, 0}, offset);
        return view(a, OpsApi.view2d(context.count(1), use(a), ne0, ne1, nb1, offset));
    }

    /** Planes inside {@code a}. Strides and offset in bytes. */
    public Tensor view3d(Tensor a, long ne0, long ne1, long ne2, long nb1, long nb2, long offset) {
        requireInside(a, new long[] {ne0, ne1, ne2, 1}, new long[] {nb1, nb2, 0}, offset);
        return view(a, OpsApi.view3d(context.count(1), use(a), ne0, ne1, ne2, nb1, nb2, offset));
    }

    /** Boxes inside {@code a}. Strides and offset in bytes. */
    public Tensor view4d(
            Tensor a,
            long ne0,
            long ne1,
            long ne2,
            long ne3,
            long nb1,
            long nb2,
            long nb3,
            long offset) {
        requireInside(a, new long[] {ne0, ne1, ne2, ne3}, new long[] {nb1, nb2, nb3}, offset);
        return view(
                a,
                OpsApi.view4d(context.count(1), use(a), ne0, ne1, ne2, ne3, nb1, nb2, nb3, offset));
    }

    /** The same elements in one dimension. */
    public Tensor reshape1d(Tensor a, long ne0) {
        return reshape4d(a, ne0, 1, 1, 1);
    }

    /** The same elements in two dimensions. */
    public Tensor reshape2d(Tensor a, long ne0, long ne1) {
        return reshape4d(a, ne0, ne1, 1, 1);
    }

    /** The same elements in three dimensions. */
    public Tensor reshape3d(Tensor a, long ne0, long ne1, long ne2) {
        return reshape4d(a, ne0, ne1, ne2, 1);
    }

    /** The same elements in four dimensions. */
    public Tensor reshape4d(Tensor a, long ne0, long ne1, long ne2, long ne3) {
        require(a.isContiguous(), "reshape", a);
        requireReshape("reshape", a, ne0, ne1, ne2, ne3);
        return view(a, OpsApi.reshape4d(context.count(1), use(a), ne0, ne1, ne2, ne3));
    }

    /** Moves source axis i to the place given by its argument; axis 0 of blocks stays. */
    public Tensor permute(Tensor a, int axis0, int axis1, int axis2, int axis3) {
        int places = 0;
        for (int axis : new int[] {axis0, axis1, axis2, axis3}) {
            places |= axis >= 0 && axis < 4 ? 1 << axis : 0;
        }
        if (places != 0b1111) {
            throw new IllegalArgumentException(
                    "permute: expected each of 0 to 3 once, found "
                            + axis0
                            + ", "
                            + axis1
                            + ", "
                            + axis2
                            + ", "
                            + axis3);
        }
        requireMovable("permute", a, axis0 == 0);
        return view(a, OpsApi.permute(context.count(1), use(a), axis0, axis1, axis2, axis3));
    }

    /** Swaps the first two axes. */
    public Tensor transpose(Tensor a) {
        requireMovable("transpose", a, false);
        return view(a, OpsApi.transpose(context.count(1), use(a)));
    }

    /**
     * Depth-wise convolution: {@code input F32 [taps - 1 + T, C, S], kernel F32 [taps, C] -> F32
     * [C, T, S]}.
     */
    public Tensor ssmConv(Tensor input, Tensor kernel) {
        requireF32("ssm_conv", input);
        requireF32("ssm_conv", kernel);
        require(
                input.ne(3) == 1
                        && kernel.ne(2) == 1
                        && kernel.ne(3) == 1
                        && kernel.ne(1) == input.ne(1)
                        && input.ne(0) >= kernel.ne(0)
                        && input.hasContiguousRows()
                        && kernel.isPacked()
                        && input.nb(1) == input.ne(0) * FLOAT,
                "ssm_conv",
                input,
                kernel);
        return adopt(OpsApi.ssmConv(context.count(1), use(input), use(kernel)));
    }

    /**
     * Gated delta rule over n sequences of T tokens.
     *
     * @param q {@code F32 [S, Hk, T, n]}, rows contiguous
     * @param k as q
     * @param v {@code F32 [S, Hv, T, n]}, rows contiguous
     * @param g logarithm of the decay, {@code F32 [1 or S, Hv, T, n]}, contiguous
     * @param beta {@code F32 [1, Hv, T, n]}, contiguous
     * @param state {@code F32 [S, S, Hv, n]}, contiguous
     * @param snapshots K, number of last states in the result
     * @return {@code F32 [S * Hv, T * n + K * S * n]}: outputs, then states
     */
    public Tensor gatedDeltaNet(
            Tensor q, Tensor k, Tensor v, Tensor g, Tensor beta, Tensor state, int snapshots) {
        for (Tensor each : new Tensor[] {q, k, v, g, beta, state}) {
            requireF32("gated_delta_net", each);
        }
        long size = v.ne(0);
        long heads = v.ne(1);
        long tokens = v.ne(2);
        long sequences = v.ne(3);
        boolean keysFit =
                q.ne(0) == size
                        && k.ne(0) == size
                        && q.ne(1) == k.ne(1)
                        && heads % k.ne(1) == 0
                        && q.ne(2) == tokens
                        && k.ne(2) == tokens
                        && q.ne(3) == sequences
                        && k.ne(3) == sequences;
        require(
                keysFit
                        && q.hasContiguousRows()
                        && k.hasContiguousRows()
                        && v.hasContiguousRows()
                        && snapshots >= 1,
                "gated_delta_net",
                q,
                k,
                v);
        boolean scalarsFit =
                (g.ne(0) == 1 || g.ne(0) == size)
                        && g.ne(1) == heads
                        && g.ne(2) == tokens
                        && g.ne(3) == sequences
                        && beta.ne(0) == 1
                        && beta.ne(1) == heads
                        && beta.ne(2) == tokens
                        && beta.ne(3) == sequences;
        require(scalarsFit && g.isPacked() && beta.isPacked(), "gated_delta_net", g, beta);
        require(
                state.isPacked()
                        && state.ne(0) == size
                        && state.ne(1) == size
                        && state.ne(2) == heads
                        && state.ne(3) == sequences,
                "gated_delta_net",
                v,
                state);
        return adopt(
                OpsApi.gatedDeltaNet(
                        context.count(1),
                        use(q),
                        use(k),
                        use(v),
                        use(g),
                        use(beta),
                        use(state),
                        snapshots));
    }

    /** Rotary embedding: {@code a F32 [D, heads, T], positions I32 [T]}. */
    public Tensor ropeExt(
            Tensor a, Tensor positions, Optional<Tensor> factors, RopeOptions options) {
        requireRope("rope_ext", a, positions, 1, options);
        requireMode("rope_ext", options, RopeOptions.NORMAL, RopeOptions.NEOX);
        factors.ifPresent(
                given ->
                        require(
                                given.type() == GgmlType.F32
                                        && given.isPacked()
                                        && given.ne(0) >= options.dims() / 2,
                                "rope_ext",
                                a,
                                given));
        return adopt(
                OpsApi.ropeExt(
                        context.count(1),
                        use(a),
                        use(positions),
                        pointer(factors),
                        options.dims(),
                        options.mode(),
                        options.originalContext(),
                        options.freqBase(),
                        options.freqScale(),
                        options.extFactor(),
                        options.attnFactor(),
                        options.betaFast(),
                        options.betaSlow()));
    }

    /**
     * Rotary embedding over several position axes: {@code a F32 [D, heads, T], positions I32 [4 *
     * T]}.
     */
    public Tensor ropeMulti(Tensor a, Tensor positions, int[] sections, RopeOptions options) {
        requireRope("rope_multi", a, positions, 4, options);
        requireMode(
                "rope_multi", options, RopeOptions.MULTI_AXIS, RopeOptions.INTERLEAVED_MULTI_AXIS);
        requireSections(sections, a.ne(0));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copied = arena.allocateFrom(ValueLayout.JAVA_INT, sections);
            return adopt(
                    OpsApi.ropeMulti(
                            context.count(1),
                            use(a),
                            use(positions),
                            TensorPtr.NULL,
                            options.dims(),
                            copied,
                            options.mode(),
                            options.originalContext(),
                            options.freqBase(),
                            options.freqScale(),
                            options.extFactor(),
                            options.attnFactor(),
                            options.betaFast(),
                            options.betaSlow()));
        }
    }

    /**
     * Attention with an F32 accumulator.
     *
     * @param q {@code F32 [D, N, H, n]}
     * @param k {@code [D, cells, Hkv, n]}
     * @param v {@code [Dv, cells, Hkv, n]}
     * @param mask {@code F16 [cells, N]}, contiguous: 0 or minus infinity
     * @return {@code F32 [Dv, H, N, n]}, contiguous
     */
    public Tensor flashAttention(
            Tensor q,
            Tensor k,
            Tensor v,
            Optional<Tensor> mask,
            float scale,
            float maxBias,
            float softcap) {
        requireF32("flash_attn_ext", q);
        require(
                q.ne(0) == k.ne(0)
                        && k.ne(1) == v.ne(1)
                        && k.ne(2) == v.ne(2)
                        && q.ne(2) % k.ne(2) == 0
                        && q.ne(3) == k.ne(3)
                        && k.ne(3) == v.ne(3),
                "flash_attn_ext",
                q,
                k,
                v);
        requireComputable("flash_attn_ext", k);
        requireComputable("flash_attn_ext", v);
        if (maxBias > 0 && mask.isEmpty()) {
            throw new IllegalArgumentException("flash_attn_ext: a bias needs a mask");
        }
        require(
                q.hasContiguousRows()
                        && k.hasContiguousRows()
                        && v.hasContiguousRows()
                        && k.ne(0) % k.type().blockSize() == 0
                        && v.ne(0) % v.type().blockSize() == 0,
                "flash_attn_ext",
                q,
                k,
                v);
        mask.ifPresent(
                given ->
                        require(
                                given.type() == GgmlType.F16
                                        && given.isPacked()
                                        && given.ne(0) == k.ne(1)
                                        && given.ne(1) >= q.ne(1)
                                        && q.ne(2) % given.ne(2) == 0
                                        && q.ne(3) % given.ne(3) == 0,
                                "flash_attn_ext",
                                q,
                                k,
                                given));
        Tensor result =
                adopt(
                        OpsApi.flashAttnExt(
                                context.count(1),
                                use(q),
                                use(k),
                                use(v),
                                pointer(mask),
                                scale,
                                maxBias,
                                softcap));
        OpsApi.precSetAcc(result.pointer(), PRECISION_F32);
        return result;
    }

    /** Lets a product or an attention accumulate in F32, whatever its operands are. */
    public Tensor accumulateF32(Tensor node) {
        int operator = node.operator();
        if (operator != OP_MUL_MAT && operator != OP_MUL_MAT_ID && operator != OP_FLASH_ATTENTION) {
            throw new IllegalArgumentException(node + " is no product and no attention");
        }
        OpsApi.precSetAcc(node.pointer(), PRECISION_F32);
        return node;
    }

    /** Index of the largest element of each row: {@code [n, m] -> I32 [m]}. */
    public Tensor argmax(Tensor a) {
        requireRows("argmax", a);
        require(a.ne(2) == 1 && a.ne(3) == 1 && a.ne(0) <= Integer.MAX_VALUE, "argmax", a);
        return adopt(OpsApi.argmax(context.count(1), use(a)));
    }

    /** Appends zeros to each dimension. */
    public Tensor pad(Tensor a, int pad0, int pad1, int pad2, int pad3) {
        requireRows("pad", a);
        if (pad0 < 0 || pad1 < 0 || pad2 < 0 || pad3 < 0) {
            throw new IllegalArgumentException(
                    "pad: expected no negative counts, found "
                            + pad0
                            + ", "
                            + pad1
                            + ", "
                            + pad2
                            + ", "
                            + pad3);
        }
        requireSize("pad", a, a.ne(0) + pad0, a.ne(1) + pad1, a.ne(2) + pad2, a.ne(3) + pad3);
        return adopt(OpsApi.pad(context.count(1), use(a), pad0, pad1, pad2, pad3));
    }

    /** Repeats {@code a} until it has these extents, each a multiple of its own. */
    public Tensor repeat4d(Tensor a, long ne0, long ne1, long ne2, long ne3) {
        requireRows("repeat", a);
        requireSize("repeat", a, ne0, ne1, ne2, ne3);
        require(
                ne0 % a.ne(0) == 0
                        && ne1 % a.ne(1) == 0
                        && ne2 % a.ne(2) == 0
                        && ne3 % a.ne(3) == 0,
                "repeat",
                a);
        return adopt(OpsApi.repeat4d(context.count(1), use(a), ne0, ne1, ne2, ne3));
    }

    /** The elements of a block cannot be told apart by a stride. */
    private static void requireMovable(String op, Tensor a, boolean keepsRows) {
        require(keepsRows || !a.type().isQuantized(), op, a);
    }

    private static void requireMode(String op, RopeOptions options, int mode, int otherMode) {
        if (options.mode() != mode && options.mode() != otherMode) {
            throw new IllegalArgumentException(
                    op
                            + ": expected mode "
                            + mode
                            + " or "
                            + otherMode
                            + ", found "
                            + options.mode());
        }
    }

    private static void requireSections(int[] sections, long rowLength) {
        boolean valid = sections.length == 4;
        long sum = 0;
        for (int i = 0; valid && i < 4; i++) {
            valid = sections[i] >= 0;
            sum += sections[i];
        }
        if (!valid || sum > rowLength || sum == sections[3]) {
            throw new IllegalArgumentException(
                    "rope_multi: expected 4 sections of up to "
                            + rowLength
                            + " pairs, not all of the first three 0, found "
                            + Arrays.toString(sections));
        }
    }

    private static boolean canConvert(Tensor source, Tensor target) {
        if (source.type() == target.type()) {
            return !source.type().isQuantized() || source.isContiguous() && target.isContiguous();
        }
        boolean blocks = source.type().isQuantized() || target.type().isQuantized();
        boolean wholeRows =
                source.hasContiguousRows() && source.ne(0) % target.type().blockSize() == 0;
        return (!blocks || target.isPacked() && wholeRows)
                && source.type().isWeightType()
                && target.type().isWritable()
                && (source.type() == GgmlType.F32
                        || target.type() == GgmlType.F32
                        || source.type().isFloat() && target.type().isFloat());
    }

    private static void requireRope(
            String op, Tensor a, Tensor positions, int axes, RopeOptions options) {
        requireF32(op, a);
        requireType(op, positions, GgmlType.I32);
        require(
                positions.ne(0) == axes * a.ne(2)
                        && positions.elements() == positions.ne(0)
                        && options.dims() >= 2
                        && options.dims() % 2 == 0
                        && options.dims() <= a.ne(0)
                        && a.hasContiguousRows(),
                op,
                a,
                positions);
    }

    private static void requireSize(String op, Tensor a, long... ne) {
        try {
            GgmlContext.requireSize(a.type(), ne);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(op + " of " + a + ": " + e.getMessage(), e);
        }
    }

    private static void requireReshape(String op, Tensor a, long... ne) {
        requireSize(op, a, ne);
        long elements = 1;
        for (long extent : ne) {
            elements *= extent;
        }
        if (elements != a.elements()) {
            throw new IllegalArgumentException(
                    op
                            + ": expected "
                            + a.elements()
                            + " elements of "
                            + a
                            + ", found "
                            + Arrays.toString(ne));
        }
    }

    /** Fails unless all elements of a view lie in the source. */
    private static void requireInside(Tensor a, long[] ne, long[] nb, long offset) {
        requireSize("view", a, ne);
        long span = a.type().rowBytes(ne[0]);
        long packed = span;
        boolean valid = offset >= 0;
        try {
            for (int i = 1; i < 4; i++) {
                valid &= nb[i - 1] >= 0;
                span = Math.addExact(span, Math.multiplyExact(ne[i] - 1, nb[i - 1]));
                packed *= ne[i];
            }
        } catch (ArithmeticException e) {
            valid = false;
        }
        // ggml also wants room for as many bytes without overlap, up to the end of the tensor that
        // has the data.
        if (!valid
                || offset > a.bytes()
                || span > a.bytes() - offset
                || packed > a.bytesToEnd() - offset) {
            throw new IllegalArgumentException(
                    "view "
                            + Arrays.toString(ne)
                            + " of "
                            + a
                            + " at byte "
                            + offset
                            + " spans "
                            + Math.max(span, packed)
                            + " of "
                            + a.bytes()
                            + " bytes");
        }
    }

    private static void requireBroadcast(String op, Tensor a, Tensor b) {
        boolean fits = true;
        for (int i = 0; i < 4; i++) {
            fits &= a.ne(i) % b.ne(i) == 0;
        }
        require(fits && a.hasContiguousRows() && b.hasContiguousRows(), op, a, b);
        requireF32(op, a);
        requireF32(op, b);
    }

    private static void requireSameRows(String op, Tensor a, Tensor b) {
        requireRows(op, a);
        requireRows(op, b);
        boolean same = a.hasEvenRows() && b.hasEvenRows();
        for (int i = 0; i < 4; i++) {
            same &= a.ne(i) == b.ne(i);
        }
        require(same, op, a, b);
    }

    private static void requireRows(String op, Tensor a) {
        requireF32(op, a);
        require(a.hasContiguousRows(), op, a);
    }

    private static void requireComputable(String op, Tensor a) {
        if (!a.type().isWeightType()) {
            throw new IllegalArgumentException(op + ": ggml does not compute with " + a);
        }
    }

    private static void requireWritable(String op, Tensor a) {
        if (!a.type().isWritable()) {
            throw new IllegalArgumentException(op + ": ggml does not write rows of " + a);
        }
    }

    private static void requireF32(String op, Tensor a) {
        requireType(op, a, GgmlType.F32);
    }

    private static void requireType(String op, Tensor a, GgmlType type) {
        if (a.type() != type) {
            throw new IllegalArgumentException(op + ": expected " + type + ", found " + a);
        }
    }

    private static void require(boolean valid, String op, Tensor... operands) {
        if (!valid) {
            StringBuilder message = new StringBuilder(op).append(": operands do not fit:");
            for (Tensor operand : operands) {
                message.append(' ')
                        .append(operand)
                        .append(operand.isContiguous() ? "" : " (strided)")
                        .append(';');
            }
            throw new IllegalArgumentException(message.toString());
        }
    }

    private TensorPtr pointer(Optional<Tensor> tensor) {
        return tensor.map(this::use).orElse(TensorPtr.NULL);
    }

    private TensorPtr use(Tensor operand) {
        return context.use(operand);
    }

    private Tensor view(Tensor source, TensorPtr node) {
        return adopt(node).livesWith(source);
    }

    private Tensor adopt(TensorPtr node) {
        return new Tensor(context, node, false);
    }
}
