package dev.varve.platform.host;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.ggml.GgmlLibrary;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.Site;
import dev.varve.platform.plan.DeviceProbe;
import dev.varve.platform.plan.DeviceSpeed;
import dev.varve.platform.plan.RememberedProbe;
import dev.varve.platform.plan.SpeedProbe;
import dev.varve.platform.runtime.Computation;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.OpenedModel;
import dev.varve.platform.shard.LoadProgress;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.local.LocalShard;

import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Measures devices wherever they are: those of this process here, as well as those that a process
 * of ours will use and this one could; the others where they are, the way there included.
 */
final class PlacedProbe implements DeviceProbe {
    private final PreparedModel prepared;
    private final PlacedShards shards;
    private final RememberedProbe probe;
    private final Consumer<String> told;

    PlacedProbe(
            PreparedModel prepared,
            PlacedShards shards,
            RememberedProbe probe,
            Consumer<String> told) {
        this.prepared = prepared;
        this.shards = shards;
        this.probe = probe;
        this.told = told;
    }

    @Override
    public DeviceSpeed measure(DeviceReference device) {
        return isElsewhere(device) ? measureThere(device) : measureHere(device);
    }

    private boolean isElsewhere(DeviceReference device) {
        return switch (device.site()) {
            case Site.Local() -> false;
            case Site.Child() -> !prepared.backends().isUsable(device);
            case Site.Listening(var address) -> true;
        };
    }

    private DeviceSpeed measureHere(DeviceReference device) {
        OpenedModel model = prepared.model();
        ShardOptions options = SpeedProbe.shardOptions(model.adapter(), settings());
        try (ComputeDevice opened =
                prepared.backends()
                        .openDevice(device, prepared.settings().devices().options(CoreUse.ALONE))) {
            return probe.measure(
                    new RememberedProbe.Subject(
                            device.device(),
                            traits(device, opened),
                            range ->
                                    LocalShard.load(
                                            model.range(range),
                                            opened,
                                            options,
                                            LoadProgress.silent()),
                            opened.info().memoryFreeBytes()),
                    told);
        }
    }

    private List<String> traits(DeviceReference device, ComputeDevice opened) {
        return List.of(
                opened.info().name(),
                opened.info().description(),
                "threads " + opened.threads(Phase.DECODE),
                "batch " + opened.threads(Phase.PREFILL),
                "ggml " + GgmlLibrary.version(),
                computation(),
                "backend " + PluginDigest.ofBackend(prepared.catalog(), device.backend()),
                family());
    }

    private DeviceSpeed measureThere(DeviceReference device) {
        DeviceInfo info = shards.info(device);
        ShardOptions options = SpeedProbe.shardOptions(prepared.model().adapter(), settings());
        return probe.measure(
                new RememberedProbe.Subject(
                        device.toString(),
                        traits(device, info),
                        range ->
                                shards.open(
                                        new Placement.Part(device, range),
                                        options,
                                        LoadProgress.silent()),
                        info.memoryFreeBytes()),
                told);
    }

    private List<String> traits(DeviceReference device, DeviceInfo info) {
        return List.of(
                device.toString(),
                info.description(),
                "threads " + prepared.settings().devices().options(CoreUse.ALONE),
                computation(),
                "boundary " + prepared.settings().processes().boundaryType(),
                "backend " + backendThere(device),
                family());
    }

    /** A process that is started uses the plugins of this one; what listens has its own. */
    private String backendThere(DeviceReference device) {
        return device.site() instanceof Site.Child
                ? PluginDigest.ofBackend(prepared.catalog(), device.backend())
                : "of its own";
    }

    private String computation() {
        Computation computation = settings().computation();
        return String.format(
                Locale.ROOT,
                "cache %s, weights %s, %s",
                computation.cacheTypes(),
                computation.weights(),
                computation.numerics());
    }

    private String family() {
        String architecture = prepared.model().file().architecture();
        return "family " + PluginDigest.ofFamily(prepared.catalog(), architecture);
    }

    private ModelSettings settings() {
        return prepared.settings().model();
    }
}
