package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelOptions;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.RangeMemory;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.CacheUnitBytes;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** Compute buffers after all kinds of graphs, against the plan. */
class ComputeMemoryTest {
    private static final int CONTEXT = 512;
    private static final int PROMPT = 500;
    private static final int PARALLEL = 16;

    @TempDir Path folder;

    /**
     * Many sequences make the decode buffers count beside that of prefill; the graphs differ in the
     * order of the sequences only, so that each has the most columns that there can be. The plan is
     * for any device, also for those that put recurrent states elsewhere while they compute.
     */
    @ParameterizedTest
    @SomeFamilies(first = 1, plain = true)
    @ByDay(1)
    void allGraphsTogetherFitThePlannedMemory(Family family) throws Exception {
        RandomModel spec = family.odd(family.quantisableSeed(), TensorType.Q8_0);
        Path file = spec.write(folder);
        ModelSettings settings = Cpu.settings(CONTEXT, PARALLEL, Cpu.F16);
        settings = settings.with(settings.computation().with(BatchInvariance.ON));
        GgufFile gguf = GgufFile.open(file);
        LayerSplitAdapter model = Cpu.family(gguf).open(gguf, ModelOptions.defaults());
        long planned = RangeMemory.of(model, model.shape().allLayers(), settings).computeBytes();

        long prefill;
        long all;
        try (SharedForwards shard =
                new SharedForwards(
                        file,
                        IntStream.range(0, PARALLEL)
                                .mapToObj(text -> spec.tokens(CONTEXT, text))
                                .toList(),
                        Cpu.withoutOwnRecurrence(),
                        Cpu.F16,
                        FlashAttention.AUTO,
                        BatchInvariance.ON)) {
            for (int text = 0; text < PARALLEL; text++) {
                shard.forward(Phase.PREFILL, shard.next(text, PROMPT));
            }
            prefill = shard.computeBytes();
            for (int graph = 0; graph <= CacheUnitBytes.DECODE_GRAPHS; graph++) {
                List<SequenceChunk> chunks = new ArrayList<>();
                for (int text = 0; text < PARALLEL; text++) {
                    chunks.add(shard.next(text, 1));
                }
                Collections.rotate(chunks, graph);
                shard.forward(Phase.DECODE, chunks);
            }
            all = shard.computeBytes();
        }

        String sums = "planned " + planned + ", prefill " + prefill + ", with decode " + all;
        assertTrue(all - prefill > prefill / 8, "decode says something: " + sums);
        assertTrue(all <= planned, sums);
        assertTrue(planned < 3 * all, sums);
    }
}
