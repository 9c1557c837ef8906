package dev.varve.platform.plan;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.ggml.GgmlLibrary;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.LocalBackends;
import dev.varve.platform.placement.Site;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.LoadProgress;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.local.LocalShard;

import java.util.function.Consumer;

/**
 * Measures devices in this process. A device that a shard process of ours will use is measured here
 * too, if this process has its backend.
 *
 * @param told hears that a device is being measured, which takes seconds
 */
public record LocalDeviceProbe(
        GgufFile file,
        LayerSplitAdapter model,
        ModelBlocks blocks,
        LocalBackends backends,
        DeviceOptions deviceOptions,
        ModelSettings settings,
        ProbeCache cache,
        Age age,
        Consumer<String> told)
        implements DeviceProbe {
    /** Which measurements are good enough. */
    public enum Age {
        /** Earlier ones of the same device and model, too. */
        ANY,
        /** Only new ones. */
        NEW
    }

    @Override
    public DeviceSpeed measure(DeviceReference device) {
        if (device.site() instanceof Site.Listening) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    device + ": a device of another process cannot be measured from here");
        }
        try (ComputeDevice opened = backends.openDevice(device, deviceOptions)) {
            String key = key(opened);
            if (age == Age.ANY) {
                var known =
                        cache.find(key).filter(speed -> speed.kinds().size() == blocks.kindCount());
                if (known.isPresent()) {
                    return known.get();
                }
            }
            told.accept("measuring " + device.device() + " with a few layers of the model");
            DeviceSpeed speed =
                    new SpeedProbe(
                                    model,
                                    blocks,
                                    range ->
                                            LocalShard.load(
                                                    new ModelRange(file, model, range),
                                                    opened,
                                                    SpeedProbe.shardOptions(model, settings),
                                                    LoadProgress.silent()),
                                    opened.info().memoryFreeBytes())
                            .measure();
            cache.store(key, speed);
            return speed;
        }
    }

    private String key(ComputeDevice device) {
        return String.join(
                        " | ",
                        device.info().name(),
                        device.info().description(),
                        "threads " + device.threads(Phase.DECODE),
                        "batch " + device.threads(Phase.PREFILL),
                        "ggml " + GgmlLibrary.version(),
                        "cache " + settings.cacheTypes(),
                        settings.repack() ? "repacked" : "mapped",
                        "exact rows " + settings.exactRows(),
                        "model " + blocks.identity())
                .replaceAll("\\R", " ");
    }
}
