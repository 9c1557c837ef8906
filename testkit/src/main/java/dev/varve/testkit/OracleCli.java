package dev.varve.testkit;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.DoubleSupplier;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/**
 * Runs the oracle and the random models from a command line:
 *
 * <pre>
 * logits MODEL TOKENS OUT       logits of every row as F32, little endian; TOKENS is a list such as 5,17,3
 * greedy MODEL TOKENS [-n 32]   the tokens that follow
 * tokenize MODEL TEXT           the token ids of a text
 * bench MODEL [-p 512] [-n 128] [-s 8] [-r 3]   tokens per second, median and best of -r runs: prompt, decode, and
 *                               -s sequences that decode together
 * make (tiny | odd SEED | real08b) FOLDER [--type Q8_0] [--vocab 151936]   writes a random model
 * </pre>
 *
 * <p>Where a model runs, also {@code -t} threads, {@code --ubatch}, {@code --context} and {@code
 * --kv} cache type.
 */
public final class OracleCli {
    private static final PrintStream OUT = System.out;

    private final List<String> words;
    private final Map<String, String> flags;

    private OracleCli(List<String> words, Map<String, String> flags) {
        this.words = words;
        this.flags = flags;
    }

    public static void main(String... arguments) throws IOException {
        Map<String, String> flags = new HashMap<>();
        List<String> words = new ArrayList<>();
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i].startsWith("-") && i + 1 < arguments.length) {
                flags.put(arguments[i], arguments[++i]);
            } else {
                words.add(arguments[i]);
            }
        }
        new OracleCli(List.copyOf(words), flags).run();
    }

    private void run() throws IOException {
        switch (word(0)) {
            case "make" -> OUT.println(model().write(Path.of(words.getLast())));
            case "logits" -> logits();
            case "greedy" -> greedy();
            case "tokenize" -> tokenize();
            case "bench" -> bench();
            default -> throw new IllegalArgumentException("unknown command " + word(0));
        }
    }

    private Qwen35Model model() {
        Qwen35Model model =
                switch (word(1)) {
                    case "tiny" -> Qwen35Model.tiny();
                    case "odd" -> Qwen35Model.odd(Long.parseLong(word(2)));
                    case "real08b" -> Qwen35Model.real08b(number("--vocab", 151936));
                    default -> throw new IllegalArgumentException("unknown model " + word(1));
                };
        return flags.containsKey("--type")
                ? model.withType(TensorType.parse(flags.get("--type")))
                : model;
    }

    private void logits() throws IOException {
        try (Oracle oracle = open(1);
                var out =
                        Files.newByteChannel(
                                Path.of(word(3)),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.TRUNCATE_EXISTING,
                                StandardOpenOption.WRITE)) {
            for (float[] row : oracle.logits(tokens())) {
                ByteBuffer bytes =
                        ByteBuffer.allocate(4 * row.length).order(ByteOrder.LITTLE_ENDIAN);
                bytes.asFloatBuffer().put(row);
                out.write(bytes);
            }
        }
    }

    private void greedy() {
        try (Oracle oracle = open(1)) {
            print(oracle.greedy(tokens(), number("-n", 32)));
        }
    }

    private void tokenize() {
        try (Oracle oracle = open(1)) {
            print(oracle.tokenize(word(2), false, true));
        }
    }

    private void bench() {
        int sequences = number("-s", 8);
        int prompt = number("-p", 512);
        int generated = number("-n", 128);
        try (Oracle oracle = open(1)) {
            oracle.prefillTokensPerSecond(Math.min(prompt, 64));
            report("pp" + prompt, () -> oracle.prefillTokensPerSecond(prompt));
            report("tg" + generated, () -> oracle.decodeTokensPerSecond(generated));
        }
        OracleOptions together =
                options()
                        .withSequences(sequences)
                        .withContext(sequences * Math.ceilDiv(64 + generated, 256) * 256);
        try (Oracle oracle = Oracle.open(Path.of(word(1)), together)) {
            report(
                    sequences + " sequences, tg" + generated,
                    () -> oracle.batchedDecode(sequences, 16, generated));
        }
    }

    private void report(String what, DoubleSupplier benchmark) {
        double[] speeds =
                DoubleStream.generate(benchmark).limit(number("-r", 3)).sorted().toArray();
        double median = speeds[speeds.length / 2];
        double best = speeds[speeds.length - 1];
        OUT.printf(Locale.ROOT, "%-24s %9.2f tokens/s, best %9.2f%n", what, median, best);
    }

    private static void print(int[] tokens) {
        OUT.println(
                Arrays.stream(tokens).mapToObj(Integer::toString).collect(Collectors.joining(",")));
    }

    private Oracle open(int modelWord) {
        return Oracle.open(Path.of(word(modelWord)), options());
    }

    private OracleOptions options() {
        return OracleOptions.defaults()
                .withThreads(number("-t", 2))
                .withUbatch(number("--ubatch", 512))
                .withContext(number("--context", 2048))
                .withCache(TensorType.parse(flags.getOrDefault("--kv", "F16")));
    }

    private int[] tokens() {
        return Arrays.stream(word(2).split(",")).mapToInt(Integer::parseInt).toArray();
    }

    private int number(String flag, int otherwise) {
        return Integer.parseInt(flags.getOrDefault(flag, Integer.toString(otherwise)));
    }

    private String word(int index) {
        if (index >= words.size()) {
            throw new IllegalArgumentException(
                    "expected a word more; see the class comment for the commands");
        }
        return words.get(index);
    }
}
