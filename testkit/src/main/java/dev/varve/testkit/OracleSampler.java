package dev.varve.testkit;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.TreeMap;

/**
 * One sampler of libllama. Applied to candidates it keeps some of them, or changes their logits; a
 * list of samplers is applied one after the other.
 *
 * <p>Owns native memory; {@link #close} frees it. For one thread at a time.
 */
@SuppressWarnings("restricted")
public final class OracleSampler implements AutoCloseable {
    /** {@code struct llama_token_data}: id, logit, probability. */
    private static final long TOKEN_BYTES = 12;

    /** {@code struct llama_token_data_array}: data, size, selected, sorted. */
    private static final long ARRAY_BYTES = 32;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment sampler;

    private OracleSampler(MemorySegment sampler) {
        this.sampler = sampler;
    }

    /** Keeps the {@code count} highest logits. */
    public static OracleSampler topK(int count) {
        Oracle.load();
        return new OracleSampler(LlamaApi.topK(count));
    }

    /** Keeps the fewest likely tokens whose probabilities reach {@code p}. */
    public static OracleSampler topP(float p) {
        Oracle.load();
        return new OracleSampler(LlamaApi.ofProbability("llama_sampler_init_top_p", p));
    }

    /** Keeps tokens with at least {@code p} of the highest probability. */
    public static OracleSampler minP(float p) {
        Oracle.load();
        return new OracleSampler(LlamaApi.ofProbability("llama_sampler_init_min_p", p));
    }

    /** Keeps tokens of typical surprise until their probabilities exceed {@code p}. */
    public static OracleSampler typical(float p) {
        Oracle.load();
        return new OracleSampler(LlamaApi.ofProbability("llama_sampler_init_typical", p));
    }

    /** Keeps tokens within {@code n} standard deviations of the highest logit. */
    public static OracleSampler topNSigma(float n) {
        Oracle.load();
        return new OracleSampler(LlamaApi.ofNumber("llama_sampler_init_top_n_sigma", n));
    }

    /** Divides the logits by a temperature. */
    public static OracleSampler temperature(float temperature) {
        Oracle.load();
        return new OracleSampler(LlamaApi.ofNumber("llama_sampler_init_temp", temperature));
    }

    /** Always drops the tokens with at least this probability, except the least likely one. */
    public static OracleSampler xtc(float threshold) {
        Oracle.load();
        return new OracleSampler(LlamaApi.xtc(1, threshold));
    }

    /** Mirostat of a version, 1 or 2, with a seed for its draws. */
    public static OracleSampler mirostat(int version, int vocabulary, float tau, float eta) {
        Oracle.load();
        return new OracleSampler(
                version == 1
                        ? LlamaApi.mirostat(vocabulary, 1, tau, eta)
                        : LlamaApi.mirostat2(1, tau, eta));
    }

    /** Penalises tokens that would continue a repetition; a model's vocabulary has the breakers. */
    public static OracleSampler dry(
            Oracle model,
            float multiplier,
            float base,
            int allowedLength,
            int lastTokens,
            List<String> breakers) {
        return new OracleSampler(
                LlamaApi.dry(
                        model.vocabulary(), multiplier, base, allowedLength, lastTokens, breakers));
    }

    /** Penalises tokens among the last {@code count}. */
    public static OracleSampler penalties(
            int count, float repeat, float frequency, float presence) {
        Oracle.load();
        return new OracleSampler(LlamaApi.penalties(count, repeat, frequency, presence));
    }

    /** Adds a token to the history. */
    public void accept(int token) {
        LlamaApi.acceptToken(sampler, token);
    }

    /** Tokens with their logits, and the token that a sampler selected, or -1. */
    public record Result(TreeMap<Integer, Float> logits, int selected) {}

    /** Applies the sampler to candidates. */
    public Result apply(TreeMap<Integer, Float> candidates) {
        MemorySegment data = arena.allocate(TOKEN_BYTES * candidates.size(), 8);
        long at = 0;
        for (var candidate : candidates.entrySet()) {
            data.set(JAVA_INT, at, candidate.getKey());
            data.set(JAVA_FLOAT, at + 4, candidate.getValue());
            at += TOKEN_BYTES;
        }
        MemorySegment array = arena.allocate(ARRAY_BYTES, 8);
        array.set(ADDRESS, 0, data);
        array.set(JAVA_LONG, 8, candidates.size());
        array.set(JAVA_LONG, 16, -1);
        LlamaApi.applySampler(sampler, array);
        int size = Math.toIntExact(array.get(JAVA_LONG, 8));
        MemorySegment kept = array.get(ADDRESS, 0).reinterpret(TOKEN_BYTES * candidates.size());
        TreeMap<Integer, Float> result = new TreeMap<>();
        for (int i = 0; i < size; i++) {
            float logit = kept.get(JAVA_FLOAT, TOKEN_BYTES * i + 4);
            // Some samplers keep the tokens that they drop, without probability.
            if (logit != Float.NEGATIVE_INFINITY) {
                result.put(kept.get(JAVA_INT, TOKEN_BYTES * i), logit);
            }
        }
        long selected = array.get(JAVA_LONG, 16);
        return new Result(result, selected < 0 ? -1 : kept.get(JAVA_INT, TOKEN_BYTES * selected));
    }

    @Override
    public void close() {
        LlamaApi.freeSampler(sampler);
        arena.close();
    }
}
