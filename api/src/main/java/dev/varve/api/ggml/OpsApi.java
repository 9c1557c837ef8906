package dev.varve.api.ggml;

import static dev.varve.api.ggml.CType.C_CONTEXT;
import static dev.varve.api.ggml.CType.C_FLOAT;
import static dev.varve.api.ggml.CType.C_INT;
import static dev.varve.api.ggml.CType.C_INT64;
import static dev.varve.api.ggml.CType.C_POINTER;
import static dev.varve.api.ggml.CType.C_SIZE_T;
import static dev.varve.api.ggml.CType.C_TENSOR;
import static dev.varve.api.ggml.Native.bind;
import static dev.varve.api.ggml.Native.call;
import static dev.varve.api.ggml.Native.returns;
import static dev.varve.api.ggml.Native.returnsNothing;
import static dev.varve.api.ggml.Native.run;

import dev.varve.api.ggml.Pointer.ContextPtr;
import dev.varve.api.ggml.Pointer.TensorPtr;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * ggml.h: the operators that Varve uses. Each returns a node of the given context. One file, since
 * it follows the header.
 */
final class OpsApi {
    /**
     * {@code struct ggml_tensor * ggml_mul_mat(struct ggml_context * context, struct ggml_tensor *
     * a, struct ggml_tensor * b)}
     */
    private static final MethodHandle MUL_MAT =
            bind("ggml_mul_mat", returns(C_TENSOR, C_CONTEXT, C_TENSOR, C_TENSOR));

    static TensorPtr mulMat(ContextPtr context, TensorPtr a, TensorPtr b) {
        return call(() -> (TensorPtr) MUL_MAT.invokeExact(context, a, b));
    }

    /**
     * {@code struct ggml_tensor * ggml_mul_mat_id(struct ggml_context * context, struct ggml_tensor
     * * as, struct ggml_tensor * b, struct ggml_tensor * ids)}
     */
    private static final MethodHandle MUL_MAT_ID =
            bind("ggml_mul_mat_id", returns(C_TENSOR, C_CONTEXT, C_TENSOR, C_TENSOR, C_TENSOR));

    static TensorPtr mulMatId(ContextPtr context, TensorPtr as, TensorPtr b, TensorPtr ids) {
        return call(() -> (TensorPtr) MUL_MAT_ID.invokeExact(context, as, b, ids));
    }

    /** {@code void ggml_mul_mat_set_hint(struct ggml_tensor * node, int hint)} */
    private static final MethodHandle MUL_MAT_SET_HINT =
            bind("ggml_mul_mat_set_hint", returnsNothing(C_TENSOR, C_INT));

    static void mulMatSetHint(TensorPtr node, int hint) {
        run(
                () -> {
                    MUL_MAT_SET_HINT.invokeExact(node, hint);
                });
    }

    /**
     * {@code struct ggml_tensor * ggml_get_rows(struct ggml_context * context, struct ggml_tensor *
     * a, struct ggml_tensor * ids)}
     */
    private static final MethodHandle GET_ROWS =
            bind("ggml_get_rows", returns(C_TENSOR, C_CONTEXT, C_TENSOR, C_TENSOR));

    static TensorPtr getRows(ContextPtr context, TensorPtr a, TensorPtr ids) {
        return call(() -> (TensorPtr) GET_ROWS.invokeExact(context, a, ids));
    }

    /**
     * {@code struct ggml_tensor * ggml_set_rows(struct ggml_context * context, struct ggml_tensor *
     * target, struct ggml_tensor * source, struct ggml_tensor * ids)}
     */
    private static final MethodHandle SET_ROWS =
            bind("ggml_set_rows", returns(C_TENSOR, C_CONTEXT, C_TENSOR, C_TENSOR, C_TENSOR));

    static TensorPtr setRows(
            ContextPtr context, TensorPtr target, TensorPtr source, TensorPtr ids) {
        return call(() -> (TensorPtr) SET_ROWS.invokeExact(context, target, source, ids));
    }

    /**
     * {@code struct ggml_tensor * ggml_cpy(struct ggml_context * context, struct ggml_tensor *
     * source, struct ggml_tensor * target)}
     */
    private static final MethodHandle CPY =
            bind("ggml_cpy", returns(C_TENSOR, C_CONTEXT, C_TENSOR, C_TENSOR));

    static TensorPtr cpy(ContextPtr context, TensorPtr source, TensorPtr target) {
        return call(() -> (TensorPtr) CPY.invokeExact(context, source, target));
    }

    /**
     * {@code struct ggml_tensor * ggml_cont(struct ggml_context * context, struct ggml_tensor * a)}
     */
    private static final MethodHandle CONT =
            bind("ggml_cont", returns(C_TENSOR, C_CONTEXT, C_TENSOR));

    static TensorPtr cont(ContextPtr context, TensorPtr a) {
        return call(() -> (TensorPtr) CONT.invokeExact(context, a));
    }

    /**
     * {@code struct ggml_tensor * ggml_cont_2d(struct ggml_context * context, struct ggml_tensor *
     * a, int64_t ne0, int64_t ne1)}
     */
    private static final MethodHandle CONT_2D =
            bind("ggml_cont_2d", returns(C_TENSOR, C_CONTEXT, C_TENSOR, C_INT64, C_INT64));

    static TensorPtr cont2d(ContextPtr context, TensorPtr a, long ne0, long ne1) {
        return call(() -> (TensorPtr) CONT_2D.invokeExact(context, a, ne0, ne1));
    }

    /**
     * {@code struct ggml_tensor * ggml_concat(struct ggml_context * context, struct ggml_tensor *
     * a, struct ggml_tensor * b, int dim)}
     */
    private static final MethodHandle CONCAT =
            bind("ggml_concat", returns(C_TENSOR, C_CONTEXT, C_TENSOR, C_TENSOR, C_INT));

    static TensorPtr concat(ContextPtr context, TensorPtr a, TensorPtr b, int dim) {
        return call(() -> (TensorPtr) CONCAT.invokeExact(context, a, b, dim));
    }

    /**
     * {@code struct ggml_tensor * ggml_add(struct ggml_context * context, struct ggml_tensor * a,
     * struct ggml_tensor * b)}
     */
    private static final MethodHandle ADD =
            bind("ggml_add", returns(C_TENSOR, C_CONTEXT, C_TENSOR, C_TENSOR));

    static TensorPtr add(ContextPtr context, TensorPtr a, TensorPtr b) {
        return call(() -> (TensorPtr) ADD.invokeExact(context, a, b));
    }

    /**
     * {@code struct ggml_tensor * ggml_sub(struct ggml_context * context, struct ggml_tensor * a,
     * struct ggml_tensor * b)}
     */
    private static final MethodHandle SUB =
            bind("ggml_sub", returns(C_TENSOR, C_CONTEXT, C_TENSOR, C_TENSOR));

    static TensorPtr sub(ContextPtr context, TensorPtr a, TensorPtr b) {
        return call(() -> (TensorPtr) SUB.invokeExact(context, a, b));
    }

    /**
     * {@code struct ggml_tensor * ggml_mul(struct ggml_context * context, struct ggml_tensor * a,
     * struct ggml_tensor * b)}
     */
    private static final MethodHandle MUL =
            bind("ggml_mul", returns(C_TENSOR, C_CONTEXT, C_TENSOR, C_TENSOR));

    static TensorPtr mul(ContextPtr context, TensorPtr a, TensorPtr b) {
        return call(() -> (TensorPtr) MUL.invokeExact(context, a, b));
    }

    /**
     * {@code struct ggml_tensor * ggml_div(struct ggml_context * context, struct ggml_tensor * a,
     * struct ggml_tensor * b)}
     */
    private static final MethodHandle DIV =
            bind("ggml_div", returns(C_TENSOR, C_CONTEXT, C_TENSOR, C_TENSOR));

    static TensorPtr div(ContextPtr context, TensorPtr a, TensorPtr b) {
        return call(() -> (TensorPtr) DIV.invokeExact(context, a, b));
    }

    /**
     * {@code struct ggml_tensor * ggml_scale(struct ggml_context * context, struct ggml_tensor * a,
     * float factor)}
     */
    private static final MethodHandle SCALE =
            bind("ggml_scale", returns(C_TENSOR, C_CONTEXT, C_TENSOR, C_FLOAT));

    static TensorPtr scale(ContextPtr context, TensorPtr a, float factor) {
        return call(() -> (TensorPtr) SCALE.invokeExact(context, a, factor));
    }

    /**
     * {@code struct ggml_tensor * ggml_rms_norm(struct ggml_context * context, struct ggml_tensor *
     * a, float epsilon)}
     */
    private static final MethodHandle RMS_NORM =
            bind("ggml_rms_norm", returns(C_TENSOR, C_CONTEXT, C_TENSOR, C_FLOAT));

    static TensorPtr rmsNorm(ContextPtr context, TensorPtr a, float epsilon) {
        return call(() -> (TensorPtr) RMS_NORM.invokeExact(context, a, epsilon));
    }

    /**
     * {@code struct ggml_tensor * ggml_sigmoid(struct ggml_context * context, struct ggml_tensor *
     * a)}
     */
    private static final MethodHandle SIGMOID =
            bind("ggml_sigmoid", returns(C_TENSOR, C_CONTEXT, C_TENSOR));

    static TensorPtr sigmoid(ContextPtr context, TensorPtr a) {
        return call(() -> (TensorPtr) SIGMOID.invokeExact(context, a));
    }

    /**
     * {@code struct ggml_tensor * ggml_silu(struct ggml_context * context, struct ggml_tensor * a)}
     */
    private static final MethodHandle SILU =
            bind("ggml_silu", returns(C_TENSOR, C_CONTEXT, C_TENSOR));

    static TensorPtr silu(ContextPtr context, TensorPtr a) {
        return call(() -> (TensorPtr) SILU.invokeExact(context, a));
    }

    /**
     * {@code struct ggml_tensor * ggml_gelu(struct ggml_context * context, struct ggml_tensor * a)}
     */
    private static final MethodHandle GELU =
            bind("ggml_gelu", returns(C_TENSOR, C_CONTEXT, C_TENSOR));

    static TensorPtr gelu(ContextPtr context, TensorPtr a) {
        return call(() -> (TensorPtr) GELU.invokeExact(context, a));
    }

    /**
     * {@code struct ggml_tensor * ggml_softplus(struct ggml_context * context, struct ggml_tensor *
     * a)}
     */
    private static final MethodHandle SOFTPLUS =
            bind("ggml_softplus", returns(C_TENSOR, C_CONTEXT, C_TENSOR));

    static TensorPtr softplus(ContextPtr context, TensorPtr a) {
        return call(() -> (TensorPtr) SOFTPLUS.invokeExact(context, a));
    }

    /**
     * {@code struct ggml_tensor * ggml_exp(struct ggml_context * context, struct ggml_tensor * a)}
     */
    private static final MethodHandle EXP =
            bind("ggml_exp", returns(C_TENSOR, C_CONTEXT, C_TENSOR));

    static TensorPtr exp(ContextPtr context, TensorPtr a) {
        return call(() -> (TensorPtr) EXP.invokeExact(context, a));
    }

    /**
     * {@code struct ggml_tensor * ggml_tanh(struct ggml_context * context, struct ggml_tensor * a)}
     */
    private static final MethodHandle TANH =
            bind("ggml_tanh", returns(C_TENSOR, C_CONTEXT, C_TENSOR));

    static TensorPtr tanh(ContextPtr context, TensorPtr a) {
        return call(() -> (TensorPtr) TANH.invokeExact(context, a));
    }

    /**
     * {@code struct ggml_tensor * ggml_neg(struct ggml_context * context, struct ggml_tensor * a)}
     */
    private static final MethodHandle NEG =
            bind("ggml_neg", returns(C_TENSOR, C_CONTEXT, C_TENSOR));

    static TensorPtr neg(ContextPtr context, TensorPtr a) {
        return call(() -> (TensorPtr) NEG.invokeExact(context, a));
    }

    /**
     * {@code struct ggml_tensor * ggml_swiglu_split(struct ggml_context * context, struct
     * ggml_tensor * a, struct ggml_tensor * b)}
     */
    private static final MethodHandle SWIGLU_SPLIT =
            bind("ggml_swiglu_split", returns(C_TENSOR, C_CONTEXT, C_TENSOR, C_TENSOR));

    static TensorPtr swigluSplit(ContextPtr context, TensorPtr a, TensorPtr b) {
        return call(() -> (TensorPtr) SWIGLU_SPLIT.invokeExact(context, a, b));
    }

    /**
     * {@code struct ggml_tensor * ggml_geglu_split(struct ggml_context * context, struct
     * ggml_tensor * a, struct ggml_tensor * b)}
     */
    private static final MethodHandle GEGLU_SPLIT =
            bind("ggml_geglu_split", returns(C_TENSOR, C_CONTEXT, C_TENSOR, C_TENSOR));

    static TensorPtr gegluSplit(ContextPtr context, TensorPtr a, TensorPtr b) {
        return call(() -> (TensorPtr) GEGLU_SPLIT.invokeExact(context, a, b));
    }

    /**
     * {@code struct ggml_tensor * ggml_soft_max(struct ggml_context * context, struct ggml_tensor *
     * a)}
     */
    private static final MethodHandle SOFT_MAX =
            bind("ggml_soft_max", returns(C_TENSOR, C_CONTEXT, C_TENSOR));

    static TensorPtr softMax(ContextPtr context, TensorPtr a) {
        return call(() -> (TensorPtr) SOFT_MAX.invokeExact(context, a));
    }

    /**
     * {@code struct ggml_tensor * ggml_soft_max_ext(struct ggml_context * context, struct
     * ggml_tensor * a, struct ggml_tensor * mask, float scale, float maxBias)}
     */
    private static final MethodHandle SOFT_MAX_EXT =
            bind(
                    "ggml_soft_max_ext",
                    returns(C_TENSOR, C_CONTEXT, C_TENSOR, C_TENSOR, C_FLOAT, C_FLOAT));

    static TensorPtr softMaxExt(
            ContextPtr context, TensorPtr a, TensorPtr mask, float scale, float maxBias) {
        return call(() -> (TensorPtr) SOFT_MAX_EXT.invokeExact(context, a, mask, scale, maxBias));
    }

    /**
     * {@code struct ggml_tensor * ggml_sum_rows(struct ggml_context * context, struct ggml_tensor *
     * a)}
     */
    private static final MethodHandle SUM_ROWS =
            bind("ggml_sum_rows", returns(C_TENSOR, C_CONTEXT, C_TENSOR));

    static TensorPtr sumRows(ContextPtr context, TensorPtr a) {
        return call(() -> (TensorPtr) SUM_ROWS.invokeExact(context, a));
    }

    /**
     * {@code struct ggml_tensor * ggml_clamp(struct ggml_context * context, struct ggml_tensor * a,
     * float min, float max)}
     */
    private static final MethodHandle CLAMP =
            bind("ggml_clamp", returns(C_TENSOR, C_CONTEXT, C_TENSOR, C_FLOAT, C_FLOAT));

    static TensorPtr clamp(ContextPtr context, TensorPtr a, float min, float max) {
        return call(() -> (TensorPtr) CLAMP.invokeExact(context, a, min, max));
    }

    /**
     * {@code struct ggml_tensor * ggml_argsort_top_k(struct ggml_context * context, struct
     * ggml_tensor * a, int k)}
     */
    private static final MethodHandle ARGSORT_TOP_K =
            bind("ggml_argsort_top_k", returns(C_TENSOR, C_CONTEXT, C_TENSOR, C_INT));

    static TensorPtr argsortTopK(ContextPtr context, TensorPtr a, int k) {
        return call(() -> (TensorPtr) ARGSORT_TOP_K.invokeExact(context, a, k));
    }

    /**
     * {@code struct ggml_tensor * ggml_view_4d(struct ggml_context * context, struct ggml_tensor *
     * a, int64_t ne0, int64_t ne1, int64_t ne2, int64_t ne3, size_t nb1, size_t nb2, size_t nb3,
     * size_t offset)}
     */
    private static final MethodHandle VIEW_4D =
            bind(
                    "ggml_view_4d",
                    returns(
                            C_TENSOR, C_CONTEXT, C_TENSOR, C_INT64, C_INT64, C_INT64, C_INT64,
                            C_SIZE_T, C_SIZE_T, C_SIZE_T, C_SIZE_T));

    static TensorPtr view4d(
            ContextPtr context,
            TensorPtr a,
            long ne0,
            long ne1,
            long ne2,
            long ne3,
            long nb1,
            long nb2,
            long nb3,
            long offset) {
        return call(
                () ->
                        (TensorPtr)
                                VIEW_4D.invokeExact(
                                        context, a, ne0, ne1, ne2, ne3, nb1, nb2, nb3, offset));
    }

    /**
     * {@code struct ggml_tensor * ggml_reshape_4d(struct ggml_context * context, struct ggml_tensor
     * * a, int64_t ne0, int64_t ne1, int64_t ne2, int64_t ne3)}
     */
    private static final MethodHandle RESHAPE_4D =
            bind(
                    "ggml_reshape_4d",
                    returns(C_TENSOR, C_CONTEXT, C_TENSOR, C_INT64, C_INT64, C_INT64, C_INT64));

    static TensorPtr reshape4d(
            ContextPtr context, TensorPtr a, long ne0, long ne1, long ne2, long ne3) {
        return call(() -> (TensorPtr) RESHAPE_4D.invokeExact(context, a, ne0, ne1, ne2, ne3));
    }

    /**
     * {@code struct ggml_tensor * ggml_permute(struct ggml_context * context, struct ggml_tensor *
     * a, int axis0, int axis1, int axis2, int axis3)}
     */
    private static final MethodHandle PERMUTE =
            bind(
                    "ggml_permute",
                    returns(C_TENSOR, C_CONTEXT, C_TENSOR, C_INT, C_INT, C_INT, C_INT));

    static TensorPtr permute(
            ContextPtr context, TensorPtr a, int axis0, int axis1, int axis2, int axis3) {
        return call(() -> (TensorPtr) PERMUTE.invokeExact(context, a, axis0, axis1, axis2, axis3));
    }

    /**
     * {@code struct ggml_tensor * ggml_transpose(struct ggml_context * context, struct ggml_tensor
     * * a)}
     */
    private static final MethodHandle TRANSPOSE =
            bind("ggml_transpose", returns(C_TENSOR, C_CONTEXT, C_TENSOR));

    static TensorPtr transpose(ContextPtr context, TensorPtr a) {
        return call(() -> (TensorPtr) TRANSPOSE.invokeExact(context, a));
    }

    /**
     * {@code struct ggml_tensor * ggml_ssm_conv(struct ggml_context * context, struct ggml_tensor *
     * input, struct ggml_tensor * kernel)}
     */
    private static final MethodHandle SSM_CONV =
            bind("ggml_ssm_conv", returns(C_TENSOR, C_CONTEXT, C_TENSOR, C_TENSOR));

    static TensorPtr ssmConv(ContextPtr context, TensorPtr input, TensorPtr kernel) {
        return call(() -> (TensorPtr) SSM_CONV.invokeExact(context, input, kernel));
    }

    /**
     * {@code struct ggml_tensor * ggml_gated_delta_net(struct ggml_context * context, struct
     * ggml_tensor * q, struct ggml_tensor * k, struct ggml_tensor * v, struct ggml_tensor * g,
     * struct ggml_tensor * beta, struct ggml_tensor * state, int64_t snapshots)}
     */
    private static final MethodHandle GATED_DELTA_NET =
            bind(
                    "ggml_gated_delta_net",
                    returns(
                            C_TENSOR, C_CONTEXT, C_TENSOR, C_TENSOR, C_TENSOR, C_TENSOR, C_TENSOR,
                            C_TENSOR, C_INT64));

    static TensorPtr gatedDeltaNet(
            ContextPtr context,
            TensorPtr q,
            TensorPtr k,
            TensorPtr v,
            TensorPtr g,
            TensorPtr beta,
            TensorPtr state,
            long snapshots) {
        return call(
                () ->
                        (TensorPtr)
                                GATED_DELTA_NET.invokeExact(
                                        context, q, k, v, g, beta, state, snapshots));
    }

    /**
     * {@code struct ggml_tensor * ggml_rope_ext(struct ggml_context * context, struct ggml_tensor *
     * a, struct ggml_tensor * positions, struct ggml_tensor * factors, int dims, int mode, int
     * originalContext, float freqBase, float freqScale, float extFactor, float attnFactor, float
     * betaFast, float betaSlow)}
     */
    private static final MethodHandle ROPE_EXT =
            bind(
                    "ggml_rope_ext",
                    returns(
                            C_TENSOR, C_CONTEXT, C_TENSOR, C_TENSOR, C_TENSOR, C_INT, C_INT, C_INT,
                            C_FLOAT, C_FLOAT, C_FLOAT, C_FLOAT, C_FLOAT, C_FLOAT));

    static TensorPtr ropeExt(
            ContextPtr context,
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
        return call(
                () ->
                        (TensorPtr)
                                ROPE_EXT.invokeExact(
                                        context,
                                        a,
                                        positions,
                                        factors,
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
     * {@code struct ggml_tensor * ggml_rope_multi(struct ggml_context * context, struct ggml_tensor
     * * a, struct ggml_tensor * positions, struct ggml_tensor * factors, int dims, int * sections,
     * int mode, int originalContext, float freqBase, float freqScale, float extFactor, float
     * attnFactor, float betaFast, float betaSlow)}
     */
    private static final MethodHandle ROPE_MULTI =
            bind(
                    "ggml_rope_multi",
                    returns(
                            C_TENSOR, C_CONTEXT, C_TENSOR, C_TENSOR, C_TENSOR, C_INT, C_POINTER,
                            C_INT, C_INT, C_FLOAT, C_FLOAT, C_FLOAT, C_FLOAT, C_FLOAT, C_FLOAT));

    static TensorPtr ropeMulti(
            ContextPtr context,
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
        return call(
                () ->
                        (TensorPtr)
                                ROPE_MULTI.invokeExact(
                                        context,
                                        a,
                                        positions,
                                        factors,
                                        dims,
                                        sections,
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
     * {@code struct ggml_tensor * ggml_flash_attn_ext(struct ggml_context * context, struct
     * ggml_tensor * q, struct ggml_tensor * k, struct ggml_tensor * v, struct ggml_tensor * mask,
     * float scale, float maxBias, float softcap)}
     */
    private static final MethodHandle FLASH_ATTN_EXT =
            bind(
                    "ggml_flash_attn_ext",
                    returns(
                            C_TENSOR, C_CONTEXT, C_TENSOR, C_TENSOR, C_TENSOR, C_TENSOR, C_FLOAT,
                            C_FLOAT, C_FLOAT));

    static TensorPtr flashAttnExt(
            ContextPtr context,
            TensorPtr q,
            TensorPtr k,
            TensorPtr v,
            TensorPtr mask,
            float scale,
            float maxBias,
            float softcap) {
        return call(
                () ->
                        (TensorPtr)
                                FLASH_ATTN_EXT.invokeExact(
                                        context, q, k, v, mask, scale, maxBias, softcap));
    }

    /** {@code void ggml_prec_set_acc(struct ggml_tensor * node, int precision)} */
    private static final MethodHandle PREC_SET_ACC =
            bind("ggml_prec_set_acc", returnsNothing(C_TENSOR, C_INT));

    static void precSetAcc(TensorPtr node, int precision) {
        run(
                () -> {
                    PREC_SET_ACC.invokeExact(node, precision);
                });
    }

    /**
     * {@code struct ggml_tensor * ggml_argmax(struct ggml_context * context, struct ggml_tensor *
     * a)}
     */
    private static final MethodHandle ARGMAX =
            bind("ggml_argmax", returns(C_TENSOR, C_CONTEXT, C_TENSOR));

    static TensorPtr argmax(ContextPtr context, TensorPtr a) {
        return call(() -> (TensorPtr) ARGMAX.invokeExact(context, a));
    }

    /**
     * {@code struct ggml_tensor * ggml_pad(struct ggml_context * context, struct ggml_tensor * a,
     * int p0, int p1, int p2, int p3)}
     */
    private static final MethodHandle PAD =
            bind("ggml_pad", returns(C_TENSOR, C_CONTEXT, C_TENSOR, C_INT, C_INT, C_INT, C_INT));

    static TensorPtr pad(ContextPtr context, TensorPtr a, int p0, int p1, int p2, int p3) {
        return call(() -> (TensorPtr) PAD.invokeExact(context, a, p0, p1, p2, p3));
    }

    /**
     * {@code struct ggml_tensor * ggml_repeat_4d(struct ggml_context * context, struct ggml_tensor
     * * a, int64_t ne0, int64_t ne1, int64_t ne2, int64_t ne3)}
     */
    private static final MethodHandle REPEAT_4D =
            bind(
                    "ggml_repeat_4d",
                    returns(C_TENSOR, C_CONTEXT, C_TENSOR, C_INT64, C_INT64, C_INT64, C_INT64));

    static TensorPtr repeat4d(
            ContextPtr context, TensorPtr a, long ne0, long ne1, long ne2, long ne3) {
        return call(() -> (TensorPtr) REPEAT_4D.invokeExact(context, a, ne0, ne1, ne2, ne3));
    }

    private OpsApi() {}
}
