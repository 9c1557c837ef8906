package dev.varve.platform.check;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.plan.BlockBenchmark;
import dev.varve.platform.plan.ModelBlocks;
import dev.varve.platform.plan.StepTime;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.setting.ByteCount;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.local.LocalShard;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Measures decode and prefill of a synthetic model, whose size follows the free memory. */
final class SpeedChecks {
    /** Time in which the file is written and measured, also on a slow disk. */
    static final Duration LIMIT = Duration.ofSeconds(60);

    /**
     * Memory of the weights by default: more than the caches of processors, and read in seconds.
     */
    private static final long QUICK_BYTES = 512L << 20;

    private static final long FULL_BYTES = 16L << 30;

    /** Software renderers take minutes for more. */
    private static final int RENDERER_LAYERS = 1;

    private final CheckSetup setup;
    private final DeviceReference device;

    SpeedChecks(CheckSetup setup, DeviceReference device) {
        this.setup = setup;
        this.device = device;
    }

    List<Check> checks() {
        return List.of(new Check(CheckGroup.SPEED, "synthetic model", LIMIT, this::measure));
    }

    private Verdict measure() throws IOException {
        if (!setup.serves(SyntheticModel.ARCHITECTURE)) {
            return Verdict.skipped("no plugin serves " + SyntheticModel.ARCHITECTURE);
        }
        Path file = setup.folder().resolve("synthetic.gguf");
        try (ComputeDevice opened = setup.open(device)) {
            int layers = layers(opened);
            if (layers < 1) {
                return Verdict.skipped("not enough free memory, or space in the temporary folder");
            }
            SyntheticModel shape = new SyntheticModel(layers);
            shape.write(file);
            return describe(shape, time(file, opened));
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** Half of the free memory and of the free space of the disk at most. */
    private int layers(ComputeDevice opened) throws IOException {
        if (opened.info().hostCores() && !device.equals(DeviceReference.PROCESSOR)) {
            return RENDERER_LAYERS;
        }
        long most = setup.isFull() ? FULL_BYTES : QUICK_BYTES;
        long bytes = Math.min(most, opened.info().memoryFreeBytes() / 2);
        bytes = Math.min(bytes, Files.getFileStore(setup.folder()).getUsableSpace() / 2);
        long rest = bytes - new SyntheticModel(0).bytes();
        return (int) Math.min(64, rest / SyntheticModel.layerBytes());
    }

    private StepTime time(Path file, ComputeDevice opened) {
        OpenedModel model = setup.open(new CheckedModel("synthetic", file, Optional.empty()));
        ShardOptions options =
                BlockBenchmark.shardOptions(model.adapter(), ModelSettings.defaults());
        return new BlockBenchmark(
                        model.adapter(),
                        ModelBlocks.of(model.adapter()),
                        range ->
                                LocalShard.load(
                                        model.range(range),
                                        opened,
                                        options,
                                        LoadProgressListener.silent()),
                        opened.info().memoryFreeBytes())
                .measure(model.shape().allLayers());
    }

    private static Verdict describe(SyntheticModel shape, StepTime time) {
        double bytesPerSecond = shape.bytes() / time.decodeMillis() * 1e3;
        return Verdict.ok(
                "",
                String.format(
                        Locale.ROOT,
                        "decode %.1f tokens/s (%.1f GB/s), prefill %.0f tokens/s; %d layers of a"
                                + " 4B shape, Q4_K, %s",
                        1e3 / time.decodeMillis(),
                        bytesPerSecond / 1e9,
                        1e3 * StepTime.CHUNK / time.prefillMillis(),
                        shape.layers(),
                        ByteCount.format(shape.bytes())));
    }
}
