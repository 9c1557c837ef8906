package dev.varve.bench;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.host.DeviceSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.ModelLoadListener;
import dev.varve.platform.host.PreparedModel;
import dev.varve.platform.host.ShardProcessSettings;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.SplitRule;
import dev.varve.platform.plan.CachingProbe.Age;
import dev.varve.platform.plan.SplitForecast;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.setting.ByteCount;
import dev.varve.platform.shard.ShardMemory;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Compares a plan's forecast with the measured speed, for cuts of a model between two shards on the
 * processor.
 *
 * <pre>
 * PlanBench [--model FILE] [--family qwen35] [--folder DIR] [--threads 2] [--weights none;1,1;1,3;auto] [--runs 3]
 * </pre>
 *
 * <p>Exits with 1 if a forecast is off by more than {@value #TOLERANCE} of the measured speed.
 */
public final class PlanBench {
    private static final double TOLERANCE = 0.25;
    private static final int PROMPT = 512;
    private static final int DECODED = 96;
    private static final PrintStream OUT = System.out;

    private final Map<String, String> flags;
    private final Random random = new Random(11);

    private PlanBench(Map<String, String> flags) {
        this.flags = flags;
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        Map<String, String> flags = new HashMap<>();
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            flags.put(arguments[i], arguments[i + 1]);
        }
        System.exit(new PlanBench(flags).run() ? 0 : 1);
    }

    private boolean run() throws Exception {
        Path file = BenchModels.write(flags);
        DeviceSettings threads =
                DeviceSettings.best()
                        .withThreads(Integer.parseInt(flags.getOrDefault("--threads", "2")));
        HostSettings settings =
                new HostSettings(
                        file,
                        ModelSettings.single(PROMPT + 8),
                        threads,
                        BenchPlugins.settings(file),
                        ShardProcessSettings.none());
        long begin = System.nanoTime();
        prepare(settings, "none").forecast(Age.NEW);
        OUT.printf(Locale.ROOT, "measured in %.1f s%n", (System.nanoTime() - begin) / 1e9);
        boolean holds = true;
        for (String weights : flags.getOrDefault("--weights", "none;1,1;1,3;3,1;auto").split(";")) {
            holds &= compare(prepare(settings, weights));
        }
        return holds;
    }

    private static PreparedModel prepare(HostSettings settings, String weights) {
        ModelLoadListener listener =
                new ModelLoadListener() {
                    @Override
                    public void note(String text) {
                        OUT.println(text);
                    }
                };
        return PreparedModel.open(
                settings.with(settings.devices().with(request(weights))), listener);
    }

    private static PlacementRequest request(String weights) {
        DeviceReference cpu = DeviceReference.local("cpu", 0);
        return weights.equals("none")
                ? PlacementRequest.single(cpu)
                : PlacementRequest.of(List.of(cpu, cpu), SplitRule.parse(weights));
    }

    private boolean compare(PreparedModel prepared) throws Exception {
        SplitForecast forecast = prepared.forecast(Age.ANY);
        List<LayerRange> ranges =
                forecast.placement().parts().stream().map(Placement.Part::range).toList();
        List<Double> prefill = new ArrayList<>();
        List<Double> decode = new ArrayList<>();
        List<Double> undisturbed = new ArrayList<>();
        try (HostedModel loaded = prepared.load()) {
            int runs = Integer.parseInt(flags.getOrDefault("--runs", "3"));
            for (int run = -1; run < runs; run++) {
                double fast = ask(loaded, PROMPT, 1).end.get().prefillTokensPerSecond();
                Timed slow = ask(loaded, 1, DECODED + 1);
                if (run >= 0) {
                    prefill.add(fast);
                    decode.add(slow.end.get().decodeTokensPerSecond());
                    undisturbed.add(undisturbed(slow));
                }
            }
            reportMemory(ranges, forecast, loaded);
        }
        OUT.printf(Locale.ROOT, "server: %.3f ms per token%n", forecast.serverMillis());
        // The forecast leaves out what other processes take; on a busy machine only these compare.
        boolean ignored =
                report(
                        ranges,
                        "decode, undisturbed",
                        forecast.decodeTokensPerSecond(),
                        undisturbed);
        return report(ranges, "prefill", forecast.prefillTokensPerSecond(), prefill)
                & report(ranges, "decode", forecast.decodeTokensPerSecond(), decode);
    }

    private Timed ask(HostedModel loaded, int prompt, int count) throws Exception {
        int vocabulary = loaded.vocabularySize();
        Timed timed =
                Timed.greedy(loaded.engine(), random.ints(prompt, 0, vocabulary).toArray(), count);
        GenerationEnd ignored = timed.end.get();
        return timed;
    }

    /** Returns the tokens per second of steps that take longer than a fifth of all steps. */
    private static double undisturbed(Timed timed) {
        long[] gaps =
                IntStream.range(1, timed.times.size())
                        .mapToLong(i -> timed.times.get(i) - timed.times.get(i - 1))
                        .sorted()
                        .toArray();
        return 1e9 / gaps[gaps.length / 5];
    }

    /** Compares the planned bytes with those that the shards have allocated. */
    private static void reportMemory(
            List<LayerRange> ranges, SplitForecast forecast, HostedModel loaded) {
        long foretold =
                forecast.parts().stream()
                        .mapToLong(part -> part.memory().memory().need().totalBytes())
                        .sum();
        List<ShardMemory> shards =
                loaded.engine().status().shards().stream().map(ShardStatus::memory).toList();
        long allocated = shards.stream().mapToLong(ShardMemory::total).sum();
        OUT.printf(
                Locale.ROOT,
                "%-24s %-22s foretold %s, allocated %s (%s of it for computing): %+.1f %%%n",
                ranges,
                "memory",
                ByteCount.format(foretold),
                ByteCount.format(allocated),
                ByteCount.format(shards.stream().mapToLong(ShardMemory::compute).sum()),
                100 * ((double) foretold / allocated - 1));
    }

    private static boolean report(
            List<LayerRange> ranges, String what, double foretold, List<Double> measured) {
        double middle =
                measured.stream().sorted().skip(measured.size() / 2).findFirst().orElseThrow();
        double error = foretold / middle - 1;
        OUT.printf(
                Locale.ROOT,
                "%-24s %-22s foretold %8.2f, measured %8.2f tokens/s %s: %+.1f %%%n",
                ranges,
                what,
                foretold,
                middle,
                measured.stream().map(value -> String.format(Locale.ROOT, "%.1f", value)).toList(),
                100 * error);
        return Math.abs(error) <= TOLERANCE;
    }
}
