package dev.varve.api.ggml;

import static dev.varve.api.ggml.Native.C_FLOAT;
import static dev.varve.api.ggml.Native.C_INT;
import static dev.varve.api.ggml.Native.C_INT64;
import static dev.varve.api.ggml.Native.C_POINTER;
import static dev.varve.api.ggml.Native.C_SIZE_T;
import static dev.varve.api.ggml.Native.bind;
import static dev.varve.api.ggml.Native.returns;
import static dev.varve.api.ggml.Native.returnsNothing;
import static dev.varve.api.ggml.NativeCall.call;
import static dev.varve.api.ggml.NativeCall.pointer;

import dev.varve.api.ggml.Pointer.ContextPtr;
import dev.varve.api.ggml.Pointer.TensorPtr;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;

/**
 * ggml.h: the operators that Varve uses. Each returns a node of the given context. One file, since
 * it follows the header.
 */
final class OpsApi {
    /** {@code struct ggml_tensor * (struct ggml_context *, struct ggml_tensor *)}. */
    private static final FunctionDescriptor UNARY = returns(C_POINTER, C_POINTER, C_POINTER);

    /**
     * {@code struct ggml_tensor * (struct ggml_context *, struct ggml_tensor *, struct ggml_tensor
     * *)}.
     */
    private static final FunctionDescriptor BINARY =
            returns(C_POINTER, C_POINTER, C_POINTER, C_POINTER);

    /**
     * {@code struct ggml_tensor * ggml_mul_mat(struct ggml_context * ctx, struct ggml_tensor * a,
     * struct ggml_tensor * b)}
     */
    private static final MethodHandle MUL_MAT = bind("ggml_mul_mat", BINARY);

    static TensorPtr mulMat(ContextPtr ctx, TensorPtr a, TensorPtr b) {
        return tensor(call(MUL_MAT, ctx.raw(), a.raw(), b.raw()));
    }

    /**
     * {@code struct ggml_tensor * ggml_mul_mat_id(struct ggml_context * ctx, struct ggml_tensor *
     * as, struct ggml_tensor * b, struct ggml_tensor * ids)}
     */
    private static final MethodHandle MUL_MAT_ID =
            bind("ggml_mul_mat_id", returns(C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_POINTER));

    static TensorPtr mulMatId(ContextPtr ctx, TensorPtr as, TensorPtr b, TensorPtr ids) {
        return tensor(call(MUL_MAT_ID, ctx.raw(), as.raw(), b.raw(), ids.raw()));
    }

    /** {@code void ggml_mul_mat_set_hint(struct ggml_tensor * node, int hint)} */
    private static final MethodHandle MUL_MAT_SET_HINT =
            bind("ggml_mul_mat_set_hint", returnsNothing(C_POINTER, C_INT));

    static void mulMatSetHint(TensorPtr node, int hint) {
        call(MUL_MAT_SET_HINT, node.raw(), hint);
    }

    /**
     * {@code struct ggml_tensor * ggml_get_rows(struct ggml_context * ctx, struct ggml_tensor * a,
     * struct ggml_tensor * ids)}
     */
    private static final MethodHandle GET_ROWS = bind("ggml_get_rows", BINARY);

    static TensorPtr getRows(ContextPtr ctx, TensorPtr a, TensorPtr ids) {
        return tensor(call(GET_ROWS, ctx.raw(), a.raw(), ids.raw()));
    }

    /**
     * {@code struct ggml_tensor * ggml_set_rows(struct ggml_context * ctx, struct ggml_tensor *
     * target, struct ggml_tensor * source, struct ggml_tensor * ids)}
     */
    private static final MethodHandle SET_ROWS =
            bind("ggml_set_rows", returns(C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_POINTER));

    static TensorPtr setRows(ContextPtr ctx, TensorPtr target, TensorPtr source, TensorPtr ids) {
        return tensor(call(SET_ROWS, ctx.raw(), target.raw(), source.raw(), ids.raw()));
    }

    /**
     * {@code struct ggml_tensor * ggml_cpy(struct ggml_context * ctx, struct ggml_tensor * source,
     * struct ggml_tensor * target)}
     */
    private static final MethodHandle CPY = bind("ggml_cpy", BINARY);

    static TensorPtr cpy(ContextPtr ctx, TensorPtr source, TensorPtr target) {
        return tensor(call(CPY, ctx.raw(), source.raw(), target.raw()));
    }

    /** {@code struct ggml_tensor * ggml_cont(struct ggml_context * ctx, struct ggml_tensor * a)} */
    private static final MethodHandle CONT = bind("ggml_cont", UNARY);

    static TensorPtr cont(ContextPtr ctx, TensorPtr a) {
        return tensor(call(CONT, ctx.raw(), a.raw()));
    }

    /**
     * {@code struct ggml_tensor * ggml_cont_2d(struct ggml_context * ctx, struct ggml_tensor * a,
     * int64_t ne0, int64_t ne1)}
     */
    private static final MethodHandle CONT_2D =
            bind("ggml_cont_2d", returns(C_POINTER, C_POINTER, C_POINTER, C_INT64, C_INT64));

    static TensorPtr cont2d(ContextPtr ctx, TensorPtr a, long ne0, long ne1) {
        return tensor(call(CONT_2D, ctx.raw(), a.raw(), ne0, ne1));
    }

    /**
     * {@code struct ggml_tensor * ggml_concat(struct ggml_context * ctx, struct ggml_tensor * a,
     * struct ggml_tensor * b, int dim)}
     */
    private static final MethodHandle CONCAT =
            bind("ggml_concat", returns(C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_INT));

    static TensorPtr concat(ContextPtr ctx, TensorPtr a, TensorPtr b, int dim) {
        return tensor(call(CONCAT, ctx.raw(), a.raw(), b.raw(), dim));
    }

    /**
     * {@code struct ggml_tensor * ggml_add(struct ggml_context * ctx, struct ggml_tensor * a,
     * struct ggml_tensor * b)}
     */
    private static final MethodHandle ADD = bind("ggml_add", BINARY);

    static TensorPtr add(ContextPtr ctx, TensorPtr a, TensorPtr b) {
        return tensor(call(ADD, ctx.raw(), a.raw(), b.raw()));
    }

    /**
     * {@code struct ggml_tensor * ggml_sub(struct ggml_context * ctx, struct ggml_tensor * a,
     * struct ggml_tensor * b)}
     */
    private static final MethodHandle SUB = bind("ggml_sub", BINARY);

    static TensorPtr sub(ContextPtr ctx, TensorPtr a, TensorPtr b) {
        return tensor(call(SUB, ctx.raw(), a.raw(), b.raw()));
    }

    /**
     * {@code struct ggml_tensor * ggml_mul(struct ggml_context * ctx, struct ggml_tensor * a,
     * struct ggml_tensor * b)}
     */
    private static final MethodHandle MUL = bind("ggml_mul", BINARY);

    static TensorPtr mul(ContextPtr ctx, TensorPtr a, TensorPtr b) {
        return tensor(call(MUL, ctx.raw(), a.raw(), b.raw()));
    }

    /**
     * {@code struct ggml_tensor * ggml_div(struct ggml_context * ctx, struct ggml_tensor * a,
     * struct ggml_tensor * b)}
     */
    private static final MethodHandle DIV = bind("ggml_div", BINARY);

    static TensorPtr div(ContextPtr ctx, TensorPtr a, TensorPtr b) {
        return tensor(call(DIV, ctx.raw(), a.raw(), b.raw()));
    }

    /**
     * {@code struct ggml_tensor * ggml_scale(struct ggml_context * ctx, struct ggml_tensor * a,
     * float factor)}
     */
    private static final MethodHandle SCALE =
            bind("ggml_scale", returns(C_POINTER, C_POINTER, C_POINTER, C_FLOAT));

    static TensorPtr scale(ContextPtr ctx, TensorPtr a, float factor) {
        return tensor(call(SCALE, ctx.raw(), a.raw(), factor));
    }

    /**
     * {@code struct ggml_tensor * ggml_rms_norm(struct ggml_context * ctx, struct ggml_tensor * a,
     * float epsilon)}
     */
    private static final MethodHandle RMS_NORM =
            bind("ggml_rms_norm", returns(C_POINTER, C_POINTER, C_POINTER, C_FLOAT));

    static TensorPtr rmsNorm(ContextPtr ctx, TensorPtr a, float epsilon) {
        return tensor(call(RMS_NORM, ctx.raw(), a.raw(), epsilon));
    }

    /**
     * {@code struct ggml_tensor * ggml_norm(struct ggml_context * ctx, struct ggml_tensor * a,
     * float epsilon)}
     */
    private static final MethodHandle NORM =
            bind("ggml_norm", returns(C_POINTER, C_POINTER, C_POINTER, C_FLOAT));

    static TensorPtr norm(ContextPtr ctx, TensorPtr a, float epsilon) {
        return tensor(call(NORM, ctx.raw(), a.raw(), epsilon));
    }

    /**
     * {@code struct ggml_tensor * ggml_sigmoid(struct ggml_context * ctx, struct ggml_tensor * a)}
     */
    private static final MethodHandle SIGMOID = bind("ggml_sigmoid", UNARY);

    static TensorPtr sigmoid(ContextPtr ctx, TensorPtr a) {
        return tensor(call(SIGMOID, ctx.raw(), a.raw()));
    }

    /** {@code struct ggml_tensor * ggml_silu(struct ggml_context * ctx, struct ggml_tensor * a)} */
    private static final MethodHandle SILU = bind("ggml_silu", UNARY);

    static TensorPtr silu(ContextPtr ctx, TensorPtr a) {
        return tensor(call(SILU, ctx.raw(), a.raw()));
    }

    /** {@code struct ggml_tensor * ggml_gelu(struct ggml_context * ctx, struct ggml_tensor * a)} */
    private static final MethodHandle GELU = bind("ggml_gelu", UNARY);

    static TensorPtr gelu(ContextPtr ctx, TensorPtr a) {
        return tensor(call(GELU, ctx.raw(), a.raw()));
    }

    /**
     * {@code struct ggml_tensor * ggml_softplus(struct ggml_context * ctx, struct ggml_tensor * a)}
     */
    private static final MethodHandle SOFTPLUS = bind("ggml_softplus", UNARY);

    static TensorPtr softplus(ContextPtr ctx, TensorPtr a) {
        return tensor(call(SOFTPLUS, ctx.raw(), a.raw()));
    }

    /** {@code struct ggml_tensor * ggml_exp(struct ggml_context * ctx, struct ggml_tensor * a)} */
    private static final MethodHandle EXP = bind("ggml_exp", UNARY);

    static TensorPtr exp(ContextPtr ctx, TensorPtr a) {
        return tensor(call(EXP, ctx.raw(), a.raw()));
    }

    /** {@code struct ggml_tensor * ggml_tanh(struct ggml_context * ctx, struct ggml_tensor * a)} */
    private static final MethodHandle TANH = bind("ggml_tanh", UNARY);

    static TensorPtr tanh(ContextPtr ctx, TensorPtr a) {
        return tensor(call(TANH, ctx.raw(), a.raw()));
    }

    /** {@code struct ggml_tensor * ggml_step(struct ggml_context * ctx, struct ggml_tensor * a)} */
    private static final MethodHandle STEP = bind("ggml_step", UNARY);

    static TensorPtr step(ContextPtr ctx, TensorPtr a) {
        return tensor(call(STEP, ctx.raw(), a.raw()));
    }

    /** {@code struct ggml_tensor * ggml_neg(struct ggml_context * ctx, struct ggml_tensor * a)} */
    private static final MethodHandle NEG = bind("ggml_neg", UNARY);

    static TensorPtr neg(ContextPtr ctx, TensorPtr a) {
        return tensor(call(NEG, ctx.raw(), a.raw()));
    }

    /**
     * {@code struct ggml_tensor * ggml_swiglu_split(struct ggml_context * ctx, struct ggml_tensor *
     * a, struct ggml_tensor * b)}
     */
    private static final MethodHandle SWIGLU_SPLIT = bind("ggml_swiglu_split", BINARY);

    static TensorPtr swigluSplit(ContextPtr ctx, TensorPtr a, TensorPtr b) {
        return tensor(call(SWIGLU_SPLIT, ctx.raw(), a.raw(), b.raw()));
    }

    /**
     * {@code struct ggml_tensor * ggml_geglu_split(struct ggml_context * ctx, struct ggml_tensor *
     * a, struct ggml_tensor * b)}
     */
    private static final MethodHandle GEGLU_SPLIT = bind("ggml_geglu_split", BINARY);

    static TensorPtr gegluSplit(ContextPtr ctx, TensorPtr a, TensorPtr b) {
        return tensor(call(GEGLU_SPLIT, ctx.raw(), a.raw(), b.raw()));
    }

    /**
     * {@code struct ggml_tensor * ggml_soft_max(struct ggml_context * ctx, struct ggml_tensor * a)}
     */
    private static final MethodHandle SOFT_MAX = bind("ggml_soft_max", UNARY);

    static TensorPtr softMax(ContextPtr ctx, TensorPtr a) {
        return tensor(call(SOFT_MAX, ctx.raw(), a.raw()));
    }

    /**
     * {@code struct ggml_tensor * ggml_soft_max_ext(struct ggml_context * ctx, struct ggml_tensor *
     * a, struct ggml_tensor * mask, float scale, float maxBias)}
     */
    private static final MethodHandle SOFT_MAX_EXT =
            bind(
                    "ggml_soft_max_ext",
                    returns(C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_FLOAT, C_FLOAT));

    static TensorPtr softMaxExt(
            ContextPtr ctx, TensorPtr a, TensorPtr mask, float scale, float maxBias) {
        return tensor(call(SOFT_MAX_EXT, ctx.raw(), a.raw(), mask.raw(), scale, maxBias));
    }

    /**
     * {@code struct ggml_tensor * ggml_sum_rows(struct ggml_context * ctx, struct ggml_tensor * a)}
     */
    private static final MethodHandle SUM_ROWS = bind("ggml_sum_rows", UNARY);

    static TensorPtr sumRows(ContextPtr ctx, TensorPtr a) {
        return tensor(call(SUM_ROWS, ctx.raw(), a.raw()));
    }

    /**
     * {@code struct ggml_tensor * ggml_clamp(struct ggml_context * ctx, struct ggml_tensor * a,
     * float min, float max)}
     */
    private static final MethodHandle CLAMP =
            bind("ggml_clamp", returns(C_POINTER, C_POINTER, C_POINTER, C_FLOAT, C_FLOAT));

    static TensorPtr clamp(ContextPtr ctx, TensorPtr a, float min, float max) {
        return tensor(call(CLAMP, ctx.raw(), a.raw(), min, max));
    }

    /**
     * {@code struct ggml_tensor * ggml_argsort_top_k(struct ggml_context * ctx, struct ggml_tensor
     * * a, int k)}
     */
    private static final MethodHandle ARGSORT_TOP_K =
            bind("ggml_argsort_top_k", returns(C_POINTER, C_POINTER, C_POINTER, C_INT));

    static TensorPtr argsortTopK(ContextPtr ctx, TensorPtr a, int k) {
        return tensor(call(ARGSORT_TOP_K, ctx.raw(), a.raw(), k));
    }

    /**
     * {@code struct ggml_tensor * ggml_top_k(struct ggml_context * ctx, struct ggml_tensor * a, int
     * k)}
     */
    private static final MethodHandle TOP_K =
            bind("ggml_top_k", returns(C_POINTER, C_POINTER, C_POINTER, C_INT));

    static TensorPtr topK(ContextPtr ctx, TensorPtr a, int k) {
        return tensor(call(TOP_K, ctx.raw(), a.raw(), k));
    }

    /**
     * {@code struct ggml_tensor * ggml_view_4d(struct ggml_context * ctx, struct ggml_tensor * a,
     * int64_t ne0, int64_t ne1, int64_t ne2, int64_t ne3, size_t nb1, size_t nb2, size_t nb3,
     * size_t offset)}
     */
    private static final MethodHandle VIEW_4D =
            bind(
                    "ggml_view_4d",
                    returns(
                            C_POINTER, C_POINTER, C_POINTER, C_INT64, C_INT64, C_INT64, C_INT64,
                            C_SIZE_T, C_SIZE_T, C_SIZE_T, C_SIZE_T));

    static TensorPtr view4d(
            ContextPtr ctx,
            TensorPtr a,
            long ne0,
            long ne1,
            long ne2,
            long ne3,
            long nb1,
            long nb2,
            long nb3,
            long offset) {
        return tensor(call(VIEW_4D, ctx.raw(), a.raw(), ne0, ne1, ne2, ne3, nb1, nb2, nb3, offset));
    }

    /**
     * {@code struct ggml_tensor * ggml_reshape_4d(struct ggml_context * ctx, struct ggml_tensor *
     * a, int64_t ne0, int64_t ne1, int64_t ne2, int64_t ne3)}
     */
    private static final MethodHandle RESHAPE_4D =
            bind(
                    "ggml_reshape_4d",
                    returns(C_POINTER, C_POINTER, C_POINTER, C_INT64, C_INT64, C_INT64, C_INT64));

    static TensorPtr reshape4d(
            ContextPtr ctx, TensorPtr a, long ne0, long ne1, long ne2, long ne3) {
        return tensor(call(RESHAPE_4D, ctx.raw(), a.raw(), ne0, ne1, ne2, ne3));
    }

    /**
     * {@code struct ggml_tensor * ggml_permute(struct ggml_context * ctx, struct ggml_tensor * a,
     * int axis0, int axis1, int axis2, int axis3)}
     */
    private static final MethodHandle PERMUTE =
            bind(
                    "ggml_permute",
                    returns(C_POINTER, C_POINTER, C_POINTER, C_INT, C_INT, C_INT, C_INT));

    static TensorPtr permute(
            ContextPtr ctx, TensorPtr a, int axis0, int axis1, int axis2, int axis3) {
        return tensor(call(PERMUTE, ctx.raw(), a.raw(), axis0, axis1, axis2, axis3));
    }

    /**
     * {@code struct ggml_tensor * ggml_transpose(struct ggml_context * ctx, struct ggml_tensor *
     * a)}
     */
    private static final MethodHandle TRANSPOSE = bind("ggml_transpose", UNARY);

    static TensorPtr transpose(ContextPtr ctx, TensorPtr a) {
        return tensor(call(TRANSPOSE, ctx.raw(), a.raw()));
    }

    /**
     * {@code struct ggml_tensor * ggml_ssm_conv(struct ggml_context * ctx, struct ggml_tensor *
     * input, struct ggml_tensor * kernel)}
     */
    private static final MethodHandle SSM_CONV = bind("ggml_ssm_conv", BINARY);

    static TensorPtr ssmConv(ContextPtr ctx, TensorPtr input, TensorPtr kernel) {
        return tensor(call(SSM_CONV, ctx.raw(), input.raw(), kernel.raw()));
    }

    /**
     * {@code struct ggml_tensor * ggml_gated_delta_net(struct ggml_context * ctx, struct
     * ggml_tensor * q, struct ggml_tensor * k, struct ggml_tensor * v, struct ggml_tensor * g,
     * struct ggml_tensor * beta, struct ggml_tensor * state, int64_t snapshots)}
     */
    private static final MethodHandle GATED_DELTA_NET =
            bind(
                    "ggml_gated_delta_net",
                    returns(
                            C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_POINTER,
                            C_POINTER, C_POINTER, C_INT64));

    static TensorPtr gatedDeltaNet(
            ContextPtr ctx,
            TensorPtr q,
            TensorPtr k,
            TensorPtr v,
            TensorPtr g,
            TensorPtr beta,
            TensorPtr state,
            long snapshots) {
        return tensor(
                call(
                        GATED_DELTA_NET,
                        ctx.raw(),
                        q.raw(),
                        k.raw(),
                        v.raw(),
                        g.raw(),
                        beta.raw(),
                        state.raw(),
                        snapshots));
    }

    /** {@code struct ggml_tensor * ggml_relu(struct ggml_context * ctx, struct ggml_tensor * a)} */
    private static final MethodHandle RELU = bind("ggml_relu", UNARY);

    static TensorPtr relu(ContextPtr ctx, TensorPtr a) {
        return tensor(call(RELU, ctx.raw(), a.raw()));
    }

    /** {@code struct ggml_tensor * ggml_sqr(struct ggml_context * ctx, struct ggml_tensor * a)} */
    private static final MethodHandle SQR = bind("ggml_sqr", UNARY);

    static TensorPtr sqr(ContextPtr ctx, TensorPtr a) {
        return tensor(call(SQR, ctx.raw(), a.raw()));
    }

    /**
     * {@code struct ggml_tensor * ggml_fill(struct ggml_context * ctx, struct ggml_tensor * a,
     * float c)}
     */
    private static final MethodHandle FILL =
            bind("ggml_fill", returns(C_POINTER, C_POINTER, C_POINTER, C_FLOAT));

    static TensorPtr fill(ContextPtr ctx, TensorPtr a, float c) {
        return tensor(call(FILL, ctx.raw(), a.raw(), c));
    }

    /**
     * {@code struct ggml_tensor * ggml_swiglu_oai(struct ggml_context * ctx, struct ggml_tensor *
     * a, struct ggml_tensor * b, float alpha, float limit)}
     */
    private static final MethodHandle SWIGLU_OAI =
            bind(
                    "ggml_swiglu_oai",
                    returns(C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_FLOAT, C_FLOAT));

    static TensorPtr swigluOai(ContextPtr ctx, TensorPtr a, TensorPtr b, float alpha, float limit) {
        return tensor(call(SWIGLU_OAI, ctx.raw(), a.raw(), b.raw(), alpha, limit));
    }

    /**
     * {@code struct ggml_tensor * ggml_add_id(struct ggml_context * ctx, struct ggml_tensor * a,
     * struct ggml_tensor * b, struct ggml_tensor * ids)}
     */
    private static final MethodHandle ADD_ID =
            bind("ggml_add_id", returns(C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_POINTER));

    static TensorPtr addId(ContextPtr ctx, TensorPtr a, TensorPtr b, TensorPtr ids) {
        return tensor(call(ADD_ID, ctx.raw(), a.raw(), b.raw(), ids.raw()));
    }

    /**
     * {@code struct ggml_tensor * ggml_ssm_scan(struct ggml_context * ctx, struct ggml_tensor * s,
     * struct ggml_tensor * x, struct ggml_tensor * dt, struct ggml_tensor * A, struct ggml_tensor *
     * B, struct ggml_tensor * C, struct ggml_tensor * ids, int64_t snapshots)}
     */
    private static final MethodHandle SSM_SCAN =
            bind(
                    "ggml_ssm_scan",
                    returns(
                            C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_POINTER,
                            C_POINTER, C_POINTER, C_POINTER, C_INT64));

    static TensorPtr ssmScan(ContextPtr ctx, ScanPointers scan, TensorPtr ids, long snapshots) {
        return tensor(
                call(
                        SSM_SCAN,
                        ctx.raw(),
                        scan.state().raw(),
                        scan.x().raw(),
                        scan.dt().raw(),
                        scan.decay().raw(),
                        scan.b().raw(),
                        scan.c().raw(),
                        ids.raw(),
                        snapshots));
    }

    /** The operands of a scan except the rows of its states. */
    record ScanPointers(
            TensorPtr state,
            TensorPtr x,
            TensorPtr dt,
            TensorPtr decay,
            TensorPtr b,
            TensorPtr c) {}

    /**
     * {@code struct ggml_tensor * ggml_rope_ext(struct ggml_context * ctx, struct ggml_tensor * a,
     * struct ggml_tensor * positions, struct ggml_tensor * factors, int dims, int mode, int
     * originalContext, float freqBase, float freqScale, float extFactor, float attnFactor, float
     * betaFast, float betaSlow)}
     */
    private static final MethodHandle ROPE_EXT =
            bind(
                    "ggml_rope_ext",
                    returns(
                            C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_INT, C_INT,
                            C_INT, C_FLOAT, C_FLOAT, C_FLOAT, C_FLOAT, C_FLOAT, C_FLOAT));

    static TensorPtr ropeExt(
            ContextPtr ctx,
            TensorPtr a,
            TensorPtr positions,
            TensorPtr factors,
            int dims,
            int mode,
            int originalContext,
            float freqBase,
            float freqScale,
            float extFactor,
            float attnFactor,
            float betaFast,
            float betaSlow) {
        return tensor(
                call(
                        ROPE_EXT,
                        ctx.raw(),
                        a.raw(),
                        positions.raw(),
                        factors.raw(),
                        dims,
                        mode,
                        originalContext,
                        freqBase,
                        freqScale,
                        extFactor,
                        attnFactor,
                        betaFast,
                        betaSlow));
    }

    /**
     * {@code struct ggml_tensor * ggml_rope_multi(struct ggml_context * ctx, struct ggml_tensor *
     * a, struct ggml_tensor * positions, struct ggml_tensor * factors, int dims, int * sections,
     * int mode, int originalContext, float freqBase, float freqScale, float extFactor, float
     * attnFactor, float betaFast, float betaSlow)}
     */
    private static final MethodHandle ROPE_MULTI =
            bind(
                    "ggml_rope_multi",
                    returns(
                            C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_INT, C_POINTER,
                            C_INT, C_INT, C_FLOAT, C_FLOAT, C_FLOAT, C_FLOAT, C_FLOAT, C_FLOAT));

    static TensorPtr ropeMulti(
            ContextPtr ctx,
            TensorPtr a,
            TensorPtr positions,
            TensorPtr factors,
            int dims,
            MemorySegment sections,
            int mode,
            int originalContext,
            float freqBase,
            float freqScale,
            float extFactor,
            float attnFactor,
            float betaFast,
            float betaSlow) {
        TensorPtr result =
                tensor(
                        call(
                                ROPE_MULTI,
                                ctx.raw(),
                                a.raw(),
                                positions.raw(),
                                factors.raw(),
                                dims,
                                pointer(sections),
                                mode,
                                originalContext,
                                freqBase,
                                freqScale,
                                extFactor,
                                attnFactor,
                                betaFast,
                                betaSlow));
        Reference.reachabilityFence(sections);
        return result;
    }

    /**
     * {@code struct ggml_tensor * ggml_flash_attn_ext(struct ggml_context * ctx, struct ggml_tensor
     * * q, struct ggml_tensor * k, struct ggml_tensor * v, struct ggml_tensor * mask, float scale,
     * float maxBias, float softcap)}
     */
    private static final MethodHandle FLASH_ATTN_EXT =
            bind(
                    "ggml_flash_attn_ext",
                    returns(
                            C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_POINTER,
                            C_FLOAT, C_FLOAT, C_FLOAT));

    static TensorPtr flashAttnExt(
            ContextPtr ctx,
            TensorPtr q,
            TensorPtr k,
            TensorPtr v,
            TensorPtr mask,
            float scale,
            float maxBias,
            float softcap) {
        return tensor(
                call(
                        FLASH_ATTN_EXT,
                        ctx.raw(),
                        q.raw(),
                        k.raw(),
                        v.raw(),
                        mask.raw(),
                        scale,
                        maxBias,
                        softcap));
    }

    /** {@code void ggml_soft_max_add_sinks(struct ggml_tensor * a, struct ggml_tensor * sinks)} */
    private static final MethodHandle SOFT_MAX_ADD_SINKS =
            bind("ggml_soft_max_add_sinks", returnsNothing(C_POINTER, C_POINTER));

    static void softMaxAddSinks(TensorPtr node, TensorPtr sinks) {
        call(SOFT_MAX_ADD_SINKS, node.raw(), sinks.raw());
    }

    /**
     * {@code void ggml_flash_attn_ext_add_sinks(struct ggml_tensor * a, struct ggml_tensor *
     * sinks)}
     */
    private static final MethodHandle FLASH_ATTN_EXT_ADD_SINKS =
            bind("ggml_flash_attn_ext_add_sinks", returnsNothing(C_POINTER, C_POINTER));

    static void flashAttnExtAddSinks(TensorPtr node, TensorPtr sinks) {
        call(FLASH_ATTN_EXT_ADD_SINKS, node.raw(), sinks.raw());
    }

    /** {@code void ggml_prec_set_acc(struct ggml_tensor * node, int precision)} */
    private static final MethodHandle PREC_SET_ACC =
            bind("ggml_prec_set_acc", returnsNothing(C_POINTER, C_INT));

    static void precSetAcc(TensorPtr node, int precision) {
        call(PREC_SET_ACC, node.raw(), precision);
    }

    /**
     * {@code struct ggml_tensor * ggml_argmax(struct ggml_context * ctx, struct ggml_tensor * a)}
     */
    private static final MethodHandle ARGMAX = bind("ggml_argmax", UNARY);

    static TensorPtr argmax(ContextPtr ctx, TensorPtr a) {
        return tensor(call(ARGMAX, ctx.raw(), a.raw()));
    }

    /**
     * {@code struct ggml_tensor * ggml_pad(struct ggml_context * ctx, struct ggml_tensor * a, int
     * p0, int p1, int p2, int p3)}
     */
    private static final MethodHandle PAD =
            bind("ggml_pad", returns(C_POINTER, C_POINTER, C_POINTER, C_INT, C_INT, C_INT, C_INT));

    static TensorPtr pad(ContextPtr ctx, TensorPtr a, int p0, int p1, int p2, int p3) {
        return tensor(call(PAD, ctx.raw(), a.raw(), p0, p1, p2, p3));
    }

    /**
     * {@code struct ggml_tensor * ggml_repeat_4d(struct ggml_context * ctx, struct ggml_tensor * a,
     * int64_t ne0, int64_t ne1, int64_t ne2, int64_t ne3)}
     */
    private static final MethodHandle REPEAT_4D =
            bind(
                    "ggml_repeat_4d",
                    returns(C_POINTER, C_POINTER, C_POINTER, C_INT64, C_INT64, C_INT64, C_INT64));

    static TensorPtr repeat4d(ContextPtr ctx, TensorPtr a, long ne0, long ne1, long ne2, long ne3) {
        return tensor(call(REPEAT_4D, ctx.raw(), a.raw(), ne0, ne1, ne2, ne3));
    }

    /**
     * {@code struct ggml_tensor * ggml_custom_4d(struct ggml_context * ctx, enum ggml_type type,
     * int64_t ne0, int64_t ne1, int64_t ne2, int64_t ne3, struct ggml_tensor ** args, int n_args,
     * ggml_custom_op_t fun, int n_tasks, void * userdata)}
     */
    private static final MethodHandle CUSTOM_4D =
            bind(
                    "ggml_custom_4d",
                    returns(
                            C_POINTER, C_POINTER, C_INT, C_INT64, C_INT64, C_INT64, C_INT64,
                            C_POINTER, C_INT, C_POINTER, C_INT, C_POINTER));

    static TensorPtr custom4d(
            ContextPtr ctx,
            GgmlType type,
            Extents ne,
            MemorySegment args,
            int count,
            MemorySegment function,
            int tasks) {
        TensorPtr result =
                tensor(
                        call(
                                CUSTOM_4D,
                                ctx.raw(),
                                type.id(),
                                ne.ne0(),
                                ne.ne1(),
                                ne.ne2(),
                                ne.ne3(),
                                pointer(args),
                                count,
                                pointer(function),
                                tasks,
                                0));
        Reference.reachabilityFence(args);
        Reference.reachabilityFence(function);
        return result;
    }

    private static TensorPtr tensor(long address) {
        return new TensorPtr(MemorySegment.ofAddress(address));
    }

    private OpsApi() {}

    /** Looks up all functions, once. */
    static void link() {
        // The class initialiser does it.
    }
}
