package dev.varve.bench;

import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.host.DeviceSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.ShardProcessSettings;
import dev.varve.platform.remote.BoundaryType;
import dev.varve.platform.runtime.ModelSettings;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/**
 * Measures the cost of a split: the speed of a model on several shards against the same model in
 * one piece, in pairs next to each other.
 *
 * <pre>
 * SplitBench [--model FILE] [--family qwen35] [--folder DIR] [--devices cpu:0,cpu:0@process]
 *            [--launcher dist/target/varve/bin/varve] [--threads 2] [-p 512] [-n 128] [--pairs 9]
 *            [--against cpu:0] [--against-launcher dist/target/varve/bin/varve]
 * </pre>
 *
 * <p>A launcher may be a script that pins the processes that it starts to cores, with {@code
 * taskset} for example.
 */
public final class SplitBench {
    private static final long SETTLE_MILLIS = 400;
    private static final long REHEARSAL_MILLIS = 3000;
    private static final PrintStream OUT = System.out;

    private final Map<String, String> flags;
    private final Random random = new Random(5);

    private SplitBench(Map<String, String> flags) {
        this.flags = flags;
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        Map<String, String> flags = new HashMap<>();
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            flags.put(arguments[i], arguments[i + 1]);
        }
        new SplitBench(flags).run();
        System.exit(0);
    }

    private void run() throws Exception {
        Path file = BenchModels.write(flags);
        int prompt = Integer.parseInt(flags.getOrDefault("-p", "512"));
        int decoded = Integer.parseInt(flags.getOrDefault("-n", "128"));
        ModelSettings settings = ModelSettings.single(Math.max(prompt, decoded) + 64);
        String devices = flags.getOrDefault("--devices", "cpu:0,cpu:0");
        String against = flags.getOrDefault("--against", "cpu:0");
        String launcher = flags.getOrDefault("--launcher", "dist/target/varve/bin/varve");
        Ratio prefill = new Ratio("prefill " + prompt);
        Ratio decode = new Ratio("decode " + decoded);
        try (HostedModel whole =
                        load(
                                file,
                                settings,
                                against,
                                flags.getOrDefault("--against-launcher", launcher));
                HostedModel split = load(file, settings, devices, launcher)) {
            int vocabulary = whole.vocabularySize();
            // As in a server that has just started: engines warm up until the first request.
            whole.engine();
            split.engine();
            Thread.sleep(REHEARSAL_MILLIS);
            for (int pair = -1;
                    pair < Integer.parseInt(flags.getOrDefault("--pairs", "9"));
                    pair++) {
                GenerationEnd one = ask(whole, prompt, 1, vocabulary);
                GenerationEnd other = ask(split, prompt, 1, vocabulary);
                GenerationEnd oneDecode = ask(whole, 1, decoded, vocabulary);
                GenerationEnd otherDecode = ask(split, 1, decoded, vocabulary);
                if (pair >= 0) {
                    prefill.add(other.prefillTokensPerSecond(), one.prefillTokensPerSecond());
                    decode.add(
                            otherDecode.decodeTokensPerSecond(), oneDecode.decodeTokensPerSecond());
                }
            }
            split.shards().forEach(OUT::println);
        }
        OUT.println(devices + " against " + against + " (in the place of libllama)");
        OUT.println(prefill.describe());
        OUT.println(decode.describe());
    }

    private GenerationEnd ask(HostedModel loaded, int prompt, int count, int vocabulary)
            throws Exception {
        Thread.sleep(SETTLE_MILLIS);
        int[] tokens = random.ints(prompt, 0, vocabulary).toArray();
        return Timed.greedy(loaded.engine(), tokens, count).end.get();
    }

    private HostedModel load(Path file, ModelSettings settings, String devices, String launcher) {
        int threads = Integer.parseInt(flags.getOrDefault("--threads", "2"));
        BoundaryType boundary = BoundaryType.valueOf(flags.getOrDefault("--boundary", "F32"));
        return HostedModel.open(
                new HostSettings(
                                file,
                                settings,
                                DeviceSettings.best().withThreads(threads),
                                BenchPlugins.settings(file),
                                ShardProcessSettings.launchedBy(Path.of(launcher)).with(boundary))
                        .onDevices(devices));
    }
}
