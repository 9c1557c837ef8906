package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.TensorUse;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.RangeMemory;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.CacheUnitBytes;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Qwen35Model;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The server names an operation that a device does not run before it computes. It counts the memory
 * that a device needs before it allocates.
 */
class DeviceLimitsTest {
    private static final CacheTypes F32 = new CacheTypes(GgmlType.F32, GgmlType.F32);

    @TempDir Path folder;

    /** There are shaders for states of 16, 32, 64 and 128. */
    @Test
    void unsupportedOperatorIsNamedWithDeviceAndLayer() throws Exception {
        Vulkan.device();
        Qwen35Model spec =
                LongStream.range(0, 100)
                        .mapToObj(Qwen35Model::odd)
                        .filter(model -> model.deltaNet().stateSize() == 48)
                        .findFirst()
                        .orElseThrow();
        Path file = spec.write(folder);
        ModelSettings settings = Cpu.settings(512, 1, F32);

        VarveException error =
                assertThrows(
                        VarveException.class,
                        () -> Vulkan.load(file, settings, List.of(Vulkan.device())));

        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        String message = error.getMessage();
        assertTrue(message.contains("vulkan:0 does not run GATED_DELTA_NET"), message);
        assertTrue(message.contains("[48, "), message);
        assertTrue(message.matches(".* at or after blk\\.\\d+\\..*"), message);
    }

    @Test
    void quantizedCacheWithoutFlashAttentionIsRefusedWithTheAlternatives() throws Exception {
        RandomModel spec = Family.LAGUNA.odd(Family.LAGUNA.quantisableSeed());
        Path file = spec.write(folder);
        ModelSettings settings = Cpu.with(Cpu.settings(512, 1, Cpu.Q8_0), FlashAttention.OFF);

        VarveException error =
                assertThrows(VarveException.class, () -> Cpu.load(file, settings).close());

        assertEquals(VarveException.Kind.INVALID_REQUEST, error.kind());
        String message = error.getMessage();
        assertTrue(message.contains("q8_0/q8_0 does not work"), message);
        assertTrue(message.contains("on cpu:0 with {setting:flashAttention} off"), message);
        assertTrue(message.contains("quantised values need flash attention"), message);
        assertTrue(message.contains("q8_0/f16"), message);
        assertTrue(message.contains("f32/bf16"), message);
        assertTrue(!message.matches(".*/q[458]_\\d,.*"), message);
    }

    /** Tables that are looked up stay in the file where the device has memory of its own. */
    @ParameterizedTest
    @EnumSource
    void embeddingTablesCountOnlyInHostMemory(Family family) throws Exception {
        LayerSplitAdapter model = model(family.odd(family.quantisableSeed()));
        LayerRange all = model.shape().allLayers();
        ModelSettings settings = ModelSettings.single(512);
        long tables =
                model.tensors(all).entries().stream()
                        .filter(entry -> entry.use() == TensorUse.ROW_LOOKUP)
                        .mapToLong(entry -> entry.tensor().bytes())
                        .sum();

        RangeMemory host = RangeMemory.of(model, all, info(true), settings);
        RangeMemory own = RangeMemory.of(model, all, info(false), settings);

        assertTrue(tables > 0);
        assertEquals(tables, host.weightBytes() - own.weightBytes());
        // A device with its own memory finds the best token of 16 rows, and of one per decode
        // graph, and the best tokens of one sampled row.
        long rows =
                CacheUnitBytes.MAX_ROW_MAXIMA
                        + CacheUnitBytes.DECODE_GRAPHS
                        + CacheUnitBytes.ROWS_PER_TOP_ROW;
        long row = (long) model.shape().vocabularySize() * Float.BYTES;
        assertEquals(rows * row, own.computeBytes() - host.computeBytes());
    }

    /** A whole chunk at the end of a whole context is the most that is ever computed. */
    @ParameterizedTest
    @EnumSource
    @ByDay({1, 3})
    void planIncludesTheScoresOfUnfusedAttention(Family family) throws Exception {
        RandomModel spec = family.odd(family.quantisableSeed());
        Path file = spec.write(folder);
        ModelSettings settings = Cpu.with(Cpu.settings(1024, 1, F32), FlashAttention.OFF);
        LayerSplitAdapter model = model(spec);
        LayerRange all = model.shape().allLayers();

        long off = RangeMemory.of(model, all, settings).computeBytes();
        long on = RangeMemory.of(model, all, Cpu.with(settings, FlashAttention.ON)).computeBytes();

        assertTrue(off > on, "flash attention off: " + off + ", on: " + on);
        SteppedLogits steps = new SteppedLogits(FlashAttention.OFF, F32);
        long used = steps.computeBytes(file, Cpu.oneThread(), spec.tokens(1024, 3), 512);
        assertTrue(used <= off, "planned " + off + ", used " + used);
        long fused =
                new SteppedLogits(FlashAttention.ON, F32)
                        .computeBytes(file, Cpu.oneThread(), spec.tokens(1024, 3), 512);
        assertTrue(fused <= on, "planned with flash attention " + on + ", used " + fused);
    }

    private LayerSplitAdapter model(RandomModel spec) throws Exception {
        GgufFile gguf = GgufFile.open(spec.write(folder));
        return Cpu.family(gguf).open(gguf, ModelOptions.defaults());
    }

    private static DeviceInfo info(boolean hostCores) {
        return new DeviceInfo("any:0", "", 1L << 30, 1L << 30, hostCores);
    }
}
