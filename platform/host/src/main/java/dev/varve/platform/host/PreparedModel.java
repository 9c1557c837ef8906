package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.platform.compression.PrefillDrafter;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.LocalBackends;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.plan.CachingProbe;
import dev.varve.platform.plan.CachingProbe.Age;
import dev.varve.platform.plan.ModelBlocks;
import dev.varve.platform.plan.ProbeCache;
import dev.varve.platform.plan.SpeculationForecast;
import dev.varve.platform.plan.SplitForecast;
import dev.varve.platform.plan.SplitPlanner;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.plugin.RejectedPlugin;
import dev.varve.platform.prefix.CacheStores;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.PoolPlan;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.runtime.UnusedTensors;
import dev.varve.platform.runtime.ZeroTensors;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A model file, its family and the devices asked for, before anything is loaded. Owns nothing that
 * must be closed: backends stay loaded as long as the process runs. One thread.
 */
@SuppressWarnings("exports") // see package-info
public final class PreparedModel {
    /** Folder of measurements in the cache folder. */
    private static final String PROBES = "probes";

    /** Tokens of a step whose cost tells what guesses are worth. */
    private static final int CHECKED = 8;

    private final HostSettings settings;
    private final ModelLoadListener listener;
    private final PluginCatalog catalog;
    private final OpenedModel model;
    private final LocalBackends backends;
    private final PlacementRequest request;
    private final long begin;
    private final TensorDigests digests;

    /** Other models that help this one. */
    private final AuxiliaryModels beside;

    private PreparedModel(Order order, OpenedModel model, Devices devices) {
        settings = order.settings();
        listener = order.listener();
        begin = order.begin();
        digests = TensorDigests.rememberedIn(settings.plugins().cacheFolder());
        this.model = model;
        catalog = devices.catalog();
        backends = devices.backends();
        request = devices.request();
        beside = new AuxiliaryModels(this, request, listener::note);
    }

    /** What was asked for, by whom, and when. */
    private record Order(HostSettings settings, ModelLoadListener listener, long begin) {}

    /** What is known of plugins and devices; {@code auto} is resolved. */
    private record Devices(
            PluginCatalog catalog, LocalBackends backends, PlacementRequest request) {}

    /**
     * Opens a file and finds its family and its devices.
     *
     * @throws VarveException if the file cannot be read, no plugin serves it, or its family refuses
     *     it
     * @throws IllegalArgumentException that begins with a setting if devices contradict each other
     *     or no plugin provides one
     */
    public static PreparedModel open(HostSettings settings, ModelLoadListener listener) {
        Order order = new Order(settings, listener, System.nanoTime());
        settings.requireReader();
        // The file first: most mistakes are in its name, and they need no plugin to be found.
        GgufFile file = ZeroTensors.requireWeights(settings.file(), listener::warning);
        PluginCatalog catalog = settings.plugins().catalog();
        catalog.rejected().forEach(plugin -> listener.warning(describe(plugin)));
        LayerSplitAdapter adapter =
                catalog.family(file.architecture(), file.path())
                        .open(file, settings.model().reading());
        UnusedTensors unused = UnusedTensors.of(file, adapter);
        unused.warning().ifPresent(listener::warning);
        unused.notes().forEach(listener::note);
        PlacementRequest asked = settings.devices().placement();
        LocalBackends backends =
                new LocalBackends(
                        catalog.backends(), settings.plugins().backendOptions(asked.peerAccess()));
        PlacementRequest request = asked.resolve(backends::best);
        listener.resolved(request, backends::provides);
        requireProvided(catalog, request);
        return new PreparedModel(
                order, new OpenedModel(file, adapter), new Devices(catalog, backends, request));
    }

    /** Why a plugin is of no use. */
    static String describe(RejectedPlugin plugin) {
        return String.format(
                Locale.ROOT,
                "plugin %s is not used: %s",
                plugin.file().getFileName(),
                plugin.reason());
    }

    /** The catalog's message also tells which plugins are refused and why. */
    private static void requireProvided(PluginCatalog catalog, PlacementRequest request) {
        for (DeviceReference device : request.devices()) {
            if (!device.isLocal()) {
                continue;
            }
            try {
                catalog.backend(device.backend());
            } catch (VarveException e) {
                Setting setting = request.isSplit() ? Setting.DEVICES : Setting.DEVICE;
                throw new IllegalArgumentException(
                        setting + ": " + device + ": " + e.getMessage(), e);
            }
        }
    }

    /** What was asked for. */
    public HostSettings settings() {
        return settings;
    }

    /** The file, and how its family reads it. */
    public OpenedModel model() {
        return model;
    }

    /** The devices, without {@code auto}. */
    public PlacementRequest request() {
        return request;
    }

    private ModelFamilyProvider family() {
        return catalog.family(model.file().architecture(), model.file().path());
    }

    /** Tokenizer of the file. */
    public Tokenizer tokenizer() {
        return Tokenizer.of(model.file().metadata(), family().preTokenizers());
    }

    /** A drafter without its model, and the devices on which it computes. */
    public record OpenDrafter(PrefillDrafter drafter, PlacedShardFactory shards)
            implements AutoCloseable {
        @Override
        public void close() {
            drafter.close();
            shards.close();
        }
    }

    /**
     * Opens the drafter alone, which was asked for in the settings.
     *
     * @throws VarveException if it cannot be used
     */
    public OpenDrafter openDrafter() {
        PlacedShardFactory shards = shards();
        try {
            return new OpenDrafter(
                    beside.drafter(settings.compression().orElseThrow(), shards).drafter(), shards);
        } catch (RuntimeException | Error e) {
            shards.close();
            throw e;
        }
    }

    PluginCatalog catalog() {
        return catalog;
    }

    /** Of the files of this model and of those that help it. */
    TensorDigests digests() {
        return digests;
    }

    LocalBackends backends() {
        return backends;
    }

    /** Shards of this model, each where its device is; the caller closes it after the shards. */
    public PlacedShardFactory shards() {
        return shards(
                new ProcessLinkFactory(
                        List.of(model.file().path()), catalog, settings.processes()));
    }

    /** Likewise, with other ways to the processes of devices that are not in this one. */
    public PlacedShardFactory shards(ShardLinkFactory links) {
        return new PlacedShardFactory(this, links);
    }

    /**
     * Foretells memory and speed; loads a few layers per device to measure it.
     *
     * @throws VarveException of kind OUT_OF_MEMORY with the sums if the model does not fit
     */
    public SplitForecast forecast(Age age) {
        try (PlacedShardFactory shards = shards()) {
            ModelSettings sized =
                    beside.drafterPlan(shards)
                            .map(plan -> beside.leaving(plan.ownBytes()))
                            .orElse(settings.model());
            SplitForecast forecast = planner(age, shards, sized).forecast(request);
            tell(forecast.pool());
            return forecast;
        }
    }

    private void tell(PoolPlan pool) {
        pool.remarks().warnings().forEach(listener::warning);
        pool.remarks().notes().forEach(listener::note);
    }

    /**
     * What the model that reads prompts would need for one as long as the context; empty where none
     * is asked for.
     */
    public Optional<PrefillDrafterPlan> drafterPlan() {
        try (PlacedShardFactory shards = shards()) {
            return beside.drafterPlan(shards);
        }
    }

    /** What guessing tokens would need; empty where nothing is to be guessed. */
    public Optional<DraftPlan> draftPlan() {
        try (PlacedShardFactory shards = shards()) {
            return settings.draft().map(draft -> beside.draft(draft, shards).plan());
        }
    }

    /**
     * Foretells what guesses are worth; measures a few layers on each device.
     *
     * @param forecast of the same model
     */
    public SpeculationForecast forecast(DraftPlan draft, SplitForecast forecast) {
        int tokens = Math.min(CHECKED, 1 + draft.most());
        try (PlacedShardFactory shards = shards()) {
            PlacedProbe probe = probe(Age.ANY, shards);
            double plain = 0;
            double check = 0;
            long bytes = 0;
            for (SplitForecast.Part part : forecast.parts()) {
                double millis = part.time().decodeMillis();
                plain += millis;
                check += millis * probe.checkRatio(part.memory().where().device(), tokens);
                bytes += part.memory().memory().need().weightBytes();
            }
            // A draft's weights are read like the model's.
            double guess = check * draft.weightBytes() / Math.max(1, bytes);
            return new SpeculationForecast(tokens, plain, check, guess);
        }
    }

    /**
     * Plans the model and promises it and its helping models what they will need, without loading
     * any of them.
     *
     * @return gives the promise back when it is closed
     * @throws VarveException of kind OUT_OF_MEMORY with the sums if it does not fit
     */
    public PlacedShardFactory reserve() {
        PlacedShardFactory shards = shards();
        try {
            shards.claimBeside(() -> beside.needs(shards));
            ModelSettings sized = settings.model();
            SplitPlanner.Placed placed = planner(Age.ANY, shards, sized).place(request);
            shards.claim(
                    SplitMemoryPlan.of(model.adapter(), placed.placement(), shards::info, sized));
            return shards;
        } catch (RuntimeException | Error e) {
            shards.close();
            throw e;
        }
    }

    /**
     * Loads the model.
     *
     * @throws VarveException of kind OUT_OF_MEMORY with the sums if it does not fit, of others if a
     *     device cannot be used
     */
    public HostedModel load() {
        return load(shards());
    }

    /** Likewise, through shards of this model, which belong to it from then on. */
    public HostedModel load(PlacedShardFactory shards) {
        List<Optional<SpeculationOptions>> speculation = new ArrayList<>();
        Optional<HostedModel.CompressingDrafter> drafter = Optional.empty();
        try {
            shards.claimBeside(() -> beside.needs(shards));
            drafter = settings.compression().map(asked -> beside.drafter(asked, shards));
            Tokenizer tokenizer = tokenizer();
            ModelSettings leaving = drafter.map(beside::leaving).orElse(settings.model());
            listener.opened(model.file(), tokenizer);
            for (int i = 0; i < leaving.replicas(); i++) {
                // What the plan finds free is free beside them.
                speculation.add(speculation(shards));
            }
            ModelSettings sized =
                    speculation
                            .getFirst()
                            .map(options -> SpeculatorFactory.settings(leaving, options))
                            .orElse(leaving);
            SplitPlanner.Placed placed = planner(Age.ANY, shards, sized).place(request);
            SplitMemoryPlan plan =
                    SplitMemoryPlan.of(model.adapter(), placed.placement(), shards::info, sized);
            tell(plan.pool());
            plan.pool().describe().ifPresent(line -> listener.note(Setting.KVFLASH + ": " + line));
            shards.claim(plan);
            listener.planned(plan, placed.reasons());
            Optional<HostedModel.CompressingDrafter> reader = drafter;
            ReplicaFactory opening =
                    new ReplicaFactory(
                            new ReplicaFactory.Parts(model, plan, paced(sized), shards),
                            new ReplicaFactory.Helpers(
                                    () -> speculation(shards),
                                    guesses -> beside.extras(guesses, reader, tokenizer)),
                            speculation,
                            kept(placed.placement(), plan, sized));
            speculation.clear();
            return new HostedModel(
                    load(opening),
                    opening,
                    new HostedModel.Place(placed.placement(), shards),
                    new HostedModel.Reading(tokenizer, drafter),
                    (System.nanoTime() - begin) / 1e6);
        } catch (RuntimeException | Error e) {
            drafter.ifPresent(each -> each.drafter().close());
            speculation.forEach(each -> each.ifPresent(options -> options.speculator().close()));
            try {
                shards.close();
            } catch (RuntimeException closing) {
                e.addSuppressed(closing);
            }
            throw e;
        }
    }

    /** Devices of the model, and the processors that other processes compute small models on. */
    List<DeviceReference> devices() {
        return Stream.concat(request.devices().stream(), beside.processors()).toList();
    }

    private Optional<SpeculationOptions> speculation(PlacedShardFactory shards) {
        return settings.draft().map(draft -> beside.draft(draft, shards).open());
    }

    private List<LoadedModel> load(ReplicaFactory opening) {
        try {
            return opening.openAll(listener);
        } catch (RuntimeException | Error e) {
            opening.close();
            throw e;
        }
    }

    private ReplicaFactory.Kept kept(
            Placement placement, SplitMemoryPlan plan, ModelSettings sized) {
        CacheStores stores =
                new CacheStoreFactory(settings, catalog, model, sized).open(placement, plan);
        try {
            return new ReplicaFactory.Kept(
                    stores, settings.sharing().events().map(events -> events.open(catalog)));
        } catch (RuntimeException | Error e) {
            stores.close();
            throw e;
        }
    }

    /** A token of decode has its own numbers beside a prompt only with the threads of its phase. */
    private ModelSettings paced(ModelSettings sized) {
        return settings.devices().phasesAreAlike()
                ? sized
                : sized.with(sized.waiting().withoutMixing());
    }

    /** Decides on the layers of each device. */
    private SplitPlanner planner(Age age, PlacedShardFactory shards, ModelSettings sized) {
        ModelBlocks blocks = ModelBlocks.of(model.adapter());
        return new SplitPlanner(model.adapter(), blocks, sized, shards::info, probe(age, shards));
    }

    private PlacedProbe probe(Age age, PlacedShardFactory shards) {
        ModelBlocks blocks = ModelBlocks.of(model.adapter());
        ProbeCache cache = new ProbeCache(settings.plugins().cacheFolder().resolve(PROBES));
        CachingProbe probe = new CachingProbe(model.adapter(), blocks, cache, age);
        return new PlacedProbe(this, shards, probe, listener::note);
    }
}
