package dev.varve.bench;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.local.LocalShard;
import dev.varve.plugin.cpu.CpuBackendProvider;
import dev.varve.plugin.qwen35.Qwen35Family;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.TensorType;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Measures the cost of exact rows: decode steps of several sequences with each of {@link
 * BatchInvariance}, in turn, on layers of the real 0.8B shape with weights of one type after the
 * other.
 *
 * <pre>
 * RowsBench [--types F16,Q4_K] [--columns 1,2,4,8] [--context 200] [--layers 4] [--rounds 41] [--threads 2] [--folder DIR]
 * </pre>
 *
 * <p>Printed are medians over rounds of the time against {@link BatchInvariance#OFF} in the same
 * round, and the ratios of the shortest times. With one thread, times are its processor time, which
 * hardly depends on other work of the machine.
 */
public final class RowsBench {
    private static final PrintStream OUT = System.out;
    private static final int VOCABULARY = 32_768;
    private static final int WARM_UP = 3;

    private final Map<String, String> flags;
    private final ComputeDevice device;
    private final int context;
    private final int rounds;

    private RowsBench(Map<String, String> flags, ComputeDevice device) {
        this.flags = flags;
        this.device = device;
        context = Integer.parseInt(flags.getOrDefault("--context", "200"));
        rounds = Integer.parseInt(flags.getOrDefault("--rounds", "41"));
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        Map<String, String> flags = new HashMap<>();
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            flags.put(arguments[i], arguments[i + 1]);
        }
        Path natives = Path.of(System.getProperty("varve.test.natives"));
        int threads = Integer.parseInt(flags.getOrDefault("--threads", "2"));
        try (ComputeDevice device =
                new CpuBackendProvider()
                        .open(new BackendOptions(natives, Optional.of(natives), false))
                        .open(
                                0,
                                new DeviceOptions(
                                        OptionalInt.of(threads), OptionalInt.empty(), false))) {
            RowsBench bench = new RowsBench(flags, device);
            for (String type : flags.getOrDefault("--types", "F16,Q8_0,Q4_0,Q4_K").split(",")) {
                bench.run(TensorType.parse(type));
            }
        }
    }

    private void run(TensorType type) throws Exception {
        int layers = Integer.parseInt(flags.getOrDefault("--layers", "4"));
        Path folder = Files.createDirectories(Path.of(flags.getOrDefault("--folder", "target")));
        Qwen35Model model =
                Qwen35Model.real08b(VOCABULARY)
                        .withWeights(new Qwen35Model.Weights(type, true, false, false, 1))
                        .withSize(new Qwen35Model.Size(layers, 1024, 3584, VOCABULARY, 262_144));
        Path file = model.write(folder);
        try {
            for (String columns : flags.getOrDefault("--columns", "1,2,4,8").split(",")) {
                compare(type, file, Integer.parseInt(columns));
            }
        } finally {
            Files.delete(file);
        }
    }

    private void compare(TensorType type, Path file, int columns) {
        BatchInvariance[] modes = BatchInvariance.values();
        double[][] times = new double[modes.length][rounds];
        List<Steps> shards = new ArrayList<>();
        try {
            for (BatchInvariance mode : modes) {
                shards.add(new Steps(file, columns, mode));
            }
            for (int round = -WARM_UP; round < rounds; round++) {
                for (int i = 0; i < modes.length; i++) {
                    // The first mode of a round runs later in the next one.
                    int mode = Math.floorMod(round + i, modes.length);
                    double time = shards.get(mode).step();
                    if (round >= 0) {
                        times[mode][round] = time;
                    }
                }
            }
        } finally {
            shards.forEach(Steps::close);
        }
        double[] off = times[BatchInvariance.OFF.ordinal()];
        OUT.printf(
                Locale.ROOT,
                "%-8s columns %2d  off %7.2f ms  auto %s  on %s%n",
                type,
                columns,
                median(off),
                ratio(times[BatchInvariance.AUTO.ordinal()], off),
                ratio(times[BatchInvariance.ON.ordinal()], off));
    }

    /** A device with one thread computes on the calling one. */
    private long nanos() {
        return device.threads(Phase.DECODE) == 1
                ? ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime()
                : System.nanoTime();
    }

    private static String ratio(double[] times, double[] reference) {
        double[] ratios = new double[times.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = times[i] / reference[i];
        }
        return String.format(
                Locale.ROOT,
                "%.3f (shortest %.3f)",
                median(ratios),
                Arrays.stream(times).min().orElseThrow()
                        / Arrays.stream(reference).min().orElseThrow());
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /** Sequences that decode together. */
    private final class Steps implements AutoCloseable {
        private final LocalShard shard;
        private final int columns;
        private final int span;
        private int position;

        Steps(Path file, int columns, BatchInvariance mode) {
            this.columns = columns;
            span = KvSlotSpan.roundUp(context + rounds + WARM_UP + 1);
            GgufFile gguf = GgufFile.open(file);
            LayerSplitAdapter adapter = new Qwen35Family().open(gguf, ModelOptions.defaults());
            shard =
                    LocalShard.load(
                            new ModelRange(gguf, adapter, adapter.shape().allLayers()),
                            device,
                            ShardOptions.of(
                                            CacheTypes.f16(),
                                            new CacheCapacities(columns * span, columns + 1, 0))
                                    .withExactRows(mode),
                            LoadProgressListener.silent());
            for (int sequence = 0; sequence < columns; sequence++) {
                for (int begin = 0; begin < context; begin += 512) {
                    compute(
                            Phase.PREFILL,
                            List.of(chunk(sequence, begin, Math.min(512, context - begin))));
                }
            }
            position = context;
        }

        /** Milliseconds of one step. */
        double step() {
            List<SequenceChunk> chunks = new ArrayList<>();
            for (int sequence = 0; sequence < columns; sequence++) {
                chunks.add(chunk(sequence, position, 1));
            }
            position++;
            long begin = nanos();
            compute(Phase.DECODE, chunks);
            return (nanos() - begin) / 1e6;
        }

        private void compute(Phase phase, List<SequenceChunk> chunks) {
            shard.forward(new Batch(chunks, phase), Optional.empty()).join();
        }

        private SequenceChunk chunk(int sequence, int begin, int count) {
            int[] tokens = new int[count];
            for (int i = 0; i < count; i++) {
                tokens[i] = (7919 * (begin + i) + sequence) % VOCABULARY;
            }
            return new SequenceChunk(
                    sequence,
                    tokens,
                    ChunkPlacement.next(begin, new KvSlotSpan(sequence * span, span), sequence + 1),
                    RequestedOutput.BEST);
        }

        @Override
        public void close() {
            shard.close();
        }
    }
}
