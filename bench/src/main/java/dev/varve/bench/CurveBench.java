package dev.varve.bench;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SequenceLimits;
import dev.varve.plugin.cpu.CpuBackendProvider;
import dev.varve.testkit.Oracle;
import dev.varve.testkit.OracleOptions;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;

/**
 * Measures tokens per second of 1 to 32 simultaneous requests, prompts included, against the sum of
 * libllama's times for the prompts one after the other and for decoding all sequences together.
 *
 * <pre>
 * CurveBench [--model FILE] [--family qwen35] [--folder DIR] [--pairs 9] [--threads 2] [-p 64] [-n 64] [--most 32]
 * </pre>
 */
public final class CurveBench {
    private static final PrintStream OUT = System.out;
    private static final long SETTLE_MILLIS = 400;

    private final Map<String, String> flags;
    private final int threads;
    private final int prompt;
    private final int decoded;
    private final Random random = new Random(11);

    private CurveBench(Map<String, String> flags) {
        this.flags = flags;
        threads = number("--threads", 2);
        prompt = number("-p", 64);
        decoded = number("-n", 64);
    }

    /** Runs the benchmark; exits with 1 if a ratio misses the rule. */
    public static void main(String... arguments) throws Exception {
        Map<String, String> flags = new HashMap<>();
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            flags.put(arguments[i], arguments[i + 1]);
        }
        System.exit(new CurveBench(flags).run() ? 0 : 1);
    }

    private int number(String flag, int fallback) {
        return Integer.parseInt(flags.getOrDefault(flag, Integer.toString(fallback)));
    }

    private boolean run() throws Exception {
        Path file = BenchModels.write(flags);
        boolean holds = true;
        for (int clients = 1; clients <= number("--most", 32); clients *= 2) {
            Ratio ratio = compare(file, clients);
            OUT.println(ratio.describe());
            holds &= ratio.holds();
        }
        return holds;
    }

    private Ratio compare(Path file, int clients) throws Exception {
        Ratio ratio = new Ratio(clients + " clients");
        int context = prompt + decoded + 16;
        OracleOptions options =
                OracleOptions.defaults()
                        .withContext(clients * 256)
                        .withThreads(threads)
                        .withSequences(clients);
        try (ComputeDevice device = device();
                LoadedModel ours =
                        LoadedModel.load(
                                BenchPlugins.open(file),
                                device,
                                ModelSettings.of(SequenceLimits.of(context, clients)));
                Oracle oracle = Oracle.open(file, options)) {
            for (int pair = -1; pair < number("--pairs", 9); pair++) {
                Thread.sleep(SETTLE_MILLIS);
                double ourRate = together(ours, clients);
                Thread.sleep(SETTLE_MILLIS);
                double prefill = oracle.prefillTokensPerSecond(prompt);
                double decode = oracle.batchedDecode(clients, prompt, decoded);
                if (pair >= 0) {
                    ratio.add(ourRate, decoded / (prompt / prefill + decoded / decode));
                }
            }
        }
        return ratio;
    }

    /** New tokens of all requests per second, from the first request to the last token. */
    private double together(LoadedModel model, int clients) throws Exception {
        int vocabulary = model.adapter().shape().vocabularySize();
        List<Timed> all = new ArrayList<>();
        long begin = System.nanoTime();
        for (int client = 0; client < clients; client++) {
            all.add(
                    Timed.submit(
                            model.engine(),
                            random.ints(prompt, 0, vocabulary).toArray(),
                            random.ints(decoded, 0, vocabulary).toArray()));
        }
        for (Timed each : all) {
            each.end.get();
        }
        return clients * decoded * 1e9 / (System.nanoTime() - begin);
    }

    private ComputeDevice device() {
        Path natives = BenchPlugins.natives();
        return new CpuBackendProvider()
                .open(new BackendOptions(natives, Optional.of(natives), false))
                .open(0, new DeviceOptions(OptionalInt.of(threads), OptionalInt.empty(), false));
    }
}
