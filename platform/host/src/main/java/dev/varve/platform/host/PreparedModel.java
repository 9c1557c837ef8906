package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.draft.DraftFile;
import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.LocalBackends;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.SplitRule;
import dev.varve.platform.placement.TensorRule;
import dev.varve.platform.placement.TensorRules;
import dev.varve.platform.plan.CachingProbe;
import dev.varve.platform.plan.CachingProbe.Age;
import dev.varve.platform.plan.EngineProbe;
import dev.varve.platform.plan.LazyModelBlocks;
import dev.varve.platform.plan.MeasurementCache;
import dev.varve.platform.plan.PlacementFitter;
import dev.varve.platform.plan.ProbeCache;
import dev.varve.platform.plan.ProcLoadMeter;
import dev.varve.platform.plan.SpeculationForecast;
import dev.varve.platform.plan.SplitForecast;
import dev.varve.platform.plan.SplitPlanner;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.plugin.RejectedPlugin;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.PoolPlan;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.runtime.UnreadKeys;
import dev.varve.platform.runtime.UnusedTensors;
import dev.varve.platform.runtime.ZeroTensors;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.tokenizer.Tokenizer;

import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A model file, its family and the configured devices, before anything is loaded. Owns nothing that
 * must be closed: backends stay loaded as long as the process runs. For one thread.
 */
@SuppressWarnings("exports") // see package-info
public final class PreparedModel {
    /** Folder of measurements in the cache folder. */
    private static final String PROBES = "probes";

    /** Tokens of the step whose cost determines the value of draft tokens. */
    private static final int CHECKED = 8;

    /** As requested. */
    private final HostSettings asked;

    /** As requested, or with another layout of the weights if they do not fit. */
    private HostSettings settings;

    private final ModelLoadListener listener;
    private final PluginCatalog catalog;
    private final OpenedModel model;
    private final LocalBackends backends;

    /** Devices that are requested. */
    private final PlacementRequest resolved;

    /** As requested, or another placement if the model does not fit. */
    private PlacementRequest request;

    /** Why the placement is not as requested. */
    private List<String> fitting = List.of();

    private final long begin;
    private final TensorDigests digests;

    /** Blocks by the rules that place their weights. */
    private final Map<TensorRules, LazyModelBlocks> blocks = new HashMap<>();

    /** Auxiliary models. */
    private final AuxiliaryModels auxiliary;

    private final Optional<ImageEncoderFactory> images;

    private PreparedModel(HostSettings settings, ModelLoadListener listener) {
        asked = settings;
        this.settings = settings;
        this.listener = listener;
        begin = System.nanoTime();
        settings.requireReader();
        // Checks the file first: most mistakes are in its name, and finding them needs no plugin.
        GgufFile file = ZeroTensors.requireWeights(settings.file(), listener::warning);
        catalog = settings.plugins().catalog();
        catalog.rejected().forEach(plugin -> listener.warning(describe(plugin)));
        requireTarget(file);
        LayerSplitAdapter adapter =
                catalog.family(file.architecture(), file.path())
                        .open(file, settings.model().modelOptions());
        LayerSplitAdapter adapted =
                LoraSettings.adapt(settings.adapters(), file, adapter, listener::note);
        LoraSettings.requireLoadedExperts(adapted, settings.model().computation().weights());
        model = new OpenedModel(file, adapted);
        UnreadKeys.of(file).warning().ifPresent(listener::warning);
        UnusedTensors unused = UnusedTensors.of(file, adapter);
        unused.warning().ifPresent(listener::warning);
        unused.notes().forEach(listener::note);
        PlacementRequest named = settings.devices().placement();
        backends =
                new LocalBackends(
                        catalog.backends(), settings.plugins().backendOptions(named.peerAccess()));
        resolved = named.resolve(backends::best);
        request = resolved;
        listener.resolved(request, backends::provides);
        requireProvided();
        StreamedExperts.require(settings.model(), model.adapter(), request);
        digests = TensorDigests.cachedIn(settings.plugins().cacheFolder());
        auxiliary = new AuxiliaryModels(this, request, listener::note);
        images = settings.images().map(this::images);
        if (images.isEmpty()) {
            offerProjectors();
        }
    }

    private ImageEncoderFactory images(ImageSettings asked) {
        if (settings.readsPages()) {
            throw new IllegalArgumentException(
                    Setting.MMPROJ
                            + ": a drafter that selects pages reads no images; choose another "
                            + Setting.KVFLASH_POLICY);
        }
        ProjectorFile projector = ProjectorFile.open(asked.projector(), catalog);
        return new ImageEncoderFactory(asked, projector, model, request);
    }

    /** Names projectors beside the model, except those that are certainly of another one. */
    private void offerProjectors() {
        for (Path file : ProjectorFile.beside(model.file().path())) {
            if (!ProjectorFile.isOfAnother(file, catalog, model)) {
                listener.note(
                        "the model may read images with "
                                + Setting.MMPROJ
                                + " "
                                + file.getFileName());
            }
        }
    }

    /**
     * Opens a file and finds its family and its devices.
     *
     * @throws VarveException if the file cannot be read, no plugin serves it, or its family rejects
     *     it
     * @throws IllegalArgumentException that begins with a setting if devices contradict each other
     *     or no plugin provides one
     */
    public static PreparedModel open(HostSettings settings, ModelLoadListener listener) {
        return new PreparedModel(settings, listener);
    }

    /** Describes why a plugin was rejected. */
    static String describe(RejectedPlugin plugin) {
        return String.format(
                Locale.ROOT,
                "plugin %s is not used: %s",
                plugin.file().getFileName(),
                plugin.reason());
    }

    private static void requireTarget(GgufFile file) {
        if (DraftFile.isDraft(file.architecture())) {
            throw new VarveException(
                    VarveException.Kind.UNSUPPORTED_MODEL,
                    file.path().getFileName()
                            + ": this is a draft model (architecture "
                            + file.architecture()
                            + "), which needs a target model; give the target as the model, and"
                            + " this file with "
                            + Setting.DRAFT);
        }
    }

    /**
     * Checks that the backends exist; the message names the setting, the existing devices and the
     * rejected plugins.
     */
    private void requireProvided() {
        for (DeviceReference device : request.devices()) {
            if (!device.isLocal()) {
                continue;
            }
            try {
                catalog.backend(device.backend());
            } catch (VarveException e) {
                throw new VarveException(
                        e.kind(),
                        deviceSetting() + ": " + device + ": " + e.getMessage() + existing(),
                        e);
            }
        }
    }

    private Setting deviceSetting() {
        return request.isSplit() ? Setting.DEVICES : Setting.DEVICE;
    }

    /** Opens the backends of this process's devices, and names the setting if one is unusable. */
    private void requireUsable() {
        for (DeviceReference device : request.devices()) {
            if (!device.isLocal()) {
                continue;
            }
            try {
                backends.info(device);
            } catch (VarveException e) {
                throw new VarveException(
                        e.kind(),
                        deviceSetting()
                                + ": "
                                + device
                                + ": "
                                + e.getMessage()
                                + (backends.isOpen(device.backend()) ? "" : existing()),
                        e);
            }
        }
        requireUsableForWeights();
    }

    /** Opens the backends of devices for weights within layers of this process. */
    private void requireUsableForWeights() {
        if (request.devices().stream().noneMatch(DeviceReference::isLocal)) {
            return;
        }
        for (TensorRule rule : request.tensors().rules()) {
            try {
                backends.info(rule.device());
            } catch (VarveException e) {
                throw new VarveException(
                        e.kind(),
                        rule.setting() + ": " + rule.device() + ": " + e.getMessage() + existing(),
                        e);
            }
        }
    }

    private String existing() {
        List<String> names = backends.usable();
        return names.isEmpty() ? "" : "; devices here: " + String.join(", ", names);
    }

    /** Returns the settings. */
    public HostSettings settings() {
        return settings;
    }

    /** Returns the file and its family's adapter. */
    public OpenedModel model() {
        return model;
    }

    /**
     * Returns the devices, without {@code auto}. Once the model was planned, they may be others
     * than requested, see {@link DeviceSettings#fits}.
     */
    public PlacementRequest request() {
        return request;
    }

    private ModelFamilyProvider family() {
        return catalog.family(model.file().architecture(), model.file().path());
    }

    /** Returns the tokenizer of the file. */
    public Tokenizer tokenizer() {
        return Tokenizer.of(model.file(), family().preTokenizers());
    }

    /**
     * Opens only the drafter that the settings name.
     *
     * @throws VarveException if it cannot be used
     */
    public ProxyPrefillDrafter openDrafter() {
        PlacedShardFactory shards = shards();
        try {
            return new ProxyPrefillDrafter(
                    auxiliary.drafter(settings.compression().orElseThrow(), shards), shards::close);
        } catch (RuntimeException | Error e) {
            shards.close();
            throw e;
        }
    }

    PluginCatalog catalog() {
        return catalog;
    }

    /** Returns the digests of this model's files and those of its auxiliary models. */
    TensorDigests digests() {
        return digests;
    }

    LocalBackends backends() {
        return backends;
    }

    /** Creates the factory of this model's shards; the caller closes it after the shards. */
    public PlacedShardFactory shards() {
        List<Path> files = new ArrayList<>(List.of(model.file().path()));
        settings.adapters().forEach(adapter -> files.add(adapter.file()));
        return shards(
                new ProcessLinkFactory(
                        files, settings.adapterFolders(), catalog, settings.processes()));
    }

    /** Creates the factory of this model's shards with other links to processes. */
    public PlacedShardFactory shards(ShardLinkFactory links) {
        return new PlacedShardFactory(this, links);
    }

    /**
     * Forecasts memory and speed; loads a few layers per device to measure it.
     *
     * @throws VarveException of kind OUT_OF_MEMORY with the sums if the model does not fit
     */
    public SplitForecast forecast(Age age) {
        resetFit();
        requireUsable();
        try (PlacedShardFactory shards = shards()) {
            ModelSettings sized =
                    auxiliary
                            .drafterPlan(shards)
                            .map(plan -> auxiliary.withReservedMemory(plan.ownBytes()))
                            .orElse(settings.model());
            ModelSettings fitted = fitted(sized, shards);
            SplitForecast forecast =
                    planner(oldest(age), shards, fitted).forecast(request).because(fitting);
            report(forecast.pool());
            SplitForecast whole = forecast.serving(serverMillis(age, forecast));
            return StreamedExperts.reads(fitted, model).map(whole::reading).orElse(whole);
        }
    }

    /** Measures the server's own time for a token, in an engine over shards like these. */
    private double serverMillis(Age age, SplitForecast forecast) {
        return new EngineProbe(model.shape(), measurements(oldest(age))).tokenMillis(forecast);
    }

    /**
     * Chooses another placement if the model does not fit and the settings allow it. The settings
     * and the request of this object are changed accordingly.
     *
     * @return the settings with the size of the cache of experts
     */
    private ModelSettings fitted(ModelSettings model, PlacedShardFactory shards) {
        if (asked.devices().fits()) {
            PlacementFitter.Fitted fitted =
                    new PlacementFitter(
                                    this.model.adapter(),
                                    shards::info,
                                    (request, sized) -> place(request, sized, shards),
                                    sized -> withExpertCache(sized, shards),
                                    (device, rules) ->
                                            probe(oldest(Age.ANY), shards, rules)
                                                    .measure(device)
                                                    .speed())
                            .fit(resolved, model);
            request = fitted.request();
            settings = asked.with(fitted.in(asked.model()));
            fitting = fitted.reasons();
            return announced(withExpertCache(fitted.in(model), shards));
        }
        return announced(withExpertCache(model, shards));
    }

    /** Forgets the placement of an earlier plan: the free memory may have changed. */
    private void resetFit() {
        settings = asked;
        request = resolved;
        fitting = List.of();
    }

    private Placement place(
            PlacementRequest tried, ModelSettings sized, PlacedShardFactory shards) {
        // Only an automatic split reads the speed of blocks, and the rules for their weights.
        request = tried.split() instanceof SplitRule.Automatic ? tried : request;
        return planner(oldest(Age.ANY), shards, sized).place(tried).placement();
    }

    private ModelSettings withExpertCache(ModelSettings asked, PlacedShardFactory shards) {
        return StreamedExperts.sized(
                asked, model.adapter(), () -> shards.info(DeviceReference.PROCESSOR));
    }

    private ModelSettings announced(ModelSettings sized) {
        StreamedExperts.describe(sized, model.adapter()).ifPresent(listener::note);
        return sized;
    }

    private void report(PoolPlan pool) {
        pool.remarks().warnings().forEach(listener::warning);
        pool.remarks().notes().forEach(listener::note);
    }

    /**
     * Returns the memory needs of the prefill drafter for a prompt as long as the context; empty if
     * none is configured.
     */
    public Optional<PrefillDrafterMemoryPlan> drafterPlan() {
        try (PlacedShardFactory shards = shards()) {
            return auxiliary.drafterPlan(shards);
        }
    }

    /** Returns the memory needs of the image encoder; empty if there is none. */
    public Optional<ImageMemoryPlan> imagePlan() {
        return images.map(ImageEncoderFactory::plan);
    }

    /** Returns the memory needs of speculative decoding; empty if it is off. */
    public Optional<DraftMemoryPlan> draftPlan() {
        try (PlacedShardFactory shards = shards()) {
            return settings.draft().map(draft -> auxiliary.draft(draft, shards).plan());
        }
    }

    /**
     * Forecasts the gain of speculative decoding; measures a few layers on each device.
     *
     * @param forecast of the same model
     */
    public SpeculationForecast forecast(DraftMemoryPlan draft, SplitForecast forecast) {
        int tokens = Math.min(CHECKED, 1 + draft.most());
        try (PlacedShardFactory shards = shards()) {
            PlacedProbe probe = probe(oldest(Age.ANY), shards);
            double plain = forecast.serverMillis();
            double check = forecast.serverMillis();
            long bytes = 0;
            for (SplitForecast.Part part : forecast.parts()) {
                double millis = part.time().decodeMillis();
                plain += millis;
                check += millis * probe.checkRatio(part.memory().where().device(), tokens);
                bytes += part.memory().memory().need().weightBytes();
            }
            // A draft's weights are read at the model's speed.
            double guess = check * draft.weightBytes() / Math.max(1, bytes);
            return new SpeculationForecast(tokens, plain, check, guess);
        }
    }

    /**
     * Plans the model and claims the memory for it and its auxiliary models, without loading any of
     * them.
     *
     * @return releases the claim when it is closed
     * @throws VarveException of kind OUT_OF_MEMORY with the sums if it does not fit
     */
    public PlacedShardFactory reserve() {
        resetFit();
        requireUsable();
        PlacedShardFactory shards = shards();
        try {
            shards.claimAuxiliaryMemory(() -> auxiliary.needs(shards));
            ModelSettings sized = fitted(asked.model(), shards);
            SplitPlanner.Placed placed = planner(oldest(Age.ANY), shards, sized).place(request);
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
     * @throws VarveException of kind OUT_OF_MEMORY with the sums if it does not fit, of other kinds
     *     if a device cannot be used
     */
    public HostedModel load() {
        return load(shards());
    }

    /** Loads the model with a shard factory of this model, which the model owns from then on. */
    public HostedModel load(PlacedShardFactory shards) {
        resetFit();
        List<Optional<SpeculationOptions>> speculation = new ArrayList<>();
        Optional<HostedModel.CompressingDrafter> drafter = Optional.empty();
        Optional<ModelImages> encoder = Optional.empty();
        try {
            shards.claimAuxiliaryMemory(() -> withImages(auxiliary.needs(shards)));
            drafter = settings.compression().map(asked -> auxiliary.drafter(asked, shards));
            Tokenizer tokenizer = tokenizer();
            ModelSettings leaving =
                    drafter.map(auxiliary::withReservedMemory).orElse(settings.model());
            listener.opened(model.file(), tokenizer);
            requireUsable();
            for (int i = 0; i < leaving.replicas(); i++) {
                // Opened before planning: the plan then sees the memory that they leave free.
                speculation.add(speculation(shards));
            }
            ModelSettings sized =
                    fitted(
                            speculation
                                    .getFirst()
                                    .map(options -> SpeculatorFactory.settings(leaving, options))
                                    .orElse(leaving),
                            shards);
            encoder =
                    images.map(
                            each ->
                                    each.open(
                                            auxiliary.encoderDevices(
                                                    settings.images().orElseThrow().projector(),
                                                    shards),
                                            settings.model().waiting().pace().maxGap(),
                                            listener::note));
            SplitPlanner.Placed placed = planner(oldest(Age.ANY), shards, sized).place(request);
            SplitMemoryPlan plan =
                    SplitMemoryPlan.of(model.adapter(), placed.placement(), shards::info, sized);
            report(plan.pool());
            plan.pool().describe().ifPresent(line -> listener.note(Setting.KVFLASH + ": " + line));
            shards.claim(plan);
            fitting.forEach(listener::warning);
            listener.planned(plan, placed.reasons());
            Optional<HostedModel.CompressingDrafter> reader = drafter;
            ReplicaFactory opening =
                    new ReplicaFactory(
                            new ReplicaFactory.Parts(model, plan, withStepDelay(sized), shards),
                            cacheResources(placed.placement(), plan, sized),
                            () -> auxiliary.pageScorer(reader, tokenizer),
                            () -> speculation(shards),
                            speculation);
            speculation.clear();
            HostedModel hosted =
                    new HostedModel(
                            load(opening),
                            opening,
                            shards,
                            tokenizer,
                            new HostedModel.Auxiliaries(drafter, encoder),
                            new HostedModel.AdapterSource(
                                    new AdapterFolders(settings.adapterFolders()), digests),
                            (System.nanoTime() - begin) / 1e6);
            opening.serve(hosted::engine);
            return hosted;
        } catch (RuntimeException | Error e) {
            drafter.ifPresent(each -> each.drafter().close());
            encoder.ifPresent(ModelImages::close);
            speculation.forEach(each -> each.ifPresent(options -> options.speculator().close()));
            try {
                shards.close();
            } catch (RuntimeException closing) {
                e.addSuppressed(closing);
            }
            throw e;
        }
    }

    /**
     * Returns the devices of the model, the processors on which its processes compute experts, and
     * those on which other processes compute auxiliary models.
     */
    List<DeviceReference> devices() {
        return Stream.of(request.devices().stream(), expertProcessors(), auxiliary.processors())
                .flatMap(Function.identity())
                .toList();
    }

    private Stream<DeviceReference> expertProcessors() {
        boolean used =
                request.tensors().rules().stream()
                        .anyMatch(rule -> rule.device().equals(DeviceReference.PROCESSOR));
        return request.devices().stream()
                .filter(device -> used)
                .map(device -> DeviceReference.PROCESSOR.at(device.site()))
                .filter(processor -> !request.devices().contains(processor))
                .distinct();
    }

    /** Adds the memory of the image encoder to that of other auxiliary models. */
    private Map<DeviceReference, Long> withImages(Map<DeviceReference, Long> needs) {
        imagePlan()
                .filter(plan -> plan.device().isLocal())
                .ifPresent(plan -> needs.merge(plan.device(), plan.bytes(), Long::sum));
        return needs;
    }

    private Optional<SpeculationOptions> speculation(PlacedShardFactory shards) {
        return settings.draft().map(draft -> auxiliary.draft(draft, shards).open());
    }

    private List<LoadedModel> load(ReplicaFactory opening) {
        try {
            return opening.openAll(listener);
        } catch (RuntimeException | Error e) {
            opening.close();
            throw e;
        }
    }

    private ReplicaFactory.CacheResources cacheResources(
            Placement placement, SplitMemoryPlan plan, ModelSettings sized) {
        CacheStoreFactory.Stores stores =
                new CacheStoreFactory(settings, catalog, model, sized).open(placement, plan);
        byte[] variant = CacheNamespace.variant(model);
        try {
            return new ReplicaFactory.CacheResources(
                    stores,
                    settings.sharing().events().map(events -> events.open(catalog, variant)));
        } catch (RuntimeException | Error e) {
            stores.close();
            throw e;
        }
    }

    /**
     * Disables mixed batches if the phases use different thread counts: a decode token beside a
     * prompt would be computed with the threads of prefill.
     */
    private ModelSettings withStepDelay(ModelSettings sized) {
        return settings.devices().phasesAreAlike()
                ? sized
                : sized.with(sized.waiting().withoutMixing());
    }

    /** Creates the planner that assigns layers to devices. */
    private SplitPlanner planner(Instant oldest, PlacedShardFactory shards, ModelSettings sized) {
        return new SplitPlanner(
                model.adapter(), blocks(), sized, shards::info, probe(oldest, shards));
    }

    private LazyModelBlocks blocks() {
        return blocks(request.tensors());
    }

    private LazyModelBlocks blocks(TensorRules rules) {
        return blocks.computeIfAbsent(rules, each -> new LazyModelBlocks(model.adapter(), each));
    }

    private Instant oldest(Age age) {
        return switch (age) {
            case ANY -> settings.devices().oldestMeasurement();
            case NEW -> Instant.now();
        };
    }

    private PlacedProbe probe(Instant oldest, PlacedShardFactory shards) {
        return probe(oldest, shards, request.tensors());
    }

    private PlacedProbe probe(Instant oldest, PlacedShardFactory shards, TensorRules rules) {
        CachingProbe probe = new CachingProbe(model.adapter(), blocks(rules), measurements(oldest));
        return new PlacedProbe(this, shards, rules, probe, listener::note);
    }

    private MeasurementCache measurements(Instant oldest) {
        ProbeCache files =
                new ProbeCache(
                        settings.plugins().cacheFolder().resolve(PROBES), InstantSource.system());
        return new MeasurementCache(files, oldest, ProcLoadMeter.ofMachine());
    }
}
