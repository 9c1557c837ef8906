package dev.varve.platform.cli;

import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationEvent;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.host.CompressionSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.paging.RequestedPaging;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.GraphCounts;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Measures the throughput of prefill and decode. */
@Command(
        name = "bench",
        addMethodSubcommands = false,
        description = {
            "Measures prefill and decode in tokens per second.",
            "The command reports the median of several runs, of prefill as pp and of decode as tg."
                + " Each run uses different random tokens, so that the prefix cache has no effect."
                + " With --draft, the command measures decode alternately with and without draft"
                + " tokens, on questions; both must generate the same tokens."
        },
        footer = {
            "  varve bench --model model.gguf --threads 4 -p 512 -n 128 -r 5 --json",
            "  varve bench --model model.gguf --draft draft.gguf -p 0 -r 9 --json"
        })
final class BenchCommand extends CliCommand {
    /** Fixed, so that two runs of the command compute the same tokens. */
    private static final long SEED = 20_261;

    /** Most tokens of a question. */
    private static final int QUESTION = 1024;

    @Mixin private ModelLoadArguments model;

    @Option(
            names = {"-p", "--prompt-tokens"},
            paramLabel = "N",
            defaultValue = "512",
            description = "Tokens per prefill; 0 skips prefill.",
            order = 2)
    private int promptTokens;

    @Option(
            names = {"-n", "--generated-tokens"},
            paramLabel = "N",
            defaultValue = "128",
            description = "Tokens per decode; 0 skips decode.",
            order = 3)
    private int generatedTokens;

    @Option(
            names = {"-r", "--repetitions"},
            paramLabel = "N",
            defaultValue = "5",
            description =
                    "Number of measured runs. One additional run precedes them and is not counted.",
            order = 4)
    private int repetitions;

    @Option(
            names = "--prompt-file",
            paramLabel = "FILE",
            description =
                    "Questions for --draft, one per line (default: nine of various kinds). The gain"
                            + " from draft tokens depends on them.",
            order = 5)
    private Optional<Path> promptFile = Optional.empty();

    @Option(
            names = "--at-once",
            paramLabel = "N",
            defaultValue = "1",
            description = "Number of concurrent requests, for --draft.",
            order = 6)
    private int atOnce;

    @Option(
            names = "--json",
            description =
                    "Print one JSON object, which also counts the graphs of decode steps that were"
                            + " recorded and reused.",
            order = 7)
    private boolean json;

    @Mixin private PoolArguments pools;

    private Optional<CompressionSettings> reader = Optional.empty();

    @Override
    boolean usesUsualDraft() {
        return false;
    }

    private Optional<RequestedPaging> pool() {
        PoolArguments.Choice choice =
                pools.choose(environment(), model.model().choose(environment()).isDemo());
        reader = choice.reader();
        return choice.pool();
    }

    @Override
    Optional<CompressionSettings> compression() {
        return reader;
    }

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
        requireFits();
        List<String> questions =
                promptFile
                        .map(file -> DraftBench.questions(TextFile.read("--prompt-file", file)))
                        .orElse(DraftBench.QUESTIONS);
        if (questions.isEmpty()) {
            throw new UsageException("--prompt-file: expected one question per line, found none");
        }
        int context = Math.max(promptTokens, generatedTokens + 1) + 1;
        ModelSettings settings =
                model.drafts()
                        ? model.settingsFor(Math.max(context, QUESTION + generatedTokens), atOnce)
                        : model.settingsFor(context);
        try (HostedModel runtime = open(model, settings.withPool(pool()))) {
            Random random = new Random(SEED);
            double[] prefill = new double[promptTokens > 0 ? repetitions : 0];
            double[] decode = new double[generatedTokens > 0 && !model.drafts() ? repetitions : 0];
            GraphCounts before = GraphCounts.NONE;
            for (int run = -1; run < repetitions; run++) {
                if (run == 0) {
                    before = graphs(runtime);
                }
                if (promptTokens > 0) {
                    double speed = run(runtime, random, promptTokens, 1).prefillTokensPerSecond();
                    record(prefill, run, speed);
                }
                if (decode.length > 0) {
                    // The first token belongs to prefill.
                    double speed =
                            run(runtime, random, 1, generatedTokens + 1).decodeTokensPerSecond();
                    record(decode, run, speed);
                }
            }
            Optional<DraftBench.Outcome> drafted = measureDrafts(runtime, questions);
            report(runtime, new Measured(prefill, decode, drafted, before));
        }
        return 0;
    }

    private void requireFits() {
        if (!model.drafts() && (promptFile.isPresent() || atOnce != 1)) {
            throw new UsageException(
                    (promptFile.isPresent() ? "--prompt-file" : "--at-once") + ": needs --draft");
        }
        if (atOnce < 1) {
            throw new UsageException("--at-once: expected 1 or more, found " + atOnce);
        }
    }

    private Optional<DraftBench.Outcome> measureDrafts(HostedModel runtime, List<String> questions)
            throws InterruptedException {
        if (!model.drafts() || generatedTokens == 0) {
            return Optional.empty();
        }
        DraftBench bench = new DraftBench(runtime, generatedTokens + 1, atOnce);
        return Optional.of(bench.run(bench.prompts(questions), repetitions));
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
        BlockingQueue<GenerationEvent<Integer>> events = new LinkedBlockingQueue<>();
        runtime.engine()
                .submit(GenerationRequest.greedy(prompt, maxTokens), GenerationEvent.into(events));
        while (true) {
            switch (events.take()) {
                case GenerationEvent.Prefill<Integer> _, GenerationEvent.Output<Integer> _ -> {}
                case GenerationEvent.End<Integer>(GenerationEnd end) -> {
                    return end;
                }
                case GenerationEvent.Failure<Integer>(var error) -> throw error;
            }
        }
    }

    /**
     * Results of all runs.
     *
     * @param prefill tokens per second of each run
     * @param decode tokens per second of each run without drafts
     * @param before counters before the measured runs
     */
    private record Measured(
            double[] prefill,
            double[] decode,
            Optional<DraftBench.Outcome> drafted,
            GraphCounts before) {}

    /** Sums the counters of all shards in this process. */
    private static GraphCounts graphs(HostedModel runtime) {
        return runtime.engine().status().shards().stream()
                .map(shard -> shard.work().graphs())
                .reduce(GraphCounts.NONE, GraphCounts::plus);
    }

    private void report(HostedModel runtime, Measured measured) {
        if (!json) {
            print("pp" + promptTokens, measured.prefill());
            print("tg" + generatedTokens, measured.decode());
            measured.drafted().ifPresent(this::print);
            return;
        }
        ObjectNode result =
                CliJson.object()
                        .put("model", runtime.file().path().toString())
                        .put("architecture", runtime.file().architecture())
                        .put("threads", runtime.threads().orElse(0))
                        .put("prompt_tokens", promptTokens)
                        .put("generated_tokens", generatedTokens)
                        .put("repetitions", repetitions)
                        .put("load_ms", runtime.loadMillis());
        put(result, "pp", measured.prefill());
        put(result, "tg", measured.decode());
        measured.drafted().ifPresent(outcome -> put(result, outcome));
        GraphCounts.PhaseCounts before = measured.before().decode();
        GraphCounts.PhaseCounts after = graphs(runtime).decode();
        result.put("decode_graphs_recorded", after.recorded() - before.recorded())
                .put("decode_graphs_reused", after.reused() - before.reused());
        out().println(CliJson.write(result));
    }

    private void put(ObjectNode result, DraftBench.Outcome outcome) {
        put(result, "tg", outcome.plain());
        put(result, "tg_speculative", outcome.drafted());
        MedianRatio speedup = MedianRatio.of(outcome.drafted(), outcome.plain());
        result.put("speedup", speedup.median());
        result.putArray("speedup_interval").add(speedup.low()).add(speedup.high());
        result.put("acceptance_length", outcome.speculation().acceptanceLength())
                .put("draft_tokens", outcome.speculation().drafted())
                .put("accepted_tokens", outcome.speculation().accepted())
                .put("verify_steps", outcome.speculation().verifySteps())
                .put("at_once", atOnce);
    }

    private void print(DraftBench.Outcome outcome) {
        print("tg" + generatedTokens, outcome.plain());
        print("  drafts", outcome.drafted());
        MedianRatio speedup = MedianRatio.of(outcome.drafted(), outcome.plain());
        out().println(
                        String.format(
                                Locale.ROOT,
                                "speed-up %10.2f (90 %% interval %.2f to %.2f); %.2f tokens per"
                                        + " verification step, %d of %d draft tokens accepted",
                                speedup.median(),
                                speedup.low(),
                                speedup.high(),
                                outcome.speculation().acceptanceLength(),
                                outcome.speculation().accepted(),
                                outcome.speculation().drafted()));
    }

    private static void put(ObjectNode result, String name, double[] speeds) {
        if (speeds.length > 0) {
            result.put(name, MedianRatio.median(speeds));
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
                                    MedianRatio.median(speeds),
                                    speeds.length,
                                    Arrays.stream(speeds).min().orElseThrow(),
                                    Arrays.stream(speeds).max().orElseThrow()));
        }
    }
}
