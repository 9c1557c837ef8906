package dev.varve.platform.runtime;

import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Plain models on devices that are nothing but a name. */
final class PlainLoading {
    static final long PLENTY = 1L << 40;

    private PlainLoading() {}

    /** Writes a model and opens it again. */
    static OpenedModel opened(PlainModel model, Path folder) {
        try {
            GgufFile file = GgufFile.open(model.write(folder));
            return new OpenedModel(file, PlainModel.read(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The ranges between cuts. */
    static List<LayerRange> ranges(OpenedModel model, int... cuts) {
        List<LayerRange> ranges = new ArrayList<>();
        int begin = 0;
        for (int cut : cuts) {
            ranges.add(new LayerRange(begin, cut));
            begin = cut;
        }
        ranges.add(new LayerRange(begin, model.shape().layerCount()));
        return ranges;
    }

    /** A plan for devices with plenty of memory, one per range. */
    static SplitMemoryPlan plan(
            OpenedModel model, ModelSettings settings, List<String> devices, int... cuts) {
        return SplitMemoryPlan.of(
                model.adapter(),
                Placement.of(
                        devices.stream().map(DeviceReference::parse).toList(), ranges(model, cuts)),
                device -> new DeviceInfo(device.device(), "", PLENTY, PLENTY, true),
                settings);
    }

    /** Opens plain shards of a model. */
    static ShardFactory factory(OpenedModel model) {
        return (part, options, progress) ->
                new PlainShard(
                        (PlainModel) model.adapter(), part.range(), PlainShard.Sizes.of(options));
    }

    /** Loads a model on as many devices as there are ranges. */
    static LoadedModel load(OpenedModel model, ModelSettings settings, int... cuts) {
        List<String> devices = new ArrayList<>();
        for (int i = 0; i <= cuts.length; i++) {
            devices.add("plain:" + i);
        }
        return LoadedModel.load(
                model,
                plan(model, settings, devices, cuts),
                factory(model),
                settings,
                LoadProgressListener.silent());
    }
}
