package dev.varve.conformance;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.prefix.DiskTierOptions;
import dev.varve.platform.remote.BoundaryType;
import dev.varve.platform.remote.RemoteShard;
import dev.varve.platform.remote.ShardLink;
import dev.varve.platform.remote.ShardLoadRequest;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.shard.ComputeResource;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.local.LocalShard;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * A model file that is loaded in parts.
 *
 * @param links the link to the process of a device that is not in this one
 */
record SplitModel(
        GgufFile file,
        LayerSplitAdapter adapter,
        BoundaryType boundary,
        Function<DeviceReference, ShardLink> links) {

    static SplitModel of(
            Path path,
            ModelSettings settings,
            BoundaryType boundary,
            Function<DeviceReference, ShardLink> links) {
        GgufFile file = GgufFile.open(path);
        return new SplitModel(
                file, Cpu.family(file).open(file, settings.modelOptions()), boundary, links);
    }

    /** The same model with adapters and their scales. */
    SplitModel with(Map<Path, Float> adapters) {
        return new SplitModel(file, Cpu.open(file.path(), adapters).adapter(), boundary, links);
    }

    /** The ranges between cuts. */
    List<LayerRange> ranges(int... cuts) {
        List<LayerRange> ranges = new ArrayList<>();
        int begin = 0;
        for (int cut : cuts) {
            ranges.add(new LayerRange(begin, cut));
            begin = cut;
        }
        ranges.add(new LayerRange(begin, adapter.shape().layerCount()));
        return ranges;
    }

    /** Whether the family may be cut at these layers. */
    boolean isLegal(int... cuts) {
        try {
            return adapter.align(ranges(cuts)).equals(ranges(cuts));
        } catch (VarveException e) {
            // More parts than the family can have.
            return false;
        }
    }

    /** Returns the layers at which the family may be cut in two. */
    List<Integer> cuts() {
        return IntStream.range(1, adapter.shape().layerCount())
                .filter(this::isLegal)
                .boxed()
                .toList();
    }

    /**
     * Loads the model.
     *
     * @param devices one per range, such as {@code cpu:0} and {@code cpu:0@process}
     */
    LoadedModel load(ModelSettings settings, List<String> devices, int... cuts) {
        return load(settings, Optional.empty(), devices, cuts);
    }

    /** Likewise, with a disk behind host memory. */
    LoadedModel load(
            ModelSettings settings,
            Optional<DiskTierOptions> disk,
            List<String> devices,
            int... cuts) {
        return load(
                settings, new LoadedModel.EngineComponents(disk, Optional.empty()), devices, cuts);
    }

    /** Loads the model with auxiliary features. */
    LoadedModel load(
            ModelSettings settings,
            LoadedModel.EngineComponents extras,
            List<String> devices,
            int... cuts) {
        Placement placement =
                Placement.of(devices.stream().map(DeviceReference::parse).toList(), ranges(cuts));
        SplitMemoryPlan plan =
                SplitMemoryPlan.of(adapter, placement, device -> Cpu.oneThread().info(), settings);
        return LoadedModel.load(
                new OpenedModel(file, adapter),
                plan,
                this::open,
                settings,
                extras,
                LoadProgressListener.silent());
    }

    /** Loads one range. */
    Shard open(Placement.Part part, ShardOptions options, LoadProgressListener progress) {
        DeviceReference device = part.device();
        if (device.isLocal()) {
            return LocalShard.load(
                    new ModelRange(file, adapter, part.range()),
                    Cpu.oneThread(),
                    options,
                    progress);
        }
        return RemoteShard.open(
                new RemoteShard.Peer(
                        device.toString(),
                        links.apply(device),
                        new ComputeResource(Cpu.oneThread().lock())),
                adapter,
                request(part, options),
                TensorDigests.cachedIn(file.path().resolveSibling("cache")),
                progress);
    }

    private ShardLoadRequest request(Placement.Part part, ShardOptions options) {
        return new ShardLoadRequest(
                        ShardLoadRequest.Model.of(file, adapter, ModelOptions.defaults()),
                        part.range(),
                        part.tensors(),
                        options,
                        new ShardLoadRequest.Device(
                                part.device().device(),
                                new DeviceOptions(OptionalInt.of(1), OptionalInt.empty(), true)),
                        boundary)
                .adaptedAs(adapter);
    }
}
