package dev.varve.testkit;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * The structs that libllama v0.5.0 passes by value. No header is published with the library, so
 * {@link #check} compares the library's own defaults with what they must be at these offsets before
 * any struct is passed.
 */
final class LlamaLayouts {
    static final StructLayout MODEL_PARAMS =
            MemoryLayout.structLayout(
                    ADDRESS.withName("devices"),
                    ADDRESS.withName("tensor_buft_overrides"),
                    JAVA_INT.withName("n_gpu_layers"),
                    JAVA_INT.withName("split_mode"),
                    JAVA_INT.withName("load_mode"),
                    JAVA_INT.withName("lazy_mode"),
                    JAVA_INT.withName("main_gpu"),
                    MemoryLayout.paddingLayout(4),
                    ADDRESS.withName("tensor_split"),
                    ADDRESS.withName("progress_callback"),
                    ADDRESS.withName("progress_callback_user_data"),
                    ADDRESS.withName("kv_overrides"),
                    JAVA_BOOLEAN.withName("vocab_only"),
                    JAVA_BOOLEAN.withName("check_tensors"),
                    JAVA_BOOLEAN.withName("use_extra_bufts"),
                    JAVA_BOOLEAN.withName("no_host"),
                    JAVA_BOOLEAN.withName("no_alloc"),
                    JAVA_BOOLEAN.withName("load_mtp"),
                    MemoryLayout.paddingLayout(2));

    static final StructLayout CONTEXT_PARAMS =
            MemoryLayout.structLayout(
                    JAVA_INT.withName("n_ctx"),
                    JAVA_INT.withName("n_batch"),
                    JAVA_INT.withName("n_ubatch"),
                    JAVA_INT.withName("n_seq_max"),
                    JAVA_INT.withName("n_rs_seq"),
                    JAVA_INT.withName("n_outputs_max"),
                    JAVA_INT.withName("n_outputs_max_per_seq"),
                    JAVA_INT.withName("n_threads"),
                    JAVA_INT.withName("n_threads_batch"),
                    JAVA_INT.withName("ctx_type"),
                    JAVA_INT.withName("rope_scaling_type"),
                    JAVA_INT.withName("pooling_type"),
                    JAVA_INT.withName("attention_type"),
                    JAVA_INT.withName("flash_attn_type"),
                    JAVA_FLOAT.withName("rope_freq_base"),
                    JAVA_FLOAT.withName("rope_freq_scale"),
                    JAVA_FLOAT.withName("yarn_ext_factor"),
                    JAVA_FLOAT.withName("yarn_attn_factor"),
                    JAVA_FLOAT.withName("yarn_beta_fast"),
                    JAVA_FLOAT.withName("yarn_beta_slow"),
                    JAVA_INT.withName("yarn_orig_ctx"),
                    JAVA_FLOAT.withName("defrag_thold"),
                    ADDRESS.withName("cb_eval"),
                    ADDRESS.withName("cb_eval_user_data"),
                    JAVA_INT.withName("type_k"),
                    JAVA_INT.withName("type_v"),
                    ADDRESS.withName("abort_callback"),
                    ADDRESS.withName("abort_callback_data"),
                    JAVA_BOOLEAN.withName("embeddings"),
                    JAVA_BOOLEAN.withName("offload_kqv"),
                    JAVA_BOOLEAN.withName("no_perf"),
                    JAVA_BOOLEAN.withName("op_offload"),
                    JAVA_BOOLEAN.withName("swa_full"),
                    JAVA_BOOLEAN.withName("kv_unified"),
                    MemoryLayout.paddingLayout(2),
                    ADDRESS.withName("samplers"),
                    JAVA_LONG.withName("n_samplers"),
                    ADDRESS.withName("ctx_other"));

    static final StructLayout BATCH =
            MemoryLayout.structLayout(
                    JAVA_INT.withName("n_tokens"),
                    MemoryLayout.paddingLayout(4),
                    ADDRESS.withName("token"),
                    ADDRESS.withName("embd"),
                    ADDRESS.withName("pos"),
                    ADDRESS.withName("n_seq_id"),
                    ADDRESS.withName("seq_id"),
                    ADDRESS.withName("logits"));

    private LlamaLayouts() {}

    static void setInt(MemorySegment struct, StructLayout layout, String field, int value) {
        struct.set(JAVA_INT, offset(layout, field), value);
    }

    static void setBoolean(MemorySegment struct, StructLayout layout, String field, boolean value) {
        struct.set(JAVA_BOOLEAN, offset(layout, field), value);
    }

    static void setAddress(
            MemorySegment struct, StructLayout layout, String field, MemorySegment value) {
        struct.set(ADDRESS, offset(layout, field), value);
    }

    /**
     * Compares both sets of defaults with the known ones.
     *
     * @throws IllegalStateException naming the first field that is at another offset
     */
    static void check(MemorySegment model, MemorySegment context) {
        expectInt(model, MODEL_PARAMS, "n_gpu_layers", -1);
        expectInt(model, MODEL_PARAMS, "split_mode", 1);
        expectInt(model, MODEL_PARAMS, "load_mode", -1);
        expectInt(model, MODEL_PARAMS, "main_gpu", 0);
        expectBoolean(model, MODEL_PARAMS, "vocab_only", false);
        expectBoolean(model, MODEL_PARAMS, "use_extra_bufts", true);
        expectBoolean(model, MODEL_PARAMS, "no_host", false);
        expectInt(context, CONTEXT_PARAMS, "n_ctx", 512);
        expectInt(context, CONTEXT_PARAMS, "n_batch", 2048);
        expectInt(context, CONTEXT_PARAMS, "n_ubatch", 512);
        expectInt(context, CONTEXT_PARAMS, "n_seq_max", 1);
        expectInt(context, CONTEXT_PARAMS, "n_threads", 4);
        expectInt(context, CONTEXT_PARAMS, "n_threads_batch", 4);
        expectInt(context, CONTEXT_PARAMS, "flash_attn_type", -1);
        expectInt(context, CONTEXT_PARAMS, "yarn_beta_fast", Float.floatToIntBits(-1f));
        expectInt(context, CONTEXT_PARAMS, "defrag_thold", Float.floatToIntBits(-1f));
        expectInt(context, CONTEXT_PARAMS, "type_k", 1);
        expectInt(context, CONTEXT_PARAMS, "type_v", 1);
        expectBoolean(context, CONTEXT_PARAMS, "embeddings", false);
        expectBoolean(context, CONTEXT_PARAMS, "offload_kqv", true);
        expectBoolean(context, CONTEXT_PARAMS, "op_offload", true);
        expectBoolean(context, CONTEXT_PARAMS, "swa_full", true);
        expectBoolean(context, CONTEXT_PARAMS, "kv_unified", false);
    }

    private static void expectInt(
            MemorySegment struct, StructLayout layout, String field, int expected) {
        int found = struct.get(JAVA_INT, offset(layout, field));
        if (found != expected) {
            throw new IllegalStateException(
                    "libllama: default of "
                            + field
                            + ": expected "
                            + expected
                            + ", found "
                            + found);
        }
    }

    private static void expectBoolean(
            MemorySegment struct, StructLayout layout, String field, boolean expected) {
        byte found = struct.get(JAVA_BYTE, offset(layout, field));
        if (found != (expected ? 1 : 0)) {
            throw new IllegalStateException(
                    "libllama: default of "
                            + field
                            + ": expected "
                            + expected
                            + ", found "
                            + found);
        }
    }

    private static long offset(StructLayout layout, String field) {
        return layout.byteOffset(PathElement.groupElement(field));
    }
}
