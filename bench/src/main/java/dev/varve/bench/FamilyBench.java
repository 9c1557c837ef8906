package dev.varve.bench;

import dev.varve.platform.host.DeviceSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.ShardProcessSettings;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.testkit.Comparison;
import dev.varve.testkit.Oracle;
import dev.varve.testkit.OracleOptions;

import tools.jackson.databind.node.ObjectNode;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;

/**
 * Compares the logits of a text and the tokens that continue it with libllama's on the same device.
 *
 * <pre>
 * FamilyBench [--models FILE[,FILE]...] [--random FOLDER] [--device cpu:0] [--threads 2] [-n 64] [--json FILE]
 * </pre>
 *
 * <p>With {@code --random} small random models of all families of decoders are written to a folder,
 * and compared with a random text.
 *
 * <p>Exits with 1 if a model differs. Both sides may select other kernels, and quantise activations
 * at other places, so logits have a bound, {@value #BOUND}, and another token counts only if it is
 * the first one and the logits of both differ by more than the two sides do.
 */
public final class FamilyBench {
    private static final Set<String> FLAGS =
            Set.of("--models", "--random", "--device", "--threads", "-n", "--json");

    private static final int RANDOM_TOKENS = 48;

    /**
     * Largest relative L2 error of a row: activations in 8 bits have a relative error of about
     * 0.005 in each layer, and the demo models have up to eight layers.
     */
    static final double BOUND = 0.04;

    private static final String TEXT =
            "Where is the lamp? The lamp is in the kitchen. The kitchen is north of the hall, and"
                    + " the garden is south of it. Who has the lamp? Ann took it to the garden.";

    private final Map<String, String> flags;
    private final KitReport report;
    private final String device;
    private final int threads;
    private final int count;

    private FamilyBench(Map<String, String> flags) {
        this.flags = flags;
        report = KitReport.of(flags);
        device = flags.getOrDefault("--device", "cpu:0");
        threads = Integer.parseInt(flags.getOrDefault("--threads", "2"));
        count = Integer.parseInt(flags.getOrDefault("-n", "64"));
    }

    /** Runs the comparison. */
    public static void main(String... arguments) throws Exception {
        System.exit(new FamilyBench(DiskSubject.flags(FLAGS, arguments)).run() ? 0 : 1);
    }

    private boolean run() throws Exception {
        Optional<String> ggmlName = BenchPlugins.ggmlName(device);
        boolean all = true;
        if (flags.containsKey("--models")) {
            for (String file : flags.get("--models").split(",")) {
                all &= compare(Path.of(file), ggmlName, model -> model.encode(TEXT));
            }
        }
        if (flags.containsKey("--random")) {
            for (Path file : RandomFamilies.write(Path.of(flags.get("--random")))) {
                int vocabulary = BenchPlugins.open(file).shape().vocabularySize();
                int[] text = new Random(3).ints(RANDOM_TOKENS, 0, vocabulary).toArray();
                all &= compare(file, ggmlName, model -> text);
            }
        }
        return all;
    }

    private boolean compare(
            Path file, Optional<String> ggmlName, Function<HostedModel, int[]> encoder)
            throws Exception {
        ModelSettings settings = ModelSettings.single(512);
        OracleOptions options = OracleOptions.defaults().withContext(512).withThreads(threads);
        try (HostedModel model =
                        HostedModel.open(
                                new HostSettings(
                                                file,
                                                settings,
                                                DeviceSettings.best().withThreads(threads),
                                                BenchPlugins.settings(file),
                                                ShardProcessSettings.none())
                                        .onDevices(device));
                Oracle oracle = Oracle.open(file, options, ggmlName)) {
            int[] text = encoder.apply(model);
            float[][] expected = oracle.logits(text);
            float[][] found = logits(model, text);
            Comparison.GreedyRun theirs = oracle.greedyRun(text, count);
            int[] ours = listed(Timed.greedy(model.engine(), text, count));
            return report(file, expected, found, theirs, ours);
        }
    }

    private static int[] listed(Timed timed) throws Exception {
        timed.end.get();
        return timed.tokens.stream().mapToInt(Integer::intValue).toArray();
    }

    private static float[][] logits(HostedModel model, int[] text) {
        List<float[]> rows = new ArrayList<>();
        model.logits(
                text,
                (values, count, vocabulary) -> {
                    for (int row = 0; row < count; row++) {
                        rows.add(
                                Arrays.copyOfRange(
                                        values, row * vocabulary, (row + 1) * vocabulary));
                    }
                });
        return rows.toArray(float[][]::new);
    }

    private boolean report(
            Path file, float[][] expected, float[][] found, Comparison.GreedyRun theirs, int[] ours)
            throws Exception {
        double worst = Comparison.worstRelativeL2(expected, found);
        double difference = 0;
        for (int row = 0; row < expected.length; row++) {
            difference =
                    Math.max(difference, Comparison.worstDifference(expected[row], found[row]));
        }
        int at = Arrays.mismatch(theirs.tokens(), ours);
        boolean close = at < 0;
        String tokens = "the same " + count + " tokens";
        if (at >= 0 && at < ours.length) {
            float[] row = theirs.logits()[at];
            double lead = row[theirs.tokens()[at]] - row[ours[at]];
            close = lead <= 2 * difference;
            tokens =
                    at
                            + " of "
                            + count
                            + " tokens the same, the next one leads by "
                            + String.format(Locale.ROOT, "%.3g", lead);
        } else if (at >= 0) {
            tokens = ours.length + " of " + count + " tokens, all the same";
            close = true;
        }
        boolean ok = worst <= BOUND && close;
        report.line(
                "%s on %s: %s; relative L2 error of logits %.2e (at most %.2g); %s",
                file.getFileName(), device, ok ? "ok" : "DIFFERS", worst, BOUND, tokens);
        ObjectNode json =
                KitReport.object()
                        .put("model", file.getFileName().toString())
                        .put("device", device)
                        .put("ok", ok)
                        .put("relative_l2_error", worst)
                        .put("bound", BOUND)
                        .put("largest_difference", difference)
                        .put("same_tokens", at < 0 ? count : at)
                        .put("tokens", count);
        report.json(json);
        return ok;
    }
}
