package dev.varve.bench;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.ggml.GgmlType;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.runtime.ComputeSettings;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SequenceLimits;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.plugin.cpu.CpuBackendProvider;
import dev.varve.testkit.Oracle;
import dev.varve.testkit.OracleOptions;
import dev.varve.testkit.TensorType;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;

/**
 * Measures prefill, decode and batched decode of a model, Varve's and libllama's in turn.
 *
 * <pre>
 * CompareBench [--help] [--model FILE] [--family qwen35] [--folder DIR] [--pairs 9] [--threads 2] [-p 512] [-n 128] [--depth 0] [--sequences 8] [--kv f16]
 * </pre>
 *
 * <p>Without {@code --model} a random model of the family in Q4_0 is written to {@code --folder}:
 * qwen3 in the real 0.6B shape, qwen35 in the real 0.8B shape, the others as released ones cut down
 * to 0.5 to 0.8 GB. {@code --depth} tokens are computed before the clock of decode starts. Varve's
 * figures come from the engine: sampling, bookkeeping and hand-over of each token are in them.
 */
public final class CompareBench {
    private static final PrintStream OUT = System.out;
    private static final long SETTLE_MILLIS = 400;
    private static final String USAGE =
            """
            usage: bench/run.sh [--model FILE] [--family qwen35] [--folder DIR] [--pairs 9] [--threads 2]
                [-p 512] [-n 128] [--depth 0] [--sequences 8] [--kv f16]

            Measures prefill, decode and batched decode of a model with Varve and libllama in turn.

              --model      model file; without it the benchmark writes a random model
              --family     family of the random model: qwen3, qwen35, qwen35moe, gemma4, gemma4moe, laguna,
                           llama, qwen3moe, gpt-oss or deepseek2
              --folder     folder for the random model
              --pairs      measurements of each side
              --threads    threads of each side
              -p           tokens of a prompt
              -n           generated tokens
              --depth      tokens that are computed before the clock of decode starts
              --sequences  sequences of batched decode; 1 for none
              --kv         element type of the KV cache
            """;

    private final Map<String, String> flags;
    private final int threads;
    private final int prompt;
    private final int decoded;
    private final int depth;
    private final int sequences;
    private final Random random = new Random(7);

    private CompareBench(Map<String, String> flags) {
        this.flags = flags;
        threads = number("--threads", 2);
        prompt = number("-p", 512);
        decoded = number("-n", 128);
        depth = number("--depth", 0);
        sequences = number("--sequences", 8);
    }

    /** Runs the benchmark, or prints the usage; exits with 1 if a ratio misses the rule. */
    public static void main(String... arguments) throws Exception {
        if (List.of(arguments).contains("--help")) {
            OUT.print(USAGE);
            return;
        }
        Map<String, String> flags = new HashMap<>();
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            flags.put(arguments[i], arguments[i + 1]);
        }
        System.exit(new CompareBench(flags).run() ? 0 : 1);
    }

    private int number(String flag, int fallback) {
        return Integer.parseInt(flags.getOrDefault(flag, Integer.toString(fallback)));
    }

    private boolean run() throws Exception {
        Path file = BenchModels.write(flags);
        GgmlType type = GgmlType.parse(flags.getOrDefault("--kv", "f16")).orElseThrow();
        Path natives = BenchPlugins.natives();
        int context = Math.max(prompt + 16, depth + 2 * decoded + 64);
        ModelSettings settings =
                ModelSettings.of(SequenceLimits.of(context, Math.max(1, sequences)))
                        .with(ComputeSettings.defaults().with(new CacheTypes(type, type)));
        OracleOptions options =
                OracleOptions.defaults()
                        .withContext(context)
                        .withThreads(threads)
                        .withCache(TensorType.valueOf(type.name()));
        Ratio prefill = new Ratio("prefill " + prompt);
        Ratio decode = new Ratio("decode " + decoded + (depth > 0 ? " at " + depth : ""));
        Ratio batched = new Ratio("decode x " + sequences);
        List<Double> overheads = new ArrayList<>();
        try (TimedDevice device = device(natives);
                LoadedModel ours = load(file, device, settings);
                Oracle oracle = Oracle.open(file, options)) {
            int vocabulary = ours.adapter().shape().vocabularySize();
            for (int pair = -1; pair < number("--pairs", 9); pair++) {
                settle();
                double ourPrefill =
                        ask(ours.engine(), prompt, 1, vocabulary).prefillTokensPerSecond();
                settle();
                double theirPrefill = oracle.prefillTokensPerSecond(prompt);
                settle();
                double theirDecode = oracle.batchedDecode(1, depth, decoded);
                settle();
                long inside = device.decodeNanos();
                int[] forced = oracle.benchmarkTokens(depth + decoded + 1);
                GenerationEnd end =
                        Timed.submit(
                                        ours.engine(),
                                        Arrays.copyOf(forced, depth + 1),
                                        Arrays.copyOfRange(forced, depth + 1, forced.length))
                                .end
                                .get();
                double ourDecode = end.decodeTokensPerSecond();
                inside = device.decodeNanos() - inside;
                if (pair >= 0) {
                    overheads.add(end.times().decodeMillis() * 1e6 / inside - 1);
                    prefill.add(ourPrefill, theirPrefill);
                    decode.add(ourDecode, theirDecode);
                }
            }
        }
        OUT.println(prefill.describe());
        OUT.println(decode.describe());
        Collections.sort(overheads);
        OUT.printf(
                Locale.ROOT,
                "time of a decode step beside ggml's compute: %.2f %% (median of %d runs)%n",
                100 * overheads.get(overheads.size() / 2),
                overheads.size());
        boolean holds = prefill.holds() && decode.holds();
        if (sequences > 1) {
            compareBatched(
                    file,
                    natives,
                    settings,
                    options.withContext(sequences * 256).withSequences(sequences),
                    batched);
            OUT.println(batched.describe());
            holds &= batched.holds();
        }
        return holds;
    }

    private void compareBatched(
            Path file, Path natives, ModelSettings settings, OracleOptions options, Ratio batched)
            throws Exception {
        try (TimedDevice device = device(natives);
                LoadedModel ours = load(file, device, settings);
                Oracle oracle = Oracle.open(file, options)) {
            int vocabulary = ours.adapter().shape().vocabularySize();
            for (int pair = -1; pair < number("--pairs", 9); pair++) {
                settle();
                double ourRate =
                        Timed.together(
                                ours.engine(),
                                oracle.benchmarkTokens(128 + 2 * sequences),
                                sequences,
                                vocabulary);
                settle();
                double theirRate = oracle.batchedDecode(sequences, 64, 64);
                if (pair >= 0) {
                    batched.add(ourRate, theirRate);
                }
            }
        }
    }

    /**
     * A worker thread continues to spin for a while after its last graph. It takes a core that the
     * other side needs.
     */
    private static void settle() throws InterruptedException {
        Thread.sleep(SETTLE_MILLIS);
    }

    private TimedDevice device(Path natives) {
        return new TimedDevice(
                new CpuBackendProvider()
                        .open(new BackendOptions(natives, Optional.of(natives), false))
                        .open(
                                0,
                                new DeviceOptions(
                                        OptionalInt.of(threads), OptionalInt.empty(), false)));
    }

    private static LoadedModel load(Path file, TimedDevice device, ModelSettings settings) {
        return LoadedModel.load(BenchPlugins.open(file), device, settings);
    }

    private GenerationEnd ask(Engine engine, int promptTokens, int count, int vocabulary)
            throws Exception {
        return submit(engine, promptTokens, count, vocabulary).end.get();
    }

    private Timed submit(Engine engine, int promptTokens, int count, int vocabulary) {
        int[] tokens = random.ints(promptTokens, 0, vocabulary).toArray();
        return Timed.greedy(engine, tokens, count);
    }
}
