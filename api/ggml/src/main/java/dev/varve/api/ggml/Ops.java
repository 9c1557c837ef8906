package dev.varve.api.ggml;

import static dev.varve.api.ggml.Operands.canConvert;
import static dev.varve.api.ggml.Operands.require;
import static dev.varve.api.ggml.Operands.requireBroadcast;
import static dev.varve.api.ggml.Operands.requireComputable;
import static dev.varve.api.ggml.Operands.requireF32;
import static dev.varve.api.ggml.Operands.requireInside;
import static dev.varve.api.ggml.Operands.requireMovable;
import static dev.varve.api.ggml.Operands.requireReshape;
import static dev.varve.api.ggml.Operands.requireRows;
import static dev.varve.api.ggml.Operands.requireSameRows;
import static dev.varve.api.ggml.Operands.requireSections;
import static dev.varve.api.ggml.Operands.requireSize;
import static dev.varve.api.ggml.Operands.requireType;
import static dev.varve.api.ggml.Operands.requireWritable;

import dev.varve.api.ggml.Pointer.ContextPtr;
import dev.varve.api.ggml.Pointer.TensorPtr;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;

/**
 * The operators of ggml. Each checks in Java what ggml would assert, adds a tensor to the context
 * and returns it; nothing is computed yet. One file on purpose: it is a flat vocabulary without
 * state.
 *
 * <p>Shapes are in ggml order, the fastest dimension first.
 */
public final class Ops {
    /** ggml does not split fewer cells than this among threads. */
    private static final int CELLS_WORTH_CUTTING = 512;

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
     * Does the same as {@link #mulMat} for two contiguous matrices, tile by tile: for each block of
     * rows of a, each block of columns of b. The rows stay in the processor's cache, whereas a
     * kernel would read all of a for some columns, and then again for others. Only for devices
     * whose kernels accept views of a and respect the strides of results. Counts as {@link
     * #tensorsOfTiles} tensors.
     *
     * @param rows rows of a in a tile
     * @param columns columns of b in a tile
     */
    public Tensor mulMatTiled(Tensor a, Tensor b, long rows, long columns) {
        require(
                a.isContiguous()
                        && b.isContiguous()
                        && a.ne(2) == 1
                        && a.ne(3) == 1
                        && b.ne(2) == 1
                        && b.ne(3) == 1
                        && rows > 0
                        && columns > 0,
                "mul_mat in tiles of " + rows + " x " + columns,
                a,
                b);
        return TiledProduct.of(this, a, b, rows, columns);
    }

    /** Number of tensors that a product of that many tiles counts as. */
    public static long tensorsOfTiles(long tiles) {
        return TiledProduct.tensors(tiles);
    }

    /**
     * As {@link #mulMat}, where a is a Hadamard matrix {@code F32 [n, n]}, n a power of two, and a
     * faster implementation may exist; b is contiguous.
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
        return binary(a, b, OpsApi::add);
    }

    /** Difference; b is repeated to the shape of a. */
    public Tensor sub(Tensor a, Tensor b) {
        requireBroadcast("sub", a, b);
        return binary(a, b, OpsApi::sub);
    }

    /** Element-wise product; b is repeated to the shape of a. */
    public Tensor mul(Tensor a, Tensor b) {
        requireBroadcast("mul", a, b);
        return binary(a, b, OpsApi::mul);
    }

    /** Element-wise quotient; b is repeated to the shape of a. */
    public Tensor div(Tensor a, Tensor b) {
        requireBroadcast("div", a, b);
        return binary(a, b, OpsApi::div);
    }

    /** Times a number; contiguous. */
    public Tensor scale(Tensor a, float factor) {
        requireF32("scale", a);
        require(a.isContiguous() && a.hasEvenPlanes(), "scale", a);
        return adopt(OpsApi.scale(context.count(1), use(a), factor));
    }

    /** Divides each row by its root mean square; the result is contiguous. */
    public Tensor rmsNorm(Tensor a, float epsilon) {
        requireNorm("rms_norm", a, epsilon);
        return adopt(OpsApi.rmsNorm(context.count(1), use(a), epsilon));
    }

    /**
     * Subtracts its mean from each row, and divides the rest by its root mean square; the result is
     * contiguous.
     */
    public Tensor layerNorm(Tensor a, float epsilon) {
        requireNorm("norm", a, epsilon);
        return adopt(OpsApi.norm(context.count(1), use(a), epsilon));
    }

    private static void requireNorm(String operator, Tensor a, float epsilon) {
        requireF32(operator, a);
        require(a.hasContiguousRows(), operator, a);
        if (!(epsilon >= 0)) {
            throw new IllegalArgumentException(
                    operator + ": epsilon must not be negative, got " + epsilon);
        }
    }

    /** {@code 1 / (1 + exp(-x))}. */
    public Tensor sigmoid(Tensor a) {
        return unary("sigmoid", a, OpsApi::sigmoid);
    }

    /** {@code x * sigmoid(x)}. */
    public Tensor silu(Tensor a) {
        return unary("silu", a, OpsApi::silu);
    }

    /** GELU in the tanh approximation. */
    public Tensor gelu(Tensor a) {
        return unary("gelu", a, OpsApi::gelu);
    }

    /** {@code log(1 + exp(x))}. */
    public Tensor softplus(Tensor a) {
        return unary("softplus", a, OpsApi::softplus);
    }

    /** {@code exp(x)}. */
    public Tensor exp(Tensor a) {
        return unary("exp", a, OpsApi::exp);
    }

    /** {@code tanh(x)}. */
    public Tensor tanh(Tensor a) {
        return unary("tanh", a, OpsApi::tanh);
    }

    /** {@code -x}. */
    public Tensor neg(Tensor a) {
        return unary("neg", a, OpsApi::neg);
    }

    /** 1 for each element above 0, and 0 for all others, NaN among them. */
    public Tensor step(Tensor a) {
        return unary("step", a, OpsApi::step);
    }

    /** {@code max(x, 0)}. */
    public Tensor relu(Tensor a) {
        return unary("relu", a, OpsApi::relu);
    }

    /** {@code x * x}. */
    public Tensor sqr(Tensor a) {
        requireF32("sqr", a);
        return unary("sqr", a, OpsApi::sqr);
    }

    /** A tensor of the shape of {@code a} whose elements are all {@code value}. */
    public Tensor fill(Tensor a, float value) {
        requireF32("fill", a);
        require(a.isContiguous(), "fill", a);
        return adopt(OpsApi.fill(context.count(1), use(a), value));
    }

    /** {@code silu(a) * b}. */
    public Tensor swigluSplit(Tensor a, Tensor b) {
        requireSameRows("swiglu", a, b);
        return binary(a, b, OpsApi::swigluSplit);
    }

    /** {@code gelu(a) * b}. */
    public Tensor gegluSplit(Tensor a, Tensor b) {
        requireSameRows("geglu", a, b);
        return binary(a, b, OpsApi::gegluSplit);
    }

    /**
     * SwiGLU with limits: {@code x * sigmoid(alpha * x) * (1 + y)}, where x is {@code a}, at most
     * {@code limit}, and y is {@code b} between {@code -limit} and {@code limit}.
     */
    public Tensor swigluLimited(Tensor a, Tensor b, float alpha, float limit) {
        requireSameRows("swiglu_oai", a, b);
        return adopt(OpsApi.swigluOai(context.count(1), use(a), use(b), alpha, limit));
    }

    /**
     * Adds the chosen rows of a table: {@code a F32 [n, U, T], b F32 [n, rows], ids I32 [U, T]}.
     * The ids must be below the number of rows.
     */
    public Tensor addId(Tensor a, Tensor b, Tensor ids) {
        requireF32("add_id", a);
        requireF32("add_id", b);
        requireType("add_id", ids, GgmlType.I32);
        require(
                a.ne(0) == b.ne(0)
                        && a.ne(1) == ids.ne(0)
                        && a.ne(2) == ids.ne(1)
                        && a.ne(3) == 1
                        && b.ne(2) == 1
                        && b.ne(3) == 1
                        && ids.ne(2) == 1
                        && ids.ne(3) == 1
                        && a.isContiguous()
                        && b.hasContiguousRows()
                        && ids.hasContiguousRows(),
                "add_id",
                a,
                b,
                ids);
        return adopt(OpsApi.addId(context.count(1), use(a), use(b), use(ids)));
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

    /**
     * Does the same with one more score per head, which takes part in the softmax of each row and
     * is not part of the result.
     *
     * @param a {@code F32 [cells, N, H]}
     * @param sinks {@code F32 [H]}, not scaled
     */
    public Tensor softMaxExt(Tensor a, Tensor mask, float scale, Tensor sinks) {
        requireSinks("soft_max_add_sinks", a, sinks);
        Tensor result = softMaxExt(a, Optional.of(mask), scale);
        OpsApi.softMaxAddSinks(result.pointer(), use(sinks));
        return result;
    }

    private static void requireSinks(String operator, Tensor a, Tensor sinks) {
        requireF32(operator, sinks);
        require(
                sinks.isPacked() && sinks.ne(0) == a.ne(2) && sinks.elements() == a.ne(2),
                operator,
                a,
                sinks);
    }

    /** Sum of each row: {@code [n, m] -> [1, m]}. */
    public Tensor sumRows(Tensor a) {
        return unary("sum_rows", a, OpsApi::sumRows);
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
        // ggml creates a sorted copy and the view of its beginning.
        return adopt(OpsApi.argsortTopK(context.count(2), use(a), k));
    }

    /**
     * Indices of the k largest elements of each row, in any order: {@code I32 [k, ...]}. Rows are
     * not sorted, so they may be as long as a vocabulary.
     */
    public Tensor topK(Tensor a, int k) {
        requireRows("top_k", a);
        require(
                a.hasEvenRows() && k >= 1 && k <= a.ne(0) && a.ne(0) <= Integer.MAX_VALUE,
                "top_k",
                a);
        return adopt(OpsApi.topK(context.count(1), use(a), k));
    }

    /** A row of elements inside {@code a}. Offset in bytes. */
    public Tensor view1d(Tensor a, long ne0, long offset) {
        return view(a, Extents.of(ne0), Strides.packed(), offset);
    }

    /** Rows inside {@code a}. Stride and offset in bytes. */
    public Tensor view2d(Tensor a, long ne0, long ne1, long nb1, long offset) {
        return view(a, Extents.of(ne0, ne1), Strides.of(nb1), offset);
    }

    /** Elements inside {@code a}, from a byte offset on. */
    public Tensor view(Tensor a, Extents extents, Strides strides, long offset) {
        long[] nb = requireInside(a, extents, strides, offset);
        return view(
                a,
                OpsApi.view4d(
                        context.count(1),
                        use(a),
                        extents.ne0(),
                        extents.ne1(),
                        extents.ne2(),
                        extents.ne3(),
                        nb[0],
                        nb[1],
                        nb[2],
                        offset));
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

    /** Moves source axis i to the position given by its argument; axis 0 of blocks stays. */
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
     * @param state {@code F32 [S, S, Hv, n]}, contiguous
     * @param snapshots K, number of last states in the result, at least 1
     * @return {@code F32 [S * Hv, T * n + K * S * n]}: outputs, then states
     */
    public Tensor gatedDeltaNet(DeltaInputs inputs, Tensor state, int snapshots) {
        inputs.requireFit("gated_delta_net", state);
        require(snapshots >= 1, "gated_delta_net", inputs.query(), inputs.key(), inputs.value());
        return adopt(
                OpsApi.gatedDeltaNet(
                        context.count(1),
                        use(inputs.query()),
                        use(inputs.key()),
                        use(inputs.value()),
                        use(inputs.decay()),
                        use(inputs.beta()),
                        use(state),
                        snapshots));
    }

    /**
     * Selective state-space scan over n sequences of T tokens, see {@link ScanInputs}.
     *
     * @param state {@code F32 [N, P, H, rows]}, contiguous
     * @param rows the row of each sequence's state, {@code I32 [n]}
     * @return {@code F32 [P * H * T * n + N * P * H * n]}: outputs, then the last states
     */
    public Tensor ssmScan(ScanInputs inputs, Tensor state, Tensor rows) {
        inputs.requireFit("ssm_scan", state, rows);
        return adopt(
                OpsApi.ssmScan(
                        context.count(1),
                        new OpsApi.ScanPointers(
                                use(state),
                                use(inputs.x()),
                                use(inputs.dt()),
                                use(inputs.decay()),
                                use(inputs.b()),
                                use(inputs.c())),
                        use(rows),
                        1));
    }

    /** Rotary embedding: {@code a F32 [D, heads, T], positions I32 [T]}. */
    public Tensor ropeExt(
            Tensor a, Tensor positions, Optional<Tensor> factors, RopeOptions options) {
        options.requireFit("rope_ext", a, positions, 1);
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
                        options.mode().id(),
                        options.yarn().originalContext(),
                        options.freqBase(),
                        options.freqScale(),
                        options.yarn().extFactor(),
                        options.yarn().attnFactor(),
                        options.yarn().betaFast(),
                        options.yarn().betaSlow()));
    }

    /**
     * Rotary embedding over several position axes: {@code a F32 [D, heads, T], positions I32 [4 *
     * T]}.
     */
    public Tensor ropeMulti(Tensor a, Tensor positions, int[] sections, RopeOptions options) {
        options.requireFit("rope_multi", a, positions, 4);
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
                            options.mode().id(),
                            options.yarn().originalContext(),
                            options.freqBase(),
                            options.freqScale(),
                            options.yarn().extFactor(),
                            options.yarn().attnFactor(),
                            options.yarn().betaFast(),
                            options.yarn().betaSlow()));
        }
    }

    /** Returns whether ggml's CPU backend splits the cells of a single query among its threads. */
    private static boolean cutsAmongThreads(Tensor q, Tensor k, Tensor v) {
        return q.ne(1) == 1
                && q.ne(3) == 1
                && k.ne(1) >= CELLS_WORTH_CUTTING
                && k.type() == v.type()
                && !k.type().isQuantized();
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
            Tensor q, Tensor k, Tensor v, Optional<Tensor> mask, AttentionOptions options) {
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
        if (options.maxBias() > 0 && mask.isEmpty()) {
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
                                options.scale(),
                                options.maxBias(),
                                options.softcap()));
        OpsApi.precSetAcc(result.pointer(), PRECISION_F32);
        if (cutsAmongThreads(q, k, v)) {
            context.dependsOnThreads(result);
        }
        return result;
    }

    /**
     * Does the same with one more score per head, which takes part in the softmax and has no value.
     *
     * @param sinks {@code F32 [H]}, not scaled
     */
    public Tensor flashAttention(
            Tensor q, Tensor k, Tensor v, Tensor mask, AttentionOptions options, Tensor sinks) {
        requireSinks("flash_attn_ext_add_sinks", q, sinks);
        Tensor result = flashAttention(q, k, v, Optional.of(mask), options);
        OpsApi.flashAttnExtAddSinks(result.pointer(), use(sinks));
        return result;
    }

    /** Makes a product or an attention accumulate in F32, whatever the types of its operands. */
    public Tensor accumulateF32(Tensor node) {
        int operator = node.operator();
        if (operator != OP_MUL_MAT && operator != OP_MUL_MAT_ID && operator != OP_FLASH_ATTENTION) {
            throw new IllegalArgumentException(
                    node + " is neither a matrix product nor an attention");
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

    /** Repeats {@code a} to these extents, each a multiple of its own. */
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

    /**
     * Adds an operator of another library, for the CPU only: {@code F32 [extents]}.
     *
     * @param operands operands that the operator supports; it does not check them
     */
    public Tensor custom(NativeOperator operator, Extents extents, Tensor... operands) {
        if (operands.length < 1 || operands.length >= Tensor.MAX_SOURCES) {
            throw new IllegalArgumentException(
                    operator + ": expected 1 to 9 operands, found " + operands.length);
        }
        requireSize(operator.toString(), operands[0], extents.toArray());
        return adopt(operator.node(context, extents, List.of(operands)));
    }

    /** An operator of one operand with contiguous rows. */
    private interface Unary {
        TensorPtr node(ContextPtr context, TensorPtr a);
    }

    private Tensor unary(String op, Tensor a, Unary operator) {
        requireRows(op, a);
        return adopt(operator.node(context.count(1), use(a)));
    }

    /** An operator of two operands. */
    private interface Binary {
        TensorPtr node(ContextPtr context, TensorPtr a, TensorPtr b);
    }

    private Tensor binary(Tensor a, Tensor b, Binary operator) {
        return adopt(operator.node(context.count(1), use(a), use(b)));
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
