package dev.varve.platform.host;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.ggml.GgmlLibrary;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.ProcessLocation;
import dev.varve.platform.placement.TensorRules;
import dev.varve.platform.plan.BlockBenchmark;
import dev.varve.platform.plan.CachingProbe;
import dev.varve.platform.plan.DeviceProbe;
import dev.varve.platform.plan.Measurement;
import dev.varve.platform.plan.ModelBlocks;
import dev.varve.platform.plan.ShardOpener;
import dev.varve.platform.runtime.ComputeSettings;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.WeightLayout;
import dev.varve.platform.shard.local.LocalShard;
import dev.varve.platform.shard.local.ShardDevices;
import dev.varve.platform.shard.local.WeightCache;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Measures devices at any site. Devices of this process, and devices that a child process will use
 * and this process can open too, are measured here; other devices are measured in their process,
 * including the transfer.
 */
final class PlacedProbe implements DeviceProbe {
    private final PreparedModel prepared;
    private final PlacedShardFactory shards;
    private final TensorRules rules;
    private final CachingProbe probe;
    private final Consumer<String> notes;

    /** Digests of plugins, cached because the files are large. */
    private final Map<String, String> builds = new ConcurrentHashMap<>();

    /**
     * @param rules devices of experts
     * @param probe for the blocks of the model with these rules
     */
    PlacedProbe(
            PreparedModel prepared,
            PlacedShardFactory shards,
            TensorRules rules,
            CachingProbe probe,
            Consumer<String> notes) {
        this.prepared = prepared;
        this.shards = shards;
        this.rules = rules;
        this.probe = probe;
        this.notes = notes;
    }

    @Override
    public Measurement measure(DeviceReference device) {
        return isElsewhere(device) ? measureRemote(device) : measureLocal(device);
    }

    private boolean isElsewhere(DeviceReference device) {
        return switch (device.site()) {
            case ProcessLocation.Local() -> false;
            case ProcessLocation.Child() -> !prepared.backends().isUsable(device);
            case ProcessLocation.Listening(var address) -> true;
        };
    }

    /**
     * Measures how much longer a step with several tokens of one sequence takes on a device than a
     * step with one token; not cached.
     *
     * @param tokens number of tokens; each gets the same numbers as when it is computed alone
     */
    double checkRatio(DeviceReference device, int tokens) {
        notes.accept("measuring " + device + ": time to verify draft tokens");
        ModelSettings exact = settings().with(settings().computation().with(BatchInvariance.ON));
        ShardOptions options = BlockBenchmark.shardOptions(prepared.model().adapter(), exact);
        if (isElsewhere(device)) {
            return speedProbe(remoteOpener(device, options), shards.info(device))
                    .checkRatio(tokens);
        }
        try (ComputeDevice opened = open(device)) {
            return speedProbe(here(device, opened, options), opened.info()).checkRatio(tokens);
        }
    }

    private BlockBenchmark speedProbe(ShardOpener opener, DeviceInfo info) {
        LayerSplitAdapter model = prepared.model().adapter();
        return new BlockBenchmark(model, blocks(), opener, info.memoryFreeBytes());
    }

    private ModelBlocks blocks() {
        return ModelBlocks.of(prepared.model().adapter(), rules);
    }

    /** Returns a range on a device, with the weights that the rules place elsewhere. */
    private Placement.Part part(DeviceReference device, LayerRange range) {
        return rules.apply(new Placement.Part(device, range), prepared.model().adapter());
    }

    private ComputeDevice open(DeviceReference device) {
        return prepared.backends()
                .openDevice(device, prepared.settings().devices().options(CpuSharingMode.ALONE));
    }

    private ShardOpener here(
            DeviceReference reference, ComputeDevice device, ShardOptions options) {
        OpenedModel model = prepared.model();
        return range ->
                LocalShard.load(
                        model.range(range),
                        ShardDevices.of(
                                device,
                                part(reference, range).tensors(),
                                name -> shards.device(DeviceReference.parse(name))),
                        options,
                        LoadProgressListener.silent(),
                        new WeightCache());
    }

    private ShardOpener remoteOpener(DeviceReference device, ShardOptions options) {
        return range -> shards.open(part(device, range), options, LoadProgressListener.silent());
    }

    private Measurement measureLocal(DeviceReference device) {
        ShardOptions options = BlockBenchmark.shardOptions(prepared.model().adapter(), settings());
        try (ComputeDevice opened = open(device)) {
            return probe.measure(
                    new CachingProbe.Subject(
                            device.device(),
                            traits(device, opened),
                            here(device, opened, options),
                            opened.info().memoryFreeBytes(),
                            true),
                    notes);
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
                backendPlugin(device),
                family());
    }

    private Measurement measureRemote(DeviceReference device) {
        DeviceInfo info = shards.info(device);
        ShardOptions options = BlockBenchmark.shardOptions(prepared.model().adapter(), settings());
        return probe.measure(
                new CachingProbe.Subject(
                        device.toString(),
                        traits(device, info),
                        remoteOpener(device, options),
                        info.memoryFreeBytes(),
                        false),
                notes);
    }

    private List<String> traits(DeviceReference device, DeviceInfo info) {
        return List.of(
                device.toString(),
                info.description(),
                "threads " + prepared.settings().devices().options(CpuSharingMode.ALONE),
                computation(),
                "boundary " + prepared.settings().processes().boundaryType(),
                remoteBackend(device),
                family());
    }

    /**
     * Returns the backend build of a process: a child process uses the plugins of this process; a
     * listening process has its own.
     */
    private String remoteBackend(DeviceReference device) {
        return device.site() instanceof ProcessLocation.Child
                ? backendPlugin(device)
                : "backend of its own";
    }

    private String computation() {
        ComputeSettings computation = settings().computation();
        return String.format(
                Locale.ROOT,
                "cache %s, weights %s, %s",
                computation.cacheTypes(),
                computation.weights(),
                computation.numerics());
    }

    private String family() {
        return builds.computeIfAbsent(
                "family",
                kind ->
                        kind
                                + " "
                                + PluginDigest.ofFamily(
                                        prepared.catalog(),
                                        prepared.model().file().architecture()));
    }

    private String backendPlugin(DeviceReference device) {
        return builds.computeIfAbsent(
                "backend " + device.backend(),
                kind -> "backend " + PluginDigest.ofBackend(prepared.catalog(), device.backend()));
    }

    /** Experts that are streamed are measured in memory: only a few layers are loaded. */
    private ModelSettings settings() {
        ModelSettings asked = prepared.settings().model();
        return asked.computation().weights() == WeightLayout.STREAMED
                ? asked.with(asked.computation().with(WeightLayout.AS_IN_FILE))
                : asked;
    }
}
