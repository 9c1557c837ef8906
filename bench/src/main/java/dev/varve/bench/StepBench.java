package dev.varve.bench;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.engine.TokenConstraint;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SequenceLimits;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.plugin.cpu.CpuBackendProvider;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Measures what a decode step costs beside the device, which computes each graph once and then
 * leaves the computations out. Prints the median and the 99th percentile of the time from the end
 * of a graph to the next one, the average of the thread's processor time, and what the engine
 * counts. The last two include new graphs, which are recorded every 256 tokens.
 *
 * <pre>
 * StepBench [--model FILE] [--family qwen35] [--vocab 151936] [--folder DIR] [-n 1000] [--rounds 10]
 *     [--sequences 1] [--options greedy,sampled,topk] [--idle 3000] [--device computes] [--pause 0]
 * </pre>
 *
 * <p>Options: greedy, sampled at temperature 0.7, and the same with top-k 20 and top-p 0.95. The
 * engine is idle for some milliseconds first, in which it warms up. With {@code --device computes}
 * all graphs are computed; with a pause, each step waits for these microseconds instead of
 * computing. Both let the processor's caches forget the step.
 */
public final class StepBench {
    private static final Set<String> FLAGS =
            Set.of(
                    "--model",
                    "--family",
                    "--vocab",
                    "--folder",
                    "-n",
                    "--rounds",
                    "--sequences",
                    "--options",
                    "--idle",
                    "--device",
                    "--pause");

    private static final PrintStream OUT = System.out;
    private static final int PROMPT = 16;

    private final Map<String, String> flags;

    private StepBench(Map<String, String> flags) {
        this.flags = flags;
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        new StepBench(DiskSubject.flags(FLAGS, arguments)).run();
    }

    private int number(String flag, int fallback) {
        return Integer.parseInt(flags.getOrDefault(flag, Integer.toString(fallback)));
    }

    private void run() throws Exception {
        Path file = BenchModels.write(flags);
        int sequences = number("--sequences", 1);
        int context = PROMPT + number("-n", 1000);
        try (FirstRunDevice device = device();
                LoadedModel model =
                        LoadedModel.load(
                                BenchPlugins.open(file),
                                device,
                                ModelSettings.of(SequenceLimits.of(context, sequences)))) {
            model.engine();
            Thread.sleep(number("--idle", 3000));
            for (int round = 1; round <= number("--rounds", 10); round++) {
                for (String options :
                        flags.getOrDefault("--options", "greedy,sampled,topk").split(",")) {
                    measure(model, device, options, round);
                }
            }
        }
    }

    private void measure(LoadedModel model, FirstRunDevice device, String options, int round)
            throws Exception {
        Engine engine = model.engine();
        EngineStatus.EngineCounters before = engine.status().counts();
        List<Timed> all = new ArrayList<>();
        for (int sequence = 1; sequence <= number("--sequences", 1); sequence++) {
            all.add(Timed.submit(engine, request(sequence, options)));
        }
        for (Timed each : all) {
            each.end.get();
        }
        EngineStatus.EngineCounters after = engine.status().counts();
        List<FirstRunDevice.Beside> steps = device.takeSteps();
        long[] walls = steps.stream().mapToLong(FirstRunDevice.Beside::wall).sorted().toArray();
        double processor =
                steps.stream().mapToLong(FirstRunDevice.Beside::processor).average().orElseThrow();
        OUT.printf(
                Locale.ROOT,
                "round %2d %-8s median %7.1f us, 99 %% below %8.1f us, processor %7.1f us, by"
                        + " varve_step_host_seconds %7.1f us%n",
                round,
                options,
                walls[walls.length / 2] / 1e3,
                walls[walls.length * 99 / 100] / 1e3,
                processor / 1e3,
                (after.hostSeconds() - before.hostSeconds())
                        * 1e6
                        / (after.steps() - before.steps()));
    }

    private GenerationRequest request(int sequence, String options) {
        int[] prompt = new int[PROMPT];
        Arrays.fill(prompt, sequence);
        return GenerationRequest.greedy(prompt, number("-n", 1000))
                .choosing(
                        new GenerationRequest.Choice(
                                sampling(options), OptionalInt.empty(), TokenConstraint.none()));
    }

    private static SamplingOptions sampling(String options) {
        SamplingOptions sampled = SamplingOptions.greedy().atTemperature(0.7f).seededWith(7);
        return switch (options) {
            case "greedy" -> SamplingOptions.greedy();
            case "sampled" -> sampled;
            case "topk" -> sampled.within(new SamplingOptions.Cutoffs(20, 0.95f, 0));
            default ->
                    throw new IllegalArgumentException(
                            "--options: expected greedy, sampled or topk, found " + options);
        };
    }

    private FirstRunDevice device() {
        Path natives = BenchPlugins.natives();
        return new FirstRunDevice(
                new CpuBackendProvider()
                        .open(new BackendOptions(natives, Optional.of(natives), false))
                        .open(0, DeviceOptions.automatic()),
                flags.getOrDefault("--device", "none").equals("computes"),
                number("--pause", 0));
    }
}
