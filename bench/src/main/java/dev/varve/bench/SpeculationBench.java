package dev.varve.bench;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelShape;
import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.api.speculation.Speculator;
import dev.varve.api.speculation.SpeculatorProvider;
import dev.varve.api.speculation.TokenHistory;
import dev.varve.platform.draft.DflashSpeculator;
import dev.varve.platform.draft.DraftFile;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.host.DeviceSettings;
import dev.varve.platform.host.DraftPlacement;
import dev.varve.platform.host.DraftSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.ShardProcessSettings;
import dev.varve.platform.mtp.MtpSpeculator;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SequenceLimits;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.speculation.TreeOptions;
import dev.varve.testkit.ChainModel;
import dev.varve.testkit.DflashModel;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.TensorType;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/**
 * Measures the gain of speculative decoding at a given chance of right draft tokens: decode of a
 * model with a random draft model, whose draft tokens are replaced by those that this chance
 * requires. Or the gain of looking up draft tokens in the text so far, for a model that repeats
 * itself.
 *
 * <pre>
 * SpeculationBench [--model FILE] [--repeats TOKENS] [--type F16] [--layers 8] [--width 512] [--inner 2048] [--vocab 4096]
 *                  [--draft-type F16] [--network dflash|mtp] [--chance 0.93] [--depth 7] [--draft-width auto] [--ddtree off|auto|always] [--ddtree-budget 22] [--beside 0.4] [--at-once 1] [--devices cpu:0] [--draft-device cpu:0] [--differing fail|accept] [--launcher dist/target/varve/bin/varve] [--threads 2] [-n 256] [--pairs 9] [--folder DIR]
 * </pre>
 *
 * <p>A draft token is right with probability {@code --chance}; 0.93 at depth 7 makes 6.4 tokens per
 * step. With {@code --repeats} the model emits that many tokens over and over, and draft tokens are
 * looked up in its text. With {@code --network mtp} the block for multi-token prediction of the
 * {@code --model} runs instead of a draft model. Each round requests the same tokens without draft
 * tokens, with them, and without them once more.
 */
public final class SpeculationBench {
    private static final PrintStream OUT = System.out;
    private static final String NAME = "rehearsed";
    private static final int PROMPT = 64;

    /** First token that is text; lower ids are control tokens. */
    private static final int FIRST_TOKEN = 512;

    private final Map<String, String> flags;
    private final int depth;
    private int vocabulary;
    private final double chance;
    private final double beside;
    private final Random random = new Random(11);

    /** Tokens that the model repeats; empty for a model that does not. */
    private int[] repeated = {};

    private final OneProcessor processor = new OneProcessor();

    /** Milliseconds of each proposal of draft tokens. */
    private final List<Double> proposing = new ArrayList<>();

    /** Prompts with the model's answers, by their first token. */
    private final Map<Integer, int[]> texts = new ConcurrentHashMap<>();

    private SpeculationBench(Map<String, String> flags) {
        this.flags = flags;
        depth = number("--depth", 7);
        chance = Double.parseDouble(flags.getOrDefault("--chance", "0.93"));
        beside = Double.parseDouble(flags.getOrDefault("--beside", "0.4"));
    }

    private int number(String flag, int usual) {
        return Integer.parseInt(flags.getOrDefault(flag, Integer.toString(usual)));
    }

    private boolean isMtp() {
        return flags.getOrDefault("--network", "dflash").equals("mtp");
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        Map<String, String> flags = new HashMap<>();
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            flags.put(arguments[i], arguments[i + 1]);
        }
        new SpeculationBench(flags).run();
        System.exit(0);
    }

    private void run() throws Exception {
        Path folder = Path.of(flags.getOrDefault("--folder", "."));
        repeated =
                IntStream.range(0, number("--repeats", 0)).map(i -> FIRST_TOKEN + 7 * i).toArray();
        Path target = target(folder);
        ModelShape shape = BenchPlugins.open(target).shape();
        vocabulary = shape.vocabularySize();
        int layers = shape.layerCount();
        DflashModel draft =
                DflashModel.tiny(new DflashModel.Target(shape.embeddingLength(), vocabulary))
                        .with(new DflashModel.Network(3, 4, 2, 64, 512))
                        .with(new DflashModel.Block(depth + 1, 3))
                        .seeing(List.of(1, layers / 3, 2 * layers / 3, layers - 1))
                        .with(
                                new DflashModel.Weights(
                                        TensorType.parse(flags.getOrDefault("--draft-type", "F16")),
                                        0,
                                        false,
                                        1));
        int atOnce = number("--at-once", 1);
        int count = number("-n", 256);
        Ratio ratio = new Ratio("decode " + count + " x " + atOnce);
        // If a step of several tokens rounds differently, draft tokens are right until the
        // responses diverge.
        boolean differing = flags.getOrDefault("--differing", "fail").equals("accept");
        int[] sums = new int[2];
        // A block for multi-token prediction is in the model's own file.
        Path network = isMtp() ? target : draft.write(folder);
        try (HostedModel model = load(target, network, atOnce, count)) {
            for (int pair = -1; pair < number("--pairs", 9); pair++) {
                List<int[]> prompts = prompts(atOnce);
                Run before = ask(model, prompts, count, false);
                IntStream.range(0, atOnce)
                        .forEach(i -> texts.put(prompts.get(i)[0], before.answers.get(i)));
                Run guessed = ask(model, prompts, count, true);
                Run after = ask(model, prompts, count, false);
                for (int i = 0; i < atOnce && !differing; i++) {
                    if (!List.of(box(before, i), box(before, i))
                            .equals(List.of(box(guessed, i), box(after, i)))) {
                        throw new IllegalStateException("answers differ in pair " + pair);
                    }
                }
                OUT.printf(
                        Locale.ROOT,
                        "guessed %.1f, plain %.1f and %.1f tokens/s, %d steps for %d guesses%n",
                        guessed.speed,
                        before.speed,
                        after.speed,
                        guessed.steps,
                        guessed.accepted);
                if (pair >= 0) {
                    ratio.add(guessed.speed, (before.speed + after.speed) / 2);
                    sums[0] += guessed.accepted;
                    sums[1] += guessed.steps;
                }
            }
        }
        OUT.println(ratio.describe("guessed", "plain"));
        OUT.printf(
                Locale.ROOT,
                "acceptance length %.2f in %d steps that checked guesses%n",
                1 + sums[0] / (double) Math.max(1, sums[1]),
                sums[1]);
        if (!proposing.isEmpty()) {
            OUT.printf(
                    Locale.ROOT,
                    "guessing took %.2f ms%n",
                    Ratio.median(proposing.stream().mapToDouble(Double::doubleValue).toArray()));
        }
    }

    private Path target(Path folder) throws IOException {
        if (flags.containsKey("--model")) {
            return Path.of(flags.get("--model"));
        }
        Qwen35Model model = untrained();
        return repeated.length == 0
                ? model.write(folder)
                : ChainModel.like(model)
                        .repeats(repeated)
                        .write(folder.resolve("repeats-" + model.weights().type() + ".gguf"));
    }

    private Qwen35Model untrained() {
        return Qwen35Model.real08b(number("--vocab", 4096))
                .withWeights(
                        new Qwen35Model.Weights(
                                TensorType.parse(flags.getOrDefault("--type", "F16")),
                                true,
                                false,
                                false,
                                1))
                .withSize(
                        new Qwen35Model.Size(
                                number("--layers", 8),
                                number("--width", 512),
                                number("--inner", 2048),
                                number("--vocab", 4096),
                                262_144));
    }

    private static List<Integer> box(Run run, int index) {
        return IntStream.of(run.answers.get(index)).boxed().toList();
    }

    private List<int[]> prompts(int count) {
        List<int[]> prompts = new ArrayList<>();
        while (prompts.size() < count) {
            int[] prompt = prompt();
            if (repeated.length > 0 || texts.putIfAbsent(prompt[0], new int[0]) == null) {
                prompts.add(prompt);
            }
        }
        return prompts;
    }

    private int[] prompt() {
        if (repeated.length == 0) {
            return random.ints(PROMPT, 0, vocabulary).toArray();
        }
        int begin = random.nextInt(repeated.length);
        return IntStream.range(begin, begin + PROMPT)
                .map(i -> repeated[i % repeated.length])
                .toArray();
    }

    /** Tokens per second of all requests together, from the first token of any to the last. */
    private record Run(double speed, List<int[]> answers, int accepted, int steps) {}

    private Run ask(HostedModel model, List<int[]> prompts, int count, boolean guesses)
            throws Exception {
        List<Timed> all = new ArrayList<>();
        for (int[] prompt : prompts) {
            GenerationRequest request = GenerationRequest.greedy(prompt, count);
            all.add(Timed.submit(model.engine(), guesses ? request : request.drafting(0)));
        }
        int accepted = 0;
        int steps = 0;
        long tokens = 0;
        List<int[]> answers = new ArrayList<>();
        for (Timed each : all) {
            GenerationEnd end = each.end.get();
            accepted += end.speculation().accepted();
            steps += end.speculation().verifySteps();
            answers.add(each.tokens.stream().mapToInt(Integer::intValue).toArray());
            tokens += each.times.size() - 1;
        }
        long begin = all.stream().mapToLong(each -> each.times.getFirst()).min().orElseThrow();
        long end = all.stream().mapToLong(each -> each.times.getLast()).max().orElseThrow();
        return new Run(tokens * 1e9 / (end - begin), answers, accepted, steps);
    }

    private HostedModel load(Path target, Path draft, int atOnce, int count) {
        ModelSettings settings = ModelSettings.of(SequenceLimits.of(PROMPT + count + 64, atOnce));
        String width = flags.getOrDefault("--draft-width", "auto");
        return HostedModel.open(
                new HostSettings(
                                target,
                                settings,
                                DeviceSettings.best().withThreads(number("--threads", 2)),
                                BenchPlugins.settings(target, processor, new Provider(draft)),
                                ShardProcessSettings.launchedBy(
                                        Path.of(
                                                flags.getOrDefault(
                                                        "--launcher",
                                                        "dist/target/varve/bin/varve"))))
                        .with(
                                new DraftSettings(
                                        repeated.length > 0 ? "ngram" : NAME,
                                        OptionalInt.of(depth),
                                        width.equals("auto")
                                                ? OptionalInt.empty()
                                                : OptionalInt.of(Integer.parseInt(width)),
                                        trees(),
                                        DraftPlacement.USUAL.with(
                                                DraftPlacement.Residency.PERSISTENT)))
                        .onDevices(flags.getOrDefault("--devices", "cpu:0")));
    }

    private TreeOptions trees() {
        String use = flags.getOrDefault("--ddtree", "off");
        return use.equals("off")
                ? TreeOptions.OFF
                : new TreeOptions(
                        number("--ddtree-budget", TreeOptions.USUAL), use.equals("always"));
    }

    /** Opens the draft model, wrapped so that its draft tokens are replaced. */
    private final class Provider implements SpeculatorProvider {
        private final Path draft;

        Provider(Path draft) {
            this.draft = draft;
        }

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Speculator open(SpeculationTarget target) {
            String name = flags.getOrDefault("--draft-device", "cpu:0");
            int threads = number("--threads", 2);
            ComputeDevice device =
                    DeviceReference.parse(name).equals(DeviceReference.PROCESSOR)
                            ? processor.device(
                                    new BackendOptions(
                                            BenchPlugins.natives(),
                                            Optional.of(BenchPlugins.natives()),
                                            false),
                                    new DeviceOptions(
                                            OptionalInt.of(threads), OptionalInt.empty(), false))
                            : BenchPlugins.device(name, threads);
            return new Rehearsed(network(target, device));
        }

        private Speculator network(SpeculationTarget target, ComputeDevice device) {
            DflashSpeculator.DflashSettings settings =
                    new DflashSpeculator.DflashSettings(
                            DflashSpeculator.WeightResidency.PERSISTENT, FlashAttention.AUTO);
            if (isMtp()) {
                Path model = target.file().path();
                return MtpSpeculator.open(
                        BenchPlugins.block(model), target.limits(), device, settings);
            }
            return DflashSpeculator.open(
                    DraftFile.of(GgufFile.open(draft), target.file(), target.shape()),
                    target.limits(),
                    device,
                    settings);
        }
    }

    /**
     * Runs a draft model for its cost, and replaces its draft tokens so that the given share is
     * right.
     */
    private final class Rehearsed implements Speculator {
        private final Speculator network;
        private final Random luck = new Random(5);

        Rehearsed(Speculator network) {
            this.network = network;
        }

        @Override
        public List<Integer> captures() {
            return network.captures();
        }

        @Override
        public int mostTokens() {
            return network.mostTokens();
        }

        @Override
        public List<Draft> propose(List<DraftRequest> sequences) {
            long begin = System.nanoTime();
            List<Draft> own = network.propose(sequences);
            proposing.add((System.nanoTime() - begin) / 1e6);
            return IntStream.range(0, sequences.size())
                    .mapToObj(i -> corrected(sequences.get(i), own.get(i)))
                    .toList();
        }

        private Draft corrected(DraftRequest request, Draft own) {
            int[] answer = texts.get(request.tokens().get(0));
            int[] tokens = own.tokens().clone();
            int known = request.tokens().size() - PROMPT;
            boolean[] right = new boolean[tokens.length];
            int[] depths = new int[tokens.length];
            for (int i = 0; i < tokens.length; i++) {
                int parent = own.parents().length == 0 ? i - 1 : own.parents()[i];
                int depth = parent < 0 ? 0 : depths[parent] + 1;
                depths[i] = depth;
                int before = siblings(own, i);
                double odds = i < own.spine() ? chance : beside / (1 << before - 1);
                right[i] =
                        (parent < 0 || right[parent])
                                && !hasRight(own, i, right)
                                && known + depth < answer.length
                                && luck.nextDouble() < odds;
                tokens[i] = right[i] ? answer[known + depth] : 1 + i;
            }
            return new Draft(tokens, own.parents(), 0);
        }

        /** Returns the number of earlier draft tokens with the same parent, and at least 1. */
        private static int siblings(Draft draft, int guess) {
            int count = 0;
            for (int i = 0; i < guess && draft.parents().length > 0; i++) {
                count += draft.parents()[i] == draft.parents()[guess] ? 1 : 0;
            }
            return Math.max(1, count);
        }

        private static boolean hasRight(Draft draft, int guess, boolean[] right) {
            boolean has = false;
            for (int i = 0; i < guess && draft.parents().length > 0; i++) {
                has |= right[i] && draft.parents()[i] == draft.parents()[guess];
            }
            return has;
        }

        @Override
        public boolean branches() {
            return network.branches();
        }

        @Override
        public void observe(HiddenStates states, TokenHistory tokens) {
            network.observe(states, tokens);
        }

        @Override
        public void forget(long sequence) {
            network.forget(sequence);
        }

        @Override
        public void close() {
            network.close();
        }
    }
}
