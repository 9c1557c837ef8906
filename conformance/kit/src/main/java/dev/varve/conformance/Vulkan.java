package dev.varve.conformance;

import static org.junit.jupiter.api.Assumptions.abort;

import dev.varve.api.VarveException;
import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.prefix.DiskTierOptions;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.local.LocalShard;
import dev.varve.plugin.vulkan.VulkanBackendProvider;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The first Vulkan device, a software renderer perhaps, and models on it and beside it. */
final class Vulkan {
    private static final Path NATIVES = Path.of(System.getProperty("varve.test.natives.vulkan"));

    private static ComputeDevice device;

    private Vulkan() {}

    /** The device; without one the test is skipped. */
    static synchronized ComputeDevice device() {
        if (device == null) {
            // Loads the library that the backend joins.
            Cpu.device();
            try {
                device =
                        new VulkanBackendProvider()
                                .open(new BackendOptions(NATIVES, Optional.of(NATIVES), false))
                                .open(0, DeviceOptions.automatic());
            } catch (VarveException e) {
                return abort("no Vulkan here: " + e.getMessage());
            }
        }
        return device;
    }

    /** Loads a model over devices that alternate at the cuts. */
    static LoadedModel load(
            Path file, ModelSettings settings, List<ComputeDevice> devices, int... cuts) {
        return load(file, settings, Optional.empty(), devices, cuts);
    }

    /** Likewise, with a disk behind host memory. */
    static LoadedModel load(
            Path file,
            ModelSettings settings,
            Optional<DiskTierOptions> disk,
            List<ComputeDevice> devices,
            int... cuts) {
        OpenedModel model = Cpu.open(file, settings.modelOptions());
        Map<String, ComputeDevice> byName = Map.of("cpu:0", Cpu.device(), "vulkan:0", device());
        List<DeviceReference> references = new ArrayList<>();
        List<LayerRange> ranges = new ArrayList<>();
        int begin = 0;
        for (int part = 0; part < devices.size(); part++) {
            int end = part < cuts.length ? cuts[part] : model.shape().layerCount();
            references.add(DeviceReference.parse(devices.get(part).info().name()));
            ranges.add(new LayerRange(begin, end));
            begin = end;
        }
        SplitMemoryPlan plan =
                SplitMemoryPlan.of(
                        model.adapter(),
                        Placement.of(references, ranges),
                        reference -> byName.get(reference.toString()).info(),
                        settings);
        return LoadedModel.load(
                model,
                plan,
                (part, options, progress) ->
                        LocalShard.load(
                                model.range(part.range()),
                                byName.get(part.device().toString()),
                                options,
                                progress),
                settings,
                new LoadedModel.EngineComponents(disk, Optional.empty()),
                LoadProgressListener.silent());
    }
}
