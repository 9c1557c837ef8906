package dev.varve.api.ggml;

import static dev.varve.api.ggml.Native.C_FLOAT;
import static dev.varve.api.ggml.Native.C_INT;
import static dev.varve.api.ggml.Native.C_INT64;
import static dev.varve.api.ggml.Native.C_POINTER;
import static dev.varve.api.ggml.Native.C_SIZE_T;
import static dev.varve.api.ggml.Native.bind;
import static dev.varve.api.ggml.Native.returns;
import static dev.varve.api.ggml.Native.returnsNothing;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** ggml.h: the operators that Varve uses. Each returns a node of the given context. */
final class OpsApi {
    /** {@code ptr ggml_mul_mat(ptr context, ptr a, ptr b)} */
    private static final MethodHandle MUL_MAT =
            bind("ggml_mul_mat", returns(C_POINTER, C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment mulMat(MemorySegment context, MemorySegment a, MemorySegment b) {
        try {
            return (MemorySegment) MUL_MAT.invokeExact(context, a, b);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_mul_mat_id(ptr context, ptr as, ptr b, ptr ids)} */
    private static final MethodHandle MUL_MAT_ID =
            bind("ggml_mul_mat_id", returns(C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment mulMatId(
            MemorySegment context, MemorySegment as, MemorySegment b, MemorySegment ids) {
        try {
            return (MemorySegment) MUL_MAT_ID.invokeExact(context, as, b, ids);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code void ggml_mul_mat_set_hint(ptr node, int hint)} */
    private static final MethodHandle MUL_MAT_SET_HINT =
            bind("ggml_mul_mat_set_hint", returnsNothing(C_POINTER, C_INT));

    static void mulMatSetHint(MemorySegment node, int hint) {
        try {
            MUL_MAT_SET_HINT.invokeExact(node, hint);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_get_rows(ptr context, ptr a, ptr ids)} */
    private static final MethodHandle GET_ROWS =
            bind("ggml_get_rows", returns(C_POINTER, C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment getRows(MemorySegment context, MemorySegment a, MemorySegment ids) {
        try {
            return (MemorySegment) GET_ROWS.invokeExact(context, a, ids);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_set_rows(ptr context, ptr target, ptr source, ptr ids)} */
    private static final MethodHandle SET_ROWS =
            bind("ggml_set_rows", returns(C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment setRows(
            MemorySegment context, MemorySegment target, MemorySegment source, MemorySegment ids) {
        try {
            return (MemorySegment) SET_ROWS.invokeExact(context, target, source, ids);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_cpy(ptr context, ptr source, ptr target)} */
    private static final MethodHandle CPY =
            bind("ggml_cpy", returns(C_POINTER, C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment cpy(MemorySegment context, MemorySegment source, MemorySegment target) {
        try {
            return (MemorySegment) CPY.invokeExact(context, source, target);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_cont(ptr context, ptr a)} */
    private static final MethodHandle CONT =
            bind("ggml_cont", returns(C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment cont(MemorySegment context, MemorySegment a) {
        try {
            return (MemorySegment) CONT.invokeExact(context, a);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_cont_2d(ptr context, ptr a, i64 ne0, i64 ne1)} */
    private static final MethodHandle CONT_2D =
            bind("ggml_cont_2d", returns(C_POINTER, C_POINTER, C_POINTER, C_INT64, C_INT64));

    static MemorySegment cont2d(MemorySegment context, MemorySegment a, long ne0, long ne1) {
        try {
            return (MemorySegment) CONT_2D.invokeExact(context, a, ne0, ne1);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_concat(ptr context, ptr a, ptr b, int dim)} */
    private static final MethodHandle CONCAT =
            bind("ggml_concat", returns(C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_INT));

    static MemorySegment concat(MemorySegment context, MemorySegment a, MemorySegment b, int dim) {
        try {
            return (MemorySegment) CONCAT.invokeExact(context, a, b, dim);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_add(ptr context, ptr a, ptr b)} */
    private static final MethodHandle ADD =
            bind("ggml_add", returns(C_POINTER, C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment add(MemorySegment context, MemorySegment a, MemorySegment b) {
        try {
            return (MemorySegment) ADD.invokeExact(context, a, b);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_sub(ptr context, ptr a, ptr b)} */
    private static final MethodHandle SUB =
            bind("ggml_sub", returns(C_POINTER, C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment sub(MemorySegment context, MemorySegment a, MemorySegment b) {
        try {
            return (MemorySegment) SUB.invokeExact(context, a, b);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_mul(ptr context, ptr a, ptr b)} */
    private static final MethodHandle MUL =
            bind("ggml_mul", returns(C_POINTER, C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment mul(MemorySegment context, MemorySegment a, MemorySegment b) {
        try {
            return (MemorySegment) MUL.invokeExact(context, a, b);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_div(ptr context, ptr a, ptr b)} */
    private static final MethodHandle DIV =
            bind("ggml_div", returns(C_POINTER, C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment div(MemorySegment context, MemorySegment a, MemorySegment b) {
        try {
            return (MemorySegment) DIV.invokeExact(context, a, b);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_scale(ptr context, ptr a, float factor)} */
    private static final MethodHandle SCALE =
            bind("ggml_scale", returns(C_POINTER, C_POINTER, C_POINTER, C_FLOAT));

    static MemorySegment scale(MemorySegment context, MemorySegment a, float factor) {
        try {
            return (MemorySegment) SCALE.invokeExact(context, a, factor);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_rms_norm(ptr context, ptr a, float epsilon)} */
    private static final MethodHandle RMS_NORM =
            bind("ggml_rms_norm", returns(C_POINTER, C_POINTER, C_POINTER, C_FLOAT));

    static MemorySegment rmsNorm(MemorySegment context, MemorySegment a, float epsilon) {
        try {
            return (MemorySegment) RMS_NORM.invokeExact(context, a, epsilon);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_sigmoid(ptr context, ptr a)} */
    private static final MethodHandle SIGMOID =
            bind("ggml_sigmoid", returns(C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment sigmoid(MemorySegment context, MemorySegment a) {
        try {
            return (MemorySegment) SIGMOID.invokeExact(context, a);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_silu(ptr context, ptr a)} */
    private static final MethodHandle SILU =
            bind("ggml_silu", returns(C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment silu(MemorySegment context, MemorySegment a) {
        try {
            return (MemorySegment) SILU.invokeExact(context, a);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_gelu(ptr context, ptr a)} */
    private static final MethodHandle GELU =
            bind("ggml_gelu", returns(C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment gelu(MemorySegment context, MemorySegment a) {
        try {
            return (MemorySegment) GELU.invokeExact(context, a);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_softplus(ptr context, ptr a)} */
    private static final MethodHandle SOFTPLUS =
            bind("ggml_softplus", returns(C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment softplus(MemorySegment context, MemorySegment a) {
        try {
            return (MemorySegment) SOFTPLUS.invokeExact(context, a);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_exp(ptr context, ptr a)} */
    private static final MethodHandle EXP =
            bind("ggml_exp", returns(C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment exp(MemorySegment context, MemorySegment a) {
        try {
            return (MemorySegment) EXP.invokeExact(context, a);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_tanh(ptr context, ptr a)} */
    private static final MethodHandle TANH =
            bind("ggml_tanh", returns(C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment tanh(MemorySegment context, MemorySegment a) {
        try {
            return (MemorySegment) TANH.invokeExact(context, a);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_neg(ptr context, ptr a)} */
    private static final MethodHandle NEG =
            bind("ggml_neg", returns(C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment neg(MemorySegment context, MemorySegment a) {
        try {
            return (MemorySegment) NEG.invokeExact(context, a);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_swiglu_split(ptr context, ptr a, ptr b)} */
    private static final MethodHandle SWIGLU_SPLIT =
            bind("ggml_swiglu_split", returns(C_POINTER, C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment swigluSplit(MemorySegment context, MemorySegment a, MemorySegment b) {
        try {
            return (MemorySegment) SWIGLU_SPLIT.invokeExact(context, a, b);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_geglu_split(ptr context, ptr a, ptr b)} */
    private static final MethodHandle GEGLU_SPLIT =
            bind("ggml_geglu_split", returns(C_POINTER, C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment gegluSplit(MemorySegment context, MemorySegment a, MemorySegment b) {
        try {
            return (MemorySegment) GEGLU_SPLIT.invokeExact(context, a, b);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_soft_max(ptr context, ptr a)} */
    private static final MethodHandle SOFT_MAX =
            bind("ggml_soft_max", returns(C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment softMax(MemorySegment context, MemorySegment a) {
        try {
            return (MemorySegment) SOFT_MAX.invokeExact(context, a);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_soft_max_ext(ptr context, ptr a, ptr mask, float scale, float maxBias)} */
    private static final MethodHandle SOFT_MAX_EXT =
            bind(
                    "ggml_soft_max_ext",
                    returns(C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_FLOAT, C_FLOAT));

    static MemorySegment softMaxExt(
            MemorySegment context,
            MemorySegment a,
            MemorySegment mask,
            float scale,
            float maxBias) {
        try {
            return (MemorySegment) SOFT_MAX_EXT.invokeExact(context, a, mask, scale, maxBias);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_sum_rows(ptr context, ptr a)} */
    private static final MethodHandle SUM_ROWS =
            bind("ggml_sum_rows", returns(C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment sumRows(MemorySegment context, MemorySegment a) {
        try {
            return (MemorySegment) SUM_ROWS.invokeExact(context, a);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_clamp(ptr context, ptr a, float min, float max)} */
    private static final MethodHandle CLAMP =
            bind("ggml_clamp", returns(C_POINTER, C_POINTER, C_POINTER, C_FLOAT, C_FLOAT));

    static MemorySegment clamp(MemorySegment context, MemorySegment a, float min, float max) {
        try {
            return (MemorySegment) CLAMP.invokeExact(context, a, min, max);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_argsort_top_k(ptr context, ptr a, int k)} */
    private static final MethodHandle ARGSORT_TOP_K =
            bind("ggml_argsort_top_k", returns(C_POINTER, C_POINTER, C_POINTER, C_INT));

    static MemorySegment argsortTopK(MemorySegment context, MemorySegment a, int k) {
        try {
            return (MemorySegment) ARGSORT_TOP_K.invokeExact(context, a, k);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_view_1d(ptr context, ptr a, i64 ne0, size offset)} */
    private static final MethodHandle VIEW_1D =
            bind("ggml_view_1d", returns(C_POINTER, C_POINTER, C_POINTER, C_INT64, C_SIZE_T));

    static MemorySegment view1d(MemorySegment context, MemorySegment a, long ne0, long offset) {
        try {
            return (MemorySegment) VIEW_1D.invokeExact(context, a, ne0, offset);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_view_2d(ptr context, ptr a, i64 ne0, i64 ne1, size nb1, size offset)} */
    private static final MethodHandle VIEW_2D =
            bind(
                    "ggml_view_2d",
                    returns(C_POINTER, C_POINTER, C_POINTER, C_INT64, C_INT64, C_SIZE_T, C_SIZE_T));

    static MemorySegment view2d(
            MemorySegment context, MemorySegment a, long ne0, long ne1, long nb1, long offset) {
        try {
            return (MemorySegment) VIEW_2D.invokeExact(context, a, ne0, ne1, nb1, offset);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /**
     * {@code ptr ggml_view_3d(ptr context, ptr a, i64 ne0, i64 ne1, i64 ne2, size nb1, size nb2,
     * size offset)}
     */
    private static final MethodHandle VIEW_3D =
            bind(
                    "ggml_view_3d",
                    returns(
                            C_POINTER, C_POINTER, C_POINTER, C_INT64, C_INT64, C_INT64, C_SIZE_T,
                            C_SIZE_T, C_SIZE_T));

    static MemorySegment view3d(
            MemorySegment context,
            MemorySegment a,
            long ne0,
            long ne1,
            long ne2,
            long nb1,
            long nb2,
            long offset) {
        try {
            return (MemorySegment) VIEW_3D.invokeExact(context, a, ne0, ne1, ne2, nb1, nb2, offset);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /**
     * {@code ptr ggml_view_4d(ptr context, ptr a, i64 ne0, i64 ne1, i64 ne2, i64 ne3, size nb1,
     * size nb2, size nb3, size offset)}
     */
    private static final MethodHandle VIEW_4D =
            bind(
                    "ggml_view_4d",
                    returns(
                            C_POINTER, C_POINTER, C_POINTER, C_INT64, C_INT64, C_INT64, C_INT64,
                            C_SIZE_T, C_SIZE_T, C_SIZE_T, C_SIZE_T));

    static MemorySegment view4d(
            MemorySegment context,
            MemorySegment a,
            long ne0,
            long ne1,
            long ne2,
            long ne3,
            long nb1,
            long nb2,
            long nb3,
            long offset) {
        try {
            return (MemorySegment)
                    VIEW_4D.invokeExact(context, a, ne0, ne1, ne2, ne3, nb1, nb2, nb3, offset);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_reshape_4d(ptr context, ptr a, i64 ne0, i64 ne1, i64 ne2, i64 ne3)} */
    private static final MethodHandle RESHAPE_4D =
            bind(
                    "ggml_reshape_4d",
                    returns(C_POINTER, C_POINTER, C_POINTER, C_INT64, C_INT64, C_INT64, C_INT64));

    static MemorySegment reshape4d(
            MemorySegment context, MemorySegment a, long ne0, long ne1, long ne2, long ne3) {
        try {
            return (MemorySegment) RESHAPE_4D.invokeExact(context, a, ne0, ne1, ne2, ne3);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_permute(ptr context, ptr a, int axis0, int axis1, int axis2, int axis3)} */
    private static final MethodHandle PERMUTE =
            bind(
                    "ggml_permute",
                    returns(C_POINTER, C_POINTER, C_POINTER, C_INT, C_INT, C_INT, C_INT));

    static MemorySegment permute(
            MemorySegment context, MemorySegment a, int axis0, int axis1, int axis2, int axis3) {
        try {
            return (MemorySegment) PERMUTE.invokeExact(context, a, axis0, axis1, axis2, axis3);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_transpose(ptr context, ptr a)} */
    private static final MethodHandle TRANSPOSE =
            bind("ggml_transpose", returns(C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment transpose(MemorySegment context, MemorySegment a) {
        try {
            return (MemorySegment) TRANSPOSE.invokeExact(context, a);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_ssm_conv(ptr context, ptr input, ptr kernel)} */
    private static final MethodHandle SSM_CONV =
            bind("ggml_ssm_conv", returns(C_POINTER, C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment ssmConv(MemorySegment context, MemorySegment input, MemorySegment kernel) {
        try {
            return (MemorySegment) SSM_CONV.invokeExact(context, input, kernel);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /**
     * {@code ptr ggml_gated_delta_net(ptr context, ptr q, ptr k, ptr v, ptr g, ptr beta, ptr state,
     * i64 snapshots)}
     */
    private static final MethodHandle GATED_DELTA_NET =
            bind(
                    "ggml_gated_delta_net",
                    returns(
                            C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_POINTER,
                            C_POINTER, C_POINTER, C_INT64));

    static MemorySegment gatedDeltaNet(
            MemorySegment context,
            MemorySegment q,
            MemorySegment k,
            MemorySegment v,
            MemorySegment g,
            MemorySegment beta,
            MemorySegment state,
            long snapshots) {
        try {
            return (MemorySegment)
                    GATED_DELTA_NET.invokeExact(context, q, k, v, g, beta, state, snapshots);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /**
     * {@code ptr ggml_rope_ext(ptr context, ptr a, ptr positions, ptr factors, int dims, int mode,
     * int originalContext, float freqBase, float freqScale, float extFactor, float attnFactor,
     * float betaFast, float betaSlow)}
     */
    private static final MethodHandle ROPE_EXT =
            bind(
                    "ggml_rope_ext",
                    returns(
                            C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_INT, C_INT,
                            C_INT, C_FLOAT, C_FLOAT, C_FLOAT, C_FLOAT, C_FLOAT, C_FLOAT));

    static MemorySegment ropeExt(
            MemorySegment context,
            MemorySegment a,
            MemorySegment positions,
            MemorySegment factors,
            int dims,
            int mode,
            int originalContext,
            float freqBase,
            float freqScale,
            float extFactor,
            float attnFactor,
            float betaFast,
            float betaSlow) {
        try {
            return (MemorySegment)
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
                            betaSlow);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /**
     * {@code ptr ggml_rope_multi(ptr context, ptr a, ptr positions, ptr factors, int dims, ptr
     * sections, int mode, int originalContext, float freqBase, float freqScale, float extFactor,
     * float attnFactor, float betaFast, float betaSlow)}
     */
    private static final MethodHandle ROPE_MULTI =
            bind(
                    "ggml_rope_multi",
                    returns(
                            C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_INT, C_POINTER,
                            C_INT, C_INT, C_FLOAT, C_FLOAT, C_FLOAT, C_FLOAT, C_FLOAT, C_FLOAT));

    static MemorySegment ropeMulti(
            MemorySegment context,
            MemorySegment a,
            MemorySegment positions,
            MemorySegment factors,
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
        try {
            return (MemorySegment)
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
                            betaSlow);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /**
     * {@code ptr ggml_flash_attn_ext(ptr context, ptr q, ptr k, ptr v, ptr mask, float scale, float
     * maxBias, float softcap)}
     */
    private static final MethodHandle FLASH_ATTN_EXT =
            bind(
                    "ggml_flash_attn_ext",
                    returns(
                            C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_POINTER, C_POINTER,
                            C_FLOAT, C_FLOAT, C_FLOAT));

    static MemorySegment flashAttnExt(
            MemorySegment context,
            MemorySegment q,
            MemorySegment k,
            MemorySegment v,
            MemorySegment mask,
            float scale,
            float maxBias,
            float softcap) {
        try {
            return (MemorySegment)
                    FLASH_ATTN_EXT.invokeExact(context, q, k, v, mask, scale, maxBias, softcap);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code void ggml_prec_set_acc(ptr node, int precision)} */
    private static final MethodHandle PREC_SET_ACC =
            bind("ggml_prec_set_acc", returnsNothing(C_POINTER, C_INT));

    static void precSetAcc(MemorySegment node, int precision) {
        try {
            PREC_SET_ACC.invokeExact(node, precision);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_argmax(ptr context, ptr a)} */
    private static final MethodHandle ARGMAX =
            bind("ggml_argmax", returns(C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment argmax(MemorySegment context, MemorySegment a) {
        try {
            return (MemorySegment) ARGMAX.invokeExact(context, a);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_pad(ptr context, ptr a, int p0, int p1, int p2, int p3)} */
    private static final MethodHandle PAD =
            bind("ggml_pad", returns(C_POINTER, C_POINTER, C_POINTER, C_INT, C_INT, C_INT, C_INT));

    static MemorySegment pad(
            MemorySegment context, MemorySegment a, int p0, int p1, int p2, int p3) {
        try {
            return (MemorySegment) PAD.invokeExact(context, a, p0, p1, p2, p3);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_repeat_4d(ptr context, ptr a, i64 ne0, i64 ne1, i64 ne2, i64 ne3)} */
    private static final MethodHandle REPEAT_4D =
            bind(
                    "ggml_repeat_4d",
                    returns(C_POINTER, C_POINTER, C_POINTER, C_INT64, C_INT64, C_INT64, C_INT64));

    static MemorySegment repeat4d(
            MemorySegment context, MemorySegment a, long ne0, long ne1, long ne2, long ne3) {
        try {
            return (MemorySegment) REPEAT_4D.invokeExact(context, a, ne0, ne1, ne2, ne3);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    private OpsApi() {}
}
