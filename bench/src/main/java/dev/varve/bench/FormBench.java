package dev.varve.bench;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.platform.chat.ResponseFormat;
import dev.varve.platform.chat.ResponseOptions;
import dev.varve.platform.chat.ResponseSyntax;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.engine.GenerationRequest.Choice;
import dev.varve.platform.engine.GenerationRequest.Ending;
import dev.varve.platform.engine.GenerationRequest.Prompt;
import dev.varve.platform.engine.TokenConstraint;
import dev.varve.platform.grammar.GrammarCompiler;
import dev.varve.platform.grammar.source.TextGrammarSource;
import dev.varve.platform.log.ControlCharacters;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SequenceLimits;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.sampling.TokenMask;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.plugin.cpu.CpuBackendProvider;
import dev.varve.plugin.qwen35.Qwen35Family;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.TensorType;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;

/**
 * Measures the cost and the gain of a required form of answers: decode with a JSON schema against
 * decode of as many tokens without one, in pairs next to each other, in the same engine.
 *
 * <pre>
 * FormBench --tokens FILE [--model FILE] [--type Q8_0] [--folder DIR] [--parts strings,digits,wordy]
 *           [--temperature 0,1] [-n 128] [--pairs 9] [--threads 2]
 * </pre>
 *
 * <p>{@code --tokens} is a GGUF file with the vocabulary of a released model; without {@code
 * --model} a random one of the real 0.8B shape is written that has as many tokens. The parts are
 * those of {@link FormPart}; an answer that does not end has {@code -n} tokens.
 */
public final class FormBench {
    private static final PrintStream OUT = System.out;
    private static final int PROMPT = 32;
    private static final int LONGEST = 1024;
    private static final int EXCERPT = 40;

    private final Map<String, String> flags;
    private final Tokenizer tokenizer;
    private final GrammarCompiler compiler;
    private final ResponseSyntax dialect;
    private final Engine engine;
    private final Random random = new Random(13);

    /** Least ratio of the speed with a form to the speed without. */
    private static final double GOAL = 0.97;

    private FormBench(Map<String, String> flags, Tokenizer tokenizer, Engine engine) {
        this.flags = flags;
        this.tokenizer = tokenizer;
        this.engine = engine;
        compiler = new GrammarCompiler(tokenizer);
        dialect = ResponseSyntax.plain(tokenizer);
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        Map<String, String> flags = new HashMap<>();
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            flags.put(arguments[i], arguments[i + 1]);
        }
        GgufFile tokens = GgufFile.open(Path.of(flags.get("--tokens")));
        Tokenizer tokenizer = Tokenizer.of(tokens.metadata(), new Qwen35Family().preTokenizers());
        Path model = write(flags, tokenizer.vocabularySize());
        Path natives = BenchPlugins.natives();
        try (ComputeDevice device =
                        new CpuBackendProvider()
                                .open(new BackendOptions(natives, Optional.of(natives), false))
                                .open(
                                        0,
                                        new DeviceOptions(
                                                OptionalInt.of(number(flags, "--threads", 2)),
                                                OptionalInt.empty(),
                                                false));
                LoadedModel loaded =
                        LoadedModel.load(
                                BenchPlugins.open(model),
                                device,
                                ModelSettings.of(SequenceLimits.of(PROMPT + LONGEST, 1)))) {
            new FormBench(flags, tokenizer, loaded.engine()).run();
        }
        System.exit(0);
    }

    private static int number(Map<String, String> flags, String flag, int usual) {
        return Integer.parseInt(flags.getOrDefault(flag, Integer.toString(usual)));
    }

    private static Path write(Map<String, String> flags, int vocabulary) throws Exception {
        return flags.containsKey("--model")
                ? Path.of(flags.get("--model"))
                : Qwen35Model.real08b(vocabulary)
                        .withType(TensorType.parse(flags.getOrDefault("--type", "Q8_0")))
                        .write(Path.of(flags.getOrDefault("--folder", ".")));
    }

    private void run() throws Exception {
        for (String part : flags.getOrDefault("--parts", "strings,digits,wordy").split(",")) {
            for (String temperature : flags.getOrDefault("--temperature", "0,1").split(",")) {
                compare(
                        FormPart.valueOf(part.toUpperCase(Locale.ROOT)),
                        Float.parseFloat(temperature));
            }
        }
    }

    private void compare(FormPart part, float temperature) throws Exception {
        ResponseFormat form =
                new ResponseFormat.Whole(
                        compiler.compile(new TextGrammarSource.Schema(part.schema())));
        String name = part.name().toLowerCase(Locale.ROOT) + ", temperature " + temperature;
        Ratio ratio = new Ratio(name, GOAL);
        int pairs = number(flags, "--pairs", 9);
        int tokens = 0;
        int allTokens = 0;
        int allMasks = 0;
        for (int pair = -1; pair < pairs; pair++) {
            int[] prompt = random.ints(PROMPT, 0, tokenizer.vocabularySize()).toArray();
            Choices choices = new Choices(dialect.open(prompt, of(form)).constraint());
            SamplingOptions sampling =
                    SamplingOptions.greedy().atTemperature(temperature).seededWith(pair);
            // Being first has an advantage or a cost, so the sides alternate.
            double plain = pair >= 0 && pair % 2 == 0 ? plain(prompt, sampling, tokens) : 0;
            Timed formed = ask(prompt, sampling, choices, ending(part));
            GenerationEnd end = formed.end.get();
            tokens = end.tokens().generated();
            if (pair < 0) {
                OUT.println(name + ": " + excerpt(formed));
            }
            if (plain == 0) {
                plain = plain(prompt, sampling, tokens);
            }
            if (pair >= 0) {
                ratio.add(end.decodeTokensPerSecond(), plain);
                allTokens += tokens;
                allMasks += choices.masks;
            }
        }
        OUT.println(ratio.describe("formed", "plain"));
        OUT.printf(
                Locale.ROOT,
                "%d tokens, a mask for %.1f %% of them%n",
                allTokens / pairs,
                100.0 * allMasks / allTokens);
    }

    private static ResponseOptions of(ResponseFormat form) {
        return ResponseOptions.stoppingAt(List.of()).of(form);
    }

    /** An answer with most of its text certain is measured to its end. */
    private Ending ending(FormPart part) {
        return new Ending(
                part == FormPart.WORDY ? LONGEST : number(flags, "-n", 128), tokenizer.endTokens());
    }

    private double plain(int[] prompt, SamplingOptions sampling, int tokens) throws Exception {
        return ask(prompt, sampling, TokenConstraint.none(), new Ending(tokens, Set.of()))
                .end
                .get()
                .decodeTokensPerSecond();
    }

    private Timed ask(
            int[] prompt, SamplingOptions sampling, TokenConstraint guide, Ending ending) {
        return Timed.submit(
                engine,
                new GenerationRequest(
                        Prompt.of(prompt),
                        ending,
                        new Choice(sampling, OptionalInt.empty(), guide)));
    }

    private String excerpt(Timed answer) {
        int[] ids = answer.tokens.stream().mapToInt(Integer::intValue).limit(EXCERPT).toArray();
        return ControlCharacters.replace(tokenizer.decode(ids), ' ');
    }

    /** A guide that counts how often the model's choice was not allowed. */
    private static final class Choices implements TokenConstraint {
        private final TokenConstraint guide;
        private int masks;

        Choices(TokenConstraint guide) {
            this.guide = guide;
        }

        @Override
        public OptionalInt forced() {
            return guide.forced();
        }

        @Override
        public void accept(int token) {
            guide.accept(token);
        }

        @Override
        public boolean constrains() {
            return guide.constrains();
        }

        @Override
        public boolean allows(int token) {
            return guide.allows(token);
        }

        @Override
        public TokenMask mask() {
            masks++;
            return guide.mask();
        }

        @Override
        public int[] forcedTokens(int most) {
            return guide.forcedTokens(most);
        }

        @Override
        public int allowed(int[] draftTokens) {
            return guide.allowed(draftTokens);
        }
    }
}
