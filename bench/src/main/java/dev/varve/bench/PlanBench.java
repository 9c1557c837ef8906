package dev.varve.bench;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.LocalBackends;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.SplitRule;
import dev.varve.platform.plan.LocalDeviceProbe;
import dev.varve.platform.plan.ModelBlocks;
import dev.varve.platform.plan.ProbeCache;
import dev.varve.platform.plan.SplitForecast;
import dev.varve.platform.plan.SplitPlanner;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.LoadProgress;
import dev.varve.plugin.cpu.CpuBackendProvider;
import dev.varve.plugin.gemma4.Gemma4Family;
import dev.varve.plugin.laguna.LagunaFamily;
import dev.varve.plugin.qwen35.Qwen35Family;

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
import java.util.stream.Stream;

/**
 * What a plan foretells, and what is measured, for cuts of a model between two shards on the
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
        Path natives = Path.of(System.getProperty("varve.test.natives"));
        GgufFile file = GgufFile.open(BenchModels.write(flags));
        ModelFamilyProvider family =
                Stream.of(new Qwen35Family(), new Gemma4Family(), new LagunaFamily())
                        .filter(each -> each.architectures().contains(file.architecture()))
                        .findFirst()
                        .orElseThrow();
        LayerSplitAdapter model = family.open(file, ModelOptions.defaults());
        ModelSettings settings = ModelSettings.single(PROMPT + 8);
        DeviceOptions options =
                new DeviceOptions(
                        OptionalInt.of(Integer.parseInt(flags.getOrDefault("--threads", "2"))),
                        OptionalInt.empty(),
                        false);
        LocalBackends backends =
                new LocalBackends(
                        Map.of("cpu", new CpuBackendProvider()),
                        new BackendOptions(natives, Optional.of(natives), false));
        ModelBlocks blocks = ModelBlocks.of(model);
        SplitPlanner planner =
                new SplitPlanner(
                        model,
                        blocks,
                        settings,
                        backends::info,
                        new LocalDeviceProbe(
                                file,
                                model,
                                blocks,
                                backends,
                                options,
                                settings,
                                new ProbeCache(file.path().resolveSibling("probes")),
                                LocalDeviceProbe.Age.NEW,
                                OUT::println));
        boolean holds = true;
        long begin = System.nanoTime();
        planner.forecast(request("none"));
        OUT.printf(Locale.ROOT, "measured in %.1f s%n", (System.nanoTime() - begin) / 1e9);
        for (String weights : flags.getOrDefault("--weights", "none;1,1;1,3;3,1;auto").split(";")) {
            SplitForecast forecast = planner.forecast(request(weights));
            holds &= compare(file, model, forecast, backends, options, settings);
        }
        return holds;
    }

    private static PlacementRequest request(String weights) {
        DeviceReference cpu = DeviceReference.local("cpu", 0);
        return weights.equals("none")
                ? PlacementRequest.single(cpu)
                : new PlacementRequest(
                        List.of(cpu, cpu),
                        SplitRule.parse(weights),
                        false,
                        Optional.empty(),
                        Optional.empty());
    }

    private boolean compare(
            GgufFile file,
            LayerSplitAdapter model,
            SplitForecast forecast,
            LocalBackends backends,
            DeviceOptions options,
            ModelSettings settings)
            throws Exception {
        List<LayerRange> ranges =
                forecast.placement().parts().stream().map(Placement.Part::range).toList();
        List<Double> prefill = new ArrayList<>();
        List<Double> decode = new ArrayList<>();
        try (ComputeDevice device = backends.openDevice(DeviceReference.local("cpu", 0), options);
                LoadedModel loaded =
                        LoadedModel.load(
                                file,
                                model,
                                device,
                                settings,
                                ranges,
                                LoadProgress.silent(),
                                plan -> {})) {
            int runs = Integer.parseInt(flags.getOrDefault("--runs", "3"));
            for (int run = -1; run < runs; run++) {
                double fast = ask(loaded, PROMPT, 1).prefillTokensPerSecond();
                double slow = ask(loaded, 1, DECODED + 1).decodeTokensPerSecond();
                if (run >= 0) {
                    prefill.add(fast);
                    decode.add(slow);
                }
            }
        }
        return report(ranges, "prefill", forecast.prefillTokensPerSecond(), prefill)
                & report(ranges, "decode", forecast.decodeTokensPerSecond(), decode);
    }

    private GenerationEnd ask(LoadedModel loaded, int prompt, int count) throws Exception {
        int vocabulary = loaded.adapter().shape().vocabularySize();
        return Asked.submit(loaded.engine(), random.ints(prompt, 0, vocabulary).toArray(), count)
                .get();
    }

    private static boolean report(
            List<LayerRange> ranges, String what, double foretold, List<Double> measured) {
        double middle =
                measured.stream().sorted().skip(measured.size() / 2).findFirst().orElseThrow();
        double error = foretold / middle - 1;
        OUT.printf(
                Locale.ROOT,
                "%-24s %-8s foretold %8.2f, measured %8.2f tokens/s %s: %+.1f %%%n",
                ranges,
                what,
                foretold,
                middle,
                measured.stream().map(value -> String.format(Locale.ROOT, "%.1f", value)).toList(),
                100 * error);
        return Math.abs(error) <= TOLERANCE;
    }
}
