package dev.varve.bench;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.local.LayerMajorImportanceScorer;
import dev.varve.platform.shard.local.LocalShard;
import dev.varve.platform.shard.scoring.BlockSelectionRule;
import dev.varve.platform.shard.scoring.SparseAttention;
import dev.varve.platform.shard.scoring.TailQueries;
import dev.varve.plugin.cpu.CpuBackendProvider;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.Qwen3Model;
import dev.varve.testkit.TensorType;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;

/**
 * Measures the cost of reading a text layer by layer and scoring its tokens against plain prefill
 * of the same model, in pairs next to each other.
 *
 * <pre>
 * ScanBench [--model FILE] [--type Q8_0] [--layers 8] [--vocab 32768] [--folder DIR] [-p 2048,4099] [--chunk 512]
 *           [--pairs 7] [--threads 2] [--text FILE [--alpha 0.7]]
 * </pre>
 *
 * <p>Without a file, layers of the shape of Qwen3-0.6B. The plain prefill is in chunks of 512, as
 * in an engine, by a shard whose logits are not requested.
 *
 * <p>With a text, sparse attention is measured against dense attention, from another position of
 * the text in each pair. This requires a trained model: with random weights all keys score alike.
 */
public final class ScanBench {
    private static final int PREFILL_CHUNK = 512;
    private static final double GOAL = 0.95;
    private static final PrintStream OUT = System.out;

    private final Map<String, String> flags;
    private final ComputeDevice device;
    private final ModelRange model;
    private final Random random = new Random(5);

    private ScanBench(Map<String, String> flags, ComputeDevice device, ModelRange model) {
        this.flags = flags;
        this.device = device;
        this.model = model;
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        Map<String, String> flags = new HashMap<>();
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            flags.put(arguments[i], arguments[i + 1]);
        }
        OpenedModel model = BenchPlugins.open(write(flags));
        Path natives = BenchPlugins.natives();
        try (ComputeDevice device =
                new CpuBackendProvider()
                        .open(new BackendOptions(natives, Optional.of(natives), false))
                        .open(
                                0,
                                new DeviceOptions(
                                        OptionalInt.of(number(flags, "--threads", 2)),
                                        OptionalInt.empty(),
                                        false))) {
            ScanBench bench = new ScanBench(flags, device, model.range(model.shape().allLayers()));
            for (String tokens : flags.getOrDefault("-p", "2048,4099").split(",")) {
                if (flags.containsKey("--text")) {
                    bench.compareSparse(Integer.parseInt(tokens));
                } else {
                    bench.compare(Integer.parseInt(tokens));
                }
            }
        }
    }

    private static int number(Map<String, String> flags, String flag, int usual) {
        return Integer.parseInt(flags.getOrDefault(flag, Integer.toString(usual)));
    }

    private static Path write(Map<String, String> flags) throws Exception {
        if (flags.containsKey("--model")) {
            return Path.of(flags.get("--model"));
        }
        int vocabulary = number(flags, "--vocab", 32_768);
        return Qwen3Model.real06b(vocabulary)
                .withSize(
                        new Qwen35Model.Size(
                                number(flags, "--layers", 8), 1024, 3072, vocabulary, 40_960))
                .withType(TensorType.parse(flags.getOrDefault("--type", "Q8_0")))
                .write(Files.createDirectories(Path.of(flags.getOrDefault("--folder", "target"))));
    }

    private void compare(int tokens) {
        CacheTypes types = CacheTypes.f16();
        int slots = KvSlotSpan.roundUp(tokens);
        Ratio ratio = new Ratio("scores of " + tokens, GOAL);
        try (LayerMajorImportanceScorer scan =
                        LayerMajorImportanceScorer.load(
                                model,
                                device,
                                types,
                                number(flags, "--chunk", PREFILL_CHUNK),
                                LoadProgressListener.silent());
                LocalShard shard =
                        LocalShard.load(
                                model,
                                device,
                                ShardOptions.of(
                                        types, new CacheCapacities(slots, 2, KvSlotSpan.BLOCK)),
                                LoadProgressListener.silent())) {
            for (int pair = -1; pair < number(flags, "--pairs", 7); pair++) {
                int[] text = random.ints(tokens, 0, scan.shape().vocabularySize()).toArray();
                // Being first has an advantage or a cost, so the sides alternate.
                double prefill = pair % 2 == 0 ? speed(tokens, () -> prefill(shard, text)) : 0;
                double read = speed(tokens, () -> read(scan, text, Optional.empty()));
                if (pair % 2 != 0) {
                    prefill = speed(tokens, () -> prefill(shard, text));
                }
                if (pair >= 0) {
                    ratio.add(read, prefill);
                }
            }
            OUT.println(ratio.describe("scores", "prefill"));
        }
    }

    private void compareSparse(int tokens) throws IOException {
        int[] text =
                BenchPlugins.tokenizer(model.file())
                        .encode(Files.readString(Path.of(flags.get("--text"))), false);
        int pairs = number(flags, "--pairs", 7);
        double alpha =
                Double.parseDouble(
                        flags.getOrDefault(
                                "--alpha", Double.toString(SparseAttention.USUAL_ALPHA)));
        Optional<SparseAttention> sparse =
                Optional.of(new SparseAttention(BlockSelectionRule.of(alpha), 1));
        Ratio ratio = new Ratio("scores of " + tokens + " of " + text.length, 1);
        try (LayerMajorImportanceScorer scan =
                LayerMajorImportanceScorer.load(
                        model,
                        device,
                        CacheTypes.f16(),
                        number(flags, "--chunk", PREFILL_CHUNK),
                        LoadProgressListener.silent())) {
            for (int pair = -1; pair < pairs; pair++) {
                int begin = (int) ((long) (text.length - tokens) * (pair + 1) / pairs);
                int[] part = Arrays.copyOfRange(text, begin, begin + tokens);
                double dense =
                        pair % 2 == 0 ? speed(tokens, () -> read(scan, part, Optional.empty())) : 0;
                double read = speed(tokens, () -> read(scan, part, sparse));
                if (pair % 2 != 0) {
                    dense = speed(tokens, () -> read(scan, part, Optional.empty()));
                }
                if (pair >= 0) {
                    ratio.add(read, dense);
                }
            }
        }
        OUT.println(ratio.describe("sparse", "dense"));
    }

    private static double speed(int tokens, Runnable work) {
        long begin = System.nanoTime();
        work.run();
        return tokens * 1e9 / (System.nanoTime() - begin);
    }

    private static void read(
            LayerMajorImportanceScorer scan, int[] text, Optional<SparseAttention> sparse) {
        scan.read(
                text,
                new LayerMajorImportanceScorer.ScoringOptions(
                        scan.shape().allLayers(), TailQueries.COUNT, false, sparse),
                new LayerMajorImportanceScorer.ProgressAndCancellation() {
                    @Override
                    public boolean isCancelled() {
                        return false;
                    }

                    @Override
                    public void onProgress(long done, long all) {
                        // Only the end matters.
                    }
                });
    }

    private static void prefill(LocalShard shard, int[] text) {
        KvSlotSpan span = new KvSlotSpan(0, KvSlotSpan.roundUp(text.length));
        for (int begin = 0; begin < text.length; begin += PREFILL_CHUNK) {
            int end = Math.min(text.length, begin + PREFILL_CHUNK);
            SequenceChunk chunk =
                    new SequenceChunk(
                            1,
                            Arrays.copyOfRange(text, begin, end),
                            ChunkPlacement.next(begin, span, 1),
                            RequestedOutput.NONE);
            shard.forward(new Batch(List.of(chunk), Phase.PREFILL), Optional.empty()).join();
        }
    }
}
