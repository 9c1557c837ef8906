package dev.varve.testkit;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.List;

/** The functions of libllama that the oracle uses, under their C names. */
final class LlamaApi {
    private static final SymbolLookup LLAMA = NativeFolder.open("libllama.v0.5.0.so");

    /** {@code struct llama_model_params llama_model_default_params(void)} */
    private static final MethodHandle MODEL_DEFAULT_PARAMS =
            bind("llama_model_default_params", LlamaLayouts.MODEL_PARAMS);

    /** {@code struct llama_context_params llama_context_default_params(void)} */
    private static final MethodHandle CONTEXT_DEFAULT_PARAMS =
            bind("llama_context_default_params", LlamaLayouts.CONTEXT_PARAMS);

    /** {@code void llama_log_set(ggml_log_callback log_callback, void * user_data)} */
    private static final MethodHandle LOG_SET = bindVoid("llama_log_set", ADDRESS, ADDRESS);

    /**
     * {@code struct llama_model * llama_model_load_from_file(const char * path, struct
     * llama_model_params params)}
     */
    private static final MethodHandle MODEL_LOAD =
            bind("llama_model_load_from_file", ADDRESS, ADDRESS, LlamaLayouts.MODEL_PARAMS);

    /** {@code void llama_model_free(struct llama_model * model)} */
    private static final MethodHandle MODEL_FREE = bindVoid("llama_model_free", ADDRESS);

    /**
     * {@code const struct llama_vocab * llama_model_get_vocab(const struct llama_model * model)}
     */
    private static final MethodHandle MODEL_GET_VOCAB =
            bind("llama_model_get_vocab", ADDRESS, ADDRESS);

    /** {@code int32_t llama_vocab_n_tokens(const struct llama_vocab * vocab)} */
    private static final MethodHandle VOCAB_TOKENS =
            bind("llama_vocab_n_tokens", JAVA_INT, ADDRESS);

    /**
     * {@code struct llama_context * llama_init_from_model(struct llama_model *, struct
     * llama_context_params)}
     */
    private static final MethodHandle INIT_FROM_MODEL =
            bind("llama_init_from_model", ADDRESS, ADDRESS, LlamaLayouts.CONTEXT_PARAMS);

    /** {@code void llama_free(struct llama_context * ctx)} */
    private static final MethodHandle FREE = bindVoid("llama_free", ADDRESS);

    /**
     * {@code void llama_attach_threadpool(struct llama_context *, ggml_threadpool_t,
     * ggml_threadpool_t batch)}
     */
    private static final MethodHandle ATTACH_THREADPOOL =
            bindVoid("llama_attach_threadpool", ADDRESS, ADDRESS, ADDRESS);

    /** {@code llama_memory_t llama_get_memory(const struct llama_context * ctx)} */
    private static final MethodHandle GET_MEMORY = bind("llama_get_memory", ADDRESS, ADDRESS);

    /** {@code void llama_memory_clear(llama_memory_t mem, bool data)} */
    private static final MethodHandle MEMORY_CLEAR =
            bindVoid("llama_memory_clear", ADDRESS, JAVA_BOOLEAN);

    /** {@code int32_t llama_decode(struct llama_context * ctx, struct llama_batch batch)} */
    private static final MethodHandle DECODE =
            bind("llama_decode", JAVA_INT, ADDRESS, LlamaLayouts.BATCH);

    /** {@code void llama_set_causal_attn(struct llama_context * ctx, bool causal_attn)} */
    private static final MethodHandle SET_CAUSAL =
            bindVoid("llama_set_causal_attn", ADDRESS, JAVA_BOOLEAN);

    /**
     * {@code void llama_set_embeddings_nextn(struct llama_context * ctx, bool on, bool masked)}, a
     * C++ function
     */
    private static final MethodHandle SET_STAGED =
            bindVoid(
                    "_Z26llama_set_embeddings_nextnP13llama_contextbb",
                    ADDRESS,
                    JAVA_BOOLEAN,
                    JAVA_BOOLEAN);

    /**
     * {@code float * llama_get_embeddings_nextn_ith(struct llama_context * ctx, int32_t i)}, a C++
     * function
     */
    private static final MethodHandle GET_STAGED =
            bind("_Z30llama_get_embeddings_nextn_ithP13llama_contexti", ADDRESS, ADDRESS, JAVA_INT);

    /** {@code void llama_synchronize(struct llama_context * ctx)} */
    private static final MethodHandle SYNCHRONIZE = bindVoid("llama_synchronize", ADDRESS);

    /** {@code float * llama_get_logits_ith(struct llama_context * ctx, int32_t i)} */
    private static final MethodHandle GET_LOGITS =
            bind("llama_get_logits_ith", ADDRESS, ADDRESS, JAVA_INT);

    /** {@code void llama_set_embeddings_nextn(struct llama_context *, bool on, bool masked)} */
    private static final MethodHandle SET_NEXTN =
            bindVoid(
                    "_Z26llama_set_embeddings_nextnP13llama_contextbb",
                    ADDRESS,
                    JAVA_BOOLEAN,
                    JAVA_BOOLEAN);

    /** {@code float * llama_get_embeddings_nextn_ith(struct llama_context * ctx, int32_t i)} */
    private static final MethodHandle GET_NEXTN =
            bind("_Z30llama_get_embeddings_nextn_ithP13llama_contexti", ADDRESS, ADDRESS, JAVA_INT);

    /**
     * {@code int32_t llama_tokenize(const struct llama_vocab *, const char * text, int32_t
     * text_len, llama_token * tokens, int32_t n_tokens_max, bool add_special, bool parse_special)}
     */
    private static final MethodHandle TOKENIZE =
            bind(
                    "llama_tokenize",
                    JAVA_INT,
                    ADDRESS,
                    ADDRESS,
                    JAVA_INT,
                    ADDRESS,
                    JAVA_INT,
                    JAVA_BOOLEAN,
                    JAVA_BOOLEAN);

    /**
     * {@code int32_t llama_token_to_piece(const struct llama_vocab *, llama_token, char * buf,
     * int32_t length, int32_t lstrip, bool special)}
     */
    private static final MethodHandle TOKEN_TO_PIECE =
            bind(
                    "llama_token_to_piece",
                    JAVA_INT,
                    ADDRESS,
                    JAVA_INT,
                    ADDRESS,
                    JAVA_INT,
                    JAVA_INT,
                    JAVA_BOOLEAN);

    /** {@code bool llama_vocab_is_eog(const struct llama_vocab * vocab, llama_token token)} */
    private static final MethodHandle VOCAB_IS_EOG =
            bind("llama_vocab_is_eog", JAVA_BOOLEAN, ADDRESS, JAVA_INT);

    /** {@code bool llama_vocab_get_add_bos(const struct llama_vocab * vocab)} */
    private static final MethodHandle VOCAB_ADDS_BOS =
            bind("llama_vocab_get_add_bos", JAVA_BOOLEAN, ADDRESS);

    /**
     * {@code struct llama_adapter_lora * llama_adapter_lora_init(struct llama_model * model, const
     * char * path_lora)}
     */
    private static final MethodHandle ADAPTER_INIT =
            bind("llama_adapter_lora_init", ADDRESS, ADDRESS, ADDRESS);

    /**
     * {@code int32_t llama_set_adapters_lora(struct llama_context * ctx, struct llama_adapter_lora
     * ** adapters, size_t n_adapters, float * scales)}
     */
    private static final MethodHandle SET_ADAPTERS =
            bind("llama_set_adapters_lora", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS);

    private LlamaApi() {}

    /** Loads an adapter, which the model owns. */
    static MemorySegment loadAdapter(MemorySegment model, MemorySegment path) {
        return (MemorySegment) call(() -> (MemorySegment) ADAPTER_INIT.invokeExact(model, path));
    }

    static int setAdapters(
            MemorySegment context, MemorySegment adapters, long count, MemorySegment scales) {
        return (int) call(() -> (int) SET_ADAPTERS.invokeExact(context, adapters, count, scales));
    }

    static MemorySegment modelDefaults(Arena arena) {
        return (MemorySegment)
                call(
                        () ->
                                (MemorySegment)
                                        MODEL_DEFAULT_PARAMS.invokeExact((SegmentAllocator) arena));
    }

    static MemorySegment contextDefaults(Arena arena) {
        return (MemorySegment)
                call(
                        () ->
                                (MemorySegment)
                                        CONTEXT_DEFAULT_PARAMS.invokeExact(
                                                (SegmentAllocator) arena));
    }

    static void logSet(MemorySegment callback) {
        run(
                () -> {
                    LOG_SET.invokeExact(callback, MemorySegment.NULL);
                });
    }

    static MemorySegment loadModel(MemorySegment path, MemorySegment params) {
        return (MemorySegment) call(() -> (MemorySegment) MODEL_LOAD.invokeExact(path, params));
    }

    static void freeModel(MemorySegment model) {
        run(
                () -> {
                    MODEL_FREE.invokeExact(model);
                });
    }

    static MemorySegment vocabulary(MemorySegment model) {
        return (MemorySegment) call(() -> (MemorySegment) MODEL_GET_VOCAB.invokeExact(model));
    }

    static int vocabularyTokens(MemorySegment vocabulary) {
        return (int) call(() -> (int) VOCAB_TOKENS.invokeExact(vocabulary));
    }

    static boolean endsGeneration(MemorySegment vocabulary, int token) {
        return (boolean) call(() -> (boolean) VOCAB_IS_EOG.invokeExact(vocabulary, token));
    }

    static boolean addsBos(MemorySegment vocabulary) {
        return (boolean) call(() -> (boolean) VOCAB_ADDS_BOS.invokeExact(vocabulary));
    }

    static MemorySegment newContext(MemorySegment model, MemorySegment params) {
        return (MemorySegment)
                call(() -> (MemorySegment) INIT_FROM_MODEL.invokeExact(model, params));
    }

    static void freeContext(MemorySegment context) {
        run(
                () -> {
                    FREE.invokeExact(context);
                });
    }

    static void attachThreadPool(MemorySegment context, MemorySegment pool) {
        run(
                () -> {
                    ATTACH_THREADPOOL.invokeExact(context, pool, pool);
                });
    }

    /** Forgets all sequences and zeroes their cells. */
    static void clear(MemorySegment context) {
        run(
                () -> {
                    MEMORY_CLEAR.invokeExact((MemorySegment) GET_MEMORY.invokeExact(context), true);
                });
    }

    static int decode(MemorySegment context, MemorySegment batch) {
        return (int) call(() -> (int) DECODE.invokeExact(context, batch));
    }

    static void setCausal(MemorySegment context, boolean causal) {
        run(
                () -> {
                    SET_CAUSAL.invokeExact(context, causal);
                });
    }

    /**
     * Makes a draft's context keep the values that its driver needs beside logits.
     *
     * @param masked whether for rows with logits only
     */
    static void stage(MemorySegment context, boolean masked) {
        run(
                () -> {
                    SET_STAGED.invokeExact(context, true, masked);
                });
    }

    static MemorySegment staged(MemorySegment context, int batchRow) {
        return (MemorySegment)
                call(() -> (MemorySegment) GET_STAGED.invokeExact(context, batchRow));
    }

    static void synchronize(MemorySegment context) {
        run(
                () -> {
                    SYNCHRONIZE.invokeExact(context);
                });
    }

    static MemorySegment logits(MemorySegment context, int batchRow) {
        return (MemorySegment)
                call(() -> (MemorySegment) GET_LOGITS.invokeExact(context, batchRow));
    }

    /** Makes a context for multi-token prediction keep its output of each token. */
    static void keepNextStates(MemorySegment context) {
        run(
                () -> {
                    SET_NEXTN.invokeExact(context, true, false);
                });
    }

    static MemorySegment nextState(MemorySegment context, int batchRow) {
        return (MemorySegment) call(() -> (MemorySegment) GET_NEXTN.invokeExact(context, batchRow));
    }

    static int tokenize(
            MemorySegment vocabulary,
            MemorySegment text,
            MemorySegment tokens,
            boolean addSpecial,
            boolean parseSpecial) {
        int textBytes = (int) text.byteSize();
        int capacity = (int) (tokens.byteSize() / Integer.BYTES);
        return (int)
                call(
                        () ->
                                (int)
                                        TOKENIZE.invokeExact(
                                                vocabulary,
                                                text,
                                                textBytes,
                                                tokens,
                                                capacity,
                                                addSpecial,
                                                parseSpecial));
    }

    static int piece(MemorySegment vocabulary, int token, MemorySegment buffer) {
        int capacity = (int) buffer.byteSize();
        return (int)
                call(
                        () ->
                                (int)
                                        TOKEN_TO_PIECE.invokeExact(
                                                vocabulary, token, buffer, capacity, 0, true));
    }

    /**
     * One of llama's own getters, such as {@code llama_n_ctx}, that take a context and return a
     * 32-bit number.
     */
    static int contextNumber(MemorySegment context, String function) {
        MethodHandle getter = bind(function, JAVA_INT, ADDRESS);
        return (int) call(() -> (int) getter.invokeExact(context));
    }

    /** {@code float * llama_get_embeddings_seq(struct llama_context * ctx, llama_seq_id seq_id)} */
    static MemorySegment sequenceEmbedding(MemorySegment context, int sequence) {
        MethodHandle getter = bind("llama_get_embeddings_seq", ADDRESS, ADDRESS, JAVA_INT);
        return (MemorySegment) call(() -> (MemorySegment) getter.invokeExact(context, sequence));
    }

    private interface NativeCall {
        Object invoke() throws Throwable;
    }

    private interface NativeRun {
        void invoke() throws Throwable;
    }

    private static Object call(NativeCall downcall) {
        try {
            return downcall.invoke();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("a downcall throws no checked exception", e);
        }
    }

    /**
     * The bodies are blocks, not expressions: javac gives an {@code invokeExact} expression the
     * result type Object.
     */
    private static void run(NativeRun downcall) {
        call(
                () -> {
                    downcall.invoke();
                    return "";
                });
    }

    /** {@code void llama_sampler_apply(struct llama_sampler *, llama_token_data_array *)} */
    static void applySampler(MemorySegment sampler, MemorySegment candidates) {
        MethodHandle apply = bindVoid("llama_sampler_apply", ADDRESS, ADDRESS);
        run(
                () -> {
                    apply.invokeExact(sampler, candidates);
                });
    }

    /** {@code void llama_sampler_accept(struct llama_sampler *, llama_token token)} */
    static void acceptToken(MemorySegment sampler, int token) {
        MethodHandle accept = bindVoid("llama_sampler_accept", ADDRESS, JAVA_INT);
        run(
                () -> {
                    accept.invokeExact(sampler, token);
                });
    }

    /** {@code void llama_sampler_free(struct llama_sampler *)} */
    static void freeSampler(MemorySegment sampler) {
        MethodHandle free = bindVoid("llama_sampler_free", ADDRESS);
        run(
                () -> {
                    free.invokeExact(sampler);
                });
    }

    /** {@code struct llama_sampler * llama_sampler_init_top_k(int32_t k)} */
    static MemorySegment topK(int count) {
        MethodHandle init = bind("llama_sampler_init_top_k", ADDRESS, JAVA_INT);
        return (MemorySegment) call(() -> (MemorySegment) init.invokeExact(count));
    }

    /** {@code struct llama_sampler * llama_sampler_init_...(float p, size_t min_keep)} */
    static MemorySegment ofProbability(String function, float p) {
        MethodHandle init = bind(function, ADDRESS, JAVA_FLOAT, JAVA_LONG);
        return (MemorySegment) call(() -> (MemorySegment) init.invokeExact(p, 0L));
    }

    /** {@code struct llama_sampler * llama_sampler_init_...(float number)} */
    static MemorySegment ofNumber(String function, float number) {
        MethodHandle init = bind(function, ADDRESS, JAVA_FLOAT);
        return (MemorySegment) call(() -> (MemorySegment) init.invokeExact(number));
    }

    /**
     * {@code struct llama_sampler * llama_sampler_init_xtc(float p, float t, size_t min_keep,
     * uint32_t seed)}
     */
    static MemorySegment xtc(float probability, float threshold) {
        MethodHandle init =
                bind(
                        "llama_sampler_init_xtc",
                        ADDRESS,
                        JAVA_FLOAT,
                        JAVA_FLOAT,
                        JAVA_LONG,
                        JAVA_INT);
        return (MemorySegment)
                call(() -> (MemorySegment) init.invokeExact(probability, threshold, 0L, 1));
    }

    /**
     * {@code struct llama_sampler * llama_sampler_init_mirostat(int32_t n_vocab, uint32_t seed,
     * float tau, float eta, int32_t m)}
     */
    static MemorySegment mirostat(int vocabulary, int seed, float tau, float eta) {
        MethodHandle init =
                bind(
                        "llama_sampler_init_mirostat",
                        ADDRESS,
                        JAVA_INT,
                        JAVA_INT,
                        JAVA_FLOAT,
                        JAVA_FLOAT,
                        JAVA_INT);
        return (MemorySegment)
                call(() -> (MemorySegment) init.invokeExact(vocabulary, seed, tau, eta, 100));
    }

    /**
     * {@code struct llama_sampler * llama_sampler_init_mirostat_v2(uint32_t seed, float tau, float
     * eta)}
     */
    static MemorySegment mirostat2(int seed, float tau, float eta) {
        MethodHandle init =
                bind("llama_sampler_init_mirostat_v2", ADDRESS, JAVA_INT, JAVA_FLOAT, JAVA_FLOAT);
        return (MemorySegment) call(() -> (MemorySegment) init.invokeExact(seed, tau, eta));
    }

    /**
     * {@code struct llama_sampler * llama_sampler_init_penalties(int32_t last_n, float repeat,
     * float freq, float present)}
     */
    static MemorySegment penalties(int count, float repeat, float frequency, float presence) {
        MethodHandle init =
                bind(
                        "llama_sampler_init_penalties",
                        ADDRESS,
                        JAVA_INT,
                        JAVA_FLOAT,
                        JAVA_FLOAT,
                        JAVA_FLOAT);
        return (MemorySegment)
                call(() -> (MemorySegment) init.invokeExact(count, repeat, frequency, presence));
    }

    /**
     * {@code struct llama_sampler * llama_sampler_init_dry(const struct llama_vocab *, float
     * multiplier, float base, int32_t allowed_length, int32_t penalty_last_n, const char **
     * seq_breakers, size_t num_breakers)}
     */
    static MemorySegment dry(
            MemorySegment vocabulary,
            float multiplier,
            float base,
            int allowedLength,
            int lastTokens,
            List<String> breakers) {
        MethodHandle init =
                bind(
                        "llama_sampler_init_dry",
                        ADDRESS,
                        ADDRESS,
                        JAVA_FLOAT,
                        JAVA_FLOAT,
                        JAVA_INT,
                        JAVA_INT,
                        ADDRESS,
                        JAVA_LONG);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment texts = arena.allocate(ADDRESS, breakers.size() + 1L);
            for (int i = 0; i < breakers.size(); i++) {
                texts.setAtIndex(ADDRESS, i, arena.allocateFrom(breakers.get(i)));
            }
            return (MemorySegment)
                    call(
                            () ->
                                    (MemorySegment)
                                            init.invokeExact(
                                                    vocabulary,
                                                    multiplier,
                                                    base,
                                                    allowedLength,
                                                    lastTokens,
                                                    texts,
                                                    (long) breakers.size()));
        }
    }

    private static MethodHandle bind(String name, MemoryLayout result, MemoryLayout... arguments) {
        return NativeFolder.bind(LLAMA, name, FunctionDescriptor.of(result, arguments));
    }

    private static MethodHandle bindVoid(String name, MemoryLayout... arguments) {
        return NativeFolder.bind(LLAMA, name, FunctionDescriptor.ofVoid(arguments));
    }
}
