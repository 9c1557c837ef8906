package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.api.speculation.Speculator;
import dev.varve.api.speculation.SpeculatorProvider;
import dev.varve.platform.draft.DflashSpeculator;
import dev.varve.platform.draft.DraftFile;
import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.mtp.MtpFile;
import dev.varve.platform.mtp.MtpSpeculator;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.remote.DraftLoadRequest;
import dev.varve.platform.remote.RemoteDraft;
import dev.varve.platform.remote.ShardLoadRequest;
import dev.varve.platform.runtime.ComputeSettings;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.RangeMemory;
import dev.varve.platform.runtime.SpeculationRequirements;
import dev.varve.platform.runtime.ZeroTensors;
import dev.varve.platform.setting.ByteCount;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.PluginProxyHandler;
import dev.varve.platform.shard.local.ShardDevices;
import dev.varve.platform.shard.lora.AdaptedModel;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Opens the speculator of a model, before the model is loaded. */
final class SpeculatorFactory {
    private final DraftSettings draft;
    private final PluginCatalog catalog;
    private final OpenedModel model;
    private final ModelSettings settings;
    private final DraftDevices devices;
    private final Consumer<String> notes;

    /**
     * @param devices devices on which a draft model may compute
     * @param notes receives notes on a draft model for the operator
     */
    SpeculatorFactory(
            DraftSettings draft,
            PreparedModel prepared,
            DraftDevices devices,
            Consumer<String> notes) {
        this.draft = draft;
        catalog = prepared.catalog();
        model = prepared.model();
        settings = prepared.settings().model();
        this.devices = devices;
        this.notes = notes;
    }

    /**
     * Opens the speculator.
     *
     * @throws VarveException of kind INVALID_REQUEST if it does not fit the model, of other kinds
     *     if its file cannot be used
     * @throws IllegalArgumentException that begins with a setting if settings contradict each other
     */
    SpeculationOptions open() {
        requireExactRows();
        requireChains();
        int most = most(DraftSettings.USUAL_MOST);
        SpeculatorProvider named = catalog.speculators().get(draft.source());
        Speculator speculator = named == null ? model(most) : named(named, most);
        try {
            requireBranches(speculator);
        } catch (IllegalArgumentException e) {
            closeAfter(e, speculator);
            throw e;
        }
        return new SpeculationOptions(
                speculator,
                Math.min(most, speculator.mostTokens()),
                draft.width(),
                draft.trees(),
                named == null ? Path.of(draft.source()).getFileName().toString() : draft.source());
    }

    private Speculator named(SpeculatorProvider provider, int most) {
        if (draft.placement().device().isPresent()) {
            throw new IllegalArgumentException(
                    Setting.DRAFT_DEVICE
                            + ": applies to draft models, but "
                            + Setting.DRAFT
                            + " "
                            + draft.source()
                            + " is none");
        }
        Speculator speculator = provider.open(target(most));
        try {
            requireSensible(speculator);
            return speculator;
        } catch (RuntimeException e) {
            closeAfter(e, speculator);
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    PluginProxyHandler.moduleOf(provider)
                            + ": speculator "
                            + draft.source()
                            + ": "
                            + (e.getMessage() == null ? e : e.getMessage()),
                    e);
        }
    }

    private static void closeAfter(RuntimeException trouble, Speculator speculator) {
        try {
            speculator.close();
        } catch (RuntimeException e) {
            trouble.addSuppressed(e);
        }
    }

    /** Checks the values that a plugin's speculator reports; they decide how shards are loaded. */
    private void requireSensible(Speculator speculator) {
        if (speculator.mostTokens() < 1) {
            throw new IllegalStateException(
                    "mostTokens(): expected 1 or more, found " + speculator.mostTokens());
        }
        int layers = model.shape().layerCount();
        int before = -1;
        for (int layer : speculator.captures()) {
            if (layer <= before || layer > layers) {
                throw new IllegalStateException(
                        "captures(): expected ascending numbers from 0 to "
                                + layers
                                + ", found "
                                + speculator.captures());
            }
            before = layer;
        }
    }

    private int most(int usual) {
        return draft.most().orElse(Math.max(usual, draft.width().orElse(0)));
    }

    /**
     * Returns the draft length of an MTP block: each draft token takes a pass through the block,
     * and is accepted less often than the one before.
     */
    private int mtpMost() {
        return most(DraftSettings.USUAL_MTP);
    }

    /**
     * Returns the memory needs of speculative decoding; loads nothing.
     *
     * @throws VarveException of kind INVALID_REQUEST if it does not fit the model, of other kinds
     *     if its file cannot be used
     * @throws IllegalArgumentException that begins with a setting if settings contradict each other
     */
    DraftMemoryPlan plan() {
        requireExactRows();
        requireChains();
        int most = most(DraftSettings.USUAL_MOST);
        SpeculatorProvider named = catalog.speculators().get(draft.source());
        if (named != null) {
            try (Speculator speculator = named(named, most)) {
                return new DraftMemoryPlan(
                        draft.source(),
                        Optional.empty(),
                        columns(Math.min(most, speculator.mostTokens())),
                        0,
                        0);
            }
        }
        GgufFile given = given();
        if (!DraftFile.isDraft(given.architecture())) {
            MtpFile block = block(given);
            int draftTokens = mtpMost();
            return new DraftMemoryPlan(
                    draft.source(),
                    Optional.of(localDevice()),
                    columns(draftTokens),
                    block.weightBytes(),
                    MtpSpeculator.cacheBytes(block, target(draftTokens).limits()));
        }
        DraftFile file = file(given);
        return new DraftMemoryPlan(
                file.file().path().toString(),
                Optional.of(devices.choose(draft.placement())),
                columns(Math.min(most, file.mostTokens())),
                file.weightBytes(),
                DflashSpeculator.cacheBytes(file, target(most).limits(), context()));
    }

    /** Returns the most draft tokens of a sequence in a step, for a chain or a tree. */
    private int columns(int most) {
        return Math.max(most, draft.trees().draftTokens());
    }

    /** Returns the configured file; {@code mtp} stands for the model's own file. */
    private GgufFile given() {
        return draft.source().equals(DraftSettings.MTP)
                ? model.file()
                : ZeroTensors.requireWeights(path(), notes);
    }

    private DraftFile file(GgufFile given) {
        return DraftFile.of(given, model.file(), model.shape());
    }

    /** Returns the MTP block of the model's own file, or of another one. */
    private MtpFile block(GgufFile given) {
        return MtpFile.of(
                given,
                catalog.family(model.file().architecture(), model.file().path()),
                model,
                settings.modelOptions());
    }

    private Speculator model(int most) {
        GgufFile given = given();
        return DraftFile.isDraft(given.architecture())
                ? network(file(given), most)
                : mtp(block(given));
    }

    private Speculator network(DraftFile file, int most) {
        DeviceReference where = devices.choose(draft.placement());
        Speculator speculator =
                where.isLocal()
                        ? DflashSpeculator.open(
                                file,
                                target(most).limits(),
                                devices.local().apply(where),
                                dflashSettings())
                        : remote(where, file, target(most).limits());
        notes.accept(
                String.format(
                        Locale.ROOT,
                        "draft model %s on %s: %s, up to %d draft tokens per step, reads the"
                                + " input of layers %s",
                        file.file().path().getFileName(),
                        where,
                        ByteCount.format(file.weightBytes()),
                        file.mostTokens(),
                        file.captures()));
        return speculator;
    }

    private Speculator remote(
            DeviceReference where, DraftFile file, SpeculationTarget.Limits limits) {
        // The target verifies drafts with its adapters; their process needs none.
        LayerSplitAdapter plain = AdaptedModel.base(model.adapter());
        DraftLoadRequest request =
                new DraftLoadRequest(
                        ShardLoadRequest.Model.of(model.file(), plain, settings.modelOptions()),
                        DraftLoadRequest.Draft.of(file.file()),
                        limits,
                        dflashSettings(),
                        devices.remote().apply(where));
        return RemoteDraft.open(
                where.toString(),
                devices.links().to(where),
                request,
                file,
                plain,
                devices.digests());
    }

    private Speculator mtp(MtpFile block) {
        DeviceReference where = localDevice();
        ShardDevices on = mtpDevices(where, block.block());
        String experts =
                on.others().stream()
                        .map(device -> " with experts on " + device.info().name())
                        .collect(Collectors.joining());
        MtpSpeculator speculator =
                MtpSpeculator.open(block, target(mtpMost()).limits(), on, dflashSettings());
        notes.accept(
                String.format(
                        Locale.ROOT,
                        "multi-token prediction of %s on %s%s: %s, up to %d draft tokens per"
                                + " step",
                        block.file().path().getFileName(),
                        where,
                        experts,
                        ByteCount.format(block.weightBytes()),
                        speculator.mostTokens()));
        return speculator;
    }

    /** Returns a device, and those on which the model's rules place the block's experts. */
    private ShardDevices mtpDevices(DeviceReference where, LayerSplitAdapter block) {
        Placement.Part part =
                devices.target()
                        .tensors()
                        .within(block)
                        .apply(new Placement.Part(where, block.shape().allLayers()), block);
        return ShardDevices.of(
                devices.local().apply(where),
                part.tensors(),
                name -> devices.local().apply(part.other(name)));
    }

    /** Returns the device of a model's own MTP block, which must be in this process. */
    private DeviceReference localDevice() {
        DeviceReference device = devices.choose(draft.placement());
        if (!device.isLocal()) {
            throw new IllegalArgumentException(
                    Setting.DRAFT_DEVICE
                            + ": multi-token prediction runs in this process: expected a device"
                            + " such as "
                            + DeviceReference.PROCESSOR
                            + ", found "
                            + device);
        }
        return device;
    }

    private Path path() {
        try {
            Path path = Path.of(draft.source());
            if (Files.exists(path)) {
                return path;
            }
        } catch (InvalidPathException e) {
            // No file has such a name, so it is no draft model.
        }
        throw new IllegalArgumentException(
                Setting.DRAFT
                        + ": expected the file of a draft model, "
                        + DraftSettings.MTP
                        + ", or one of "
                        + catalog.speculators().keySet()
                        + ", found "
                        + (draft.source().contains("/") || draft.source().endsWith(".gguf")
                                ? "no such file: "
                                : "")
                        + draft.source());
    }

    private DflashSpeculator.DflashSettings dflashSettings() {
        return new DflashSpeculator.DflashSettings(
                draft.placement().residency() == DraftPlacement.Residency.REQUEST_SCOPED
                        ? DflashSpeculator.WeightResidency.REQUEST_SCOPED
                        : DflashSpeculator.WeightResidency.PERSISTENT,
                settings.computation().numerics().flashAttention(),
                context());
    }

    /** Returns the most positions that a draft model keeps of a sequence. */
    private int context() {
        return draft.placement().context().orElse(DflashSpeculator.MOST_CONTEXT);
    }

    private SpeculationTarget target(int most) {
        return new SpeculationTarget(
                model.file(),
                model.shape(),
                new SpeculationTarget.Limits(
                        RangeMemory.contextTokens(model.shape(), settings),
                        settings.sequences().parallel(),
                        most));
    }

    /**
     * Checks batch invariance: several draft tokens are verified at once, and each must get the
     * numbers that it gets alone.
     */
    private void requireExactRows() {
        if (settings.computation().numerics().exactRows() == BatchInvariance.OFF) {
            throw new IllegalArgumentException(
                    Setting.EXACT_ROWS
                            + ": off makes the values of a token depend on the other tokens of its"
                            + " batch, so that draft tokens would change responses; see "
                            + Setting.DRAFT);
        }
    }

    /**
     * Checks flash attention: trees leave gaps between the attended rows, and only flash attention
     * skips them.
     */
    private void requireBranches(Speculator speculator) {
        if (draft.trees().draftTokens() == 0) {
            return;
        }
        if (!speculator.branches()) {
            throw new IllegalArgumentException(
                    Setting.DDTREE + ": speculator " + draft.source() + " proposes no token trees");
        }
        if (settings.computation().numerics().flashAttention() == FlashAttention.OFF) {
            throw new IllegalArgumentException(
                    Setting.FLASH_ATTENTION
                            + ": off sums the scores in the order of the slots, so that token trees"
                            + " would change responses; see "
                            + Setting.DDTREE);
        }
    }

    /** Checks that the states of a family need not follow the branches of trees. */
    private void requireChains() {
        ModelShape shape = model.shape();
        for (int layer = 0;
                layer < shape.layerCount() && draft.trees().draftTokens() > 0;
                layer++) {
            if (shape.layers().get(layer) instanceof LayerState.Custom own
                    && !own.parts().isEmpty()) {
                throw new VarveException(
                        VarveException.Kind.INVALID_REQUEST,
                        Setting.DDTREE
                                + ": layer "
                                + layer
                                + " of "
                                + model.file().path()
                                + " has a custom state, which cannot follow the branches of token"
                                + " trees; drafts without trees are possible");
            }
        }
    }

    /** Returns the settings with which the shards must be loaded. */
    static ModelSettings settings(ModelSettings settings, SpeculationOptions options) {
        ComputeSettings computation = settings.computation();
        return settings.with(computation.with(BatchInvariance.ON))
                .with(
                        new SpeculationRequirements(
                                options.columns(), options.speculator().captures()));
    }
}
