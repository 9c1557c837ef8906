package dev.varve.platform.cli;

import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.host.HostedModel;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Measures prefill and decode. */
@Command(
        name = "bench",
        description = {
            "Measures prefill (pp) and decode (tg) in tokens per second; the median of several runs"
                    + " is reported.",
            "Every run gets other random tokens, so that no cache helps."
        },
        footer = "  varve bench --model model.gguf --threads 4 -p 512 -n 128 -r 5 --json")
final class BenchCommand extends CliCommand {
    /** Fixed, so that two runs of the command compute the same. */
    private static final long SEED = 20_261;

    @Mixin private ModelArguments model;

    @Option(
            names = {"-p", "--prompt-tokens"},
            paramLabel = "N",
            defaultValue = "512",
            description = "Tokens of a prefill; 0 skips it.",
            order = 2)
    private int promptTokens;

    @Option(
            names = {"-n", "--generated-tokens"},
            paramLabel = "N",
            defaultValue = "128",
            description = "Tokens of a decode; 0 skips it.",
            order = 3)
    private int generatedTokens;

    @Option(
            names = {"-r", "--repetitions"},
            paramLabel = "N",
            defaultValue = "5",
            description = "Runs of each; one more comes first and is not counted.",
            order = 4)
    private int repetitions;

    @Option(names = "--json", description = "Print one JSON object.", order = 5)
    private boolean json;

    @Override
    int run() throws InterruptedException {
        if (promptTokens < 0
                || generatedTokens < 0
                || repetitions < 1
                || promptTokens + generatedTokens == 0) {
            throw new UsageException(
                    "expected -p and -n of 0 or more, one of them above 0, and -r of 1 or more,"
                            + " found -p "
                            + promptTokens
                            + " -n "
                            + generatedTokens
                            + " -r "
                            + repetitions);
        }
        int context = Math.max(promptTokens, generatedTokens + 1) + 1;
        try (HostedModel runtime = open(model, model.settingsFor(context))) {
            Random random = new Random(SEED);
            double[] prefill = new double[promptTokens > 0 ? repetitions : 0];
            double[] decode = new double[generatedTokens > 0 ? repetitions : 0];
            for (int run = -1; run < repetitions; run++) {
                if (promptTokens > 0) {
                    double speed = run(runtime, random, promptTokens, 1).prefillTokensPerSecond();
                    record(prefill, run, speed);
                }
                if (generatedTokens > 0) {
                    // The first token belongs to prefill.
                    double speed =
                            run(runtime, random, 1, generatedTokens + 1).decodeTokensPerSecond();
                    record(decode, run, speed);
                }
            }
            report(runtime, prefill, decode);
        }
        return 0;
    }

    private static void record(double[] speeds, int run, double speed) {
        if (run >= 0) {
            speeds[run] = speed;
        }
    }

    private static GenerationEnd run(
            HostedModel runtime, Random random, int promptLength, int maxTokens)
            throws InterruptedException {
        int[] prompt = random.ints(promptLength, 0, runtime.vocabularySize()).toArray();
        BlockingQueue<GenerationEvent> events = new LinkedBlockingQueue<>();
        runtime.engine()
                .submit(GenerationRequest.greedy(prompt, maxTokens), GenerationEvent.into(events));
        while (true) {
            switch (events.take()) {
                case GenerationEvent.Prefill _, GenerationEvent.Token _ -> {}
                case GenerationEvent.End(GenerationEnd end) -> {
                    return end;
                }
                case GenerationEvent.Failure(var error) -> throw error;
            }
        }
    }

    private void report(HostedModel runtime, double[] prefill, double[] decode) {
        if (!json) {
            print("pp" + promptTokens, prefill);
            print("tg" + generatedTokens, decode);
            return;
        }
        ObjectNode result =
                Json.object()
                        .put("model", runtime.file().path().toString())
                        .put("architecture", runtime.file().architecture())
                        .put("threads", runtime.threads().orElse(0))
                        .put("prompt_tokens", promptTokens)
                        .put("generated_tokens", generatedTokens)
                        .put("repetitions", repetitions)
                        .put("load_ms", runtime.loadMillis());
        put(result, "pp", prefill);
        put(result, "tg", decode);
        out().println(Json.write(result));
    }

    private static void put(ObjectNode result, String name, double[] speeds) {
        if (speeds.length > 0) {
            result.put(name, median(speeds));
            ArrayNode runs = result.putArray(name + "_runs");
            Arrays.stream(speeds).forEach(runs::add);
        }
    }

    private void print(String name, double[] speeds) {
        if (speeds.length > 0) {
            out().println(
                            String.format(
                                    Locale.ROOT,
                                    "%-8s %10.2f tokens/s (median of %d, %.2f to %.2f)",
                                    name,
                                    median(speeds),
                                    speeds.length,
                                    Arrays.stream(speeds).min().orElseThrow(),
                                    Arrays.stream(speeds).max().orElseThrow()));
        }
    }

    /** The middle value, or the mean of the two middle ones. */
    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
