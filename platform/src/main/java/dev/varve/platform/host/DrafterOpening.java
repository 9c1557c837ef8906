package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.compression.scoring.ScoreRange;
import dev.varve.platform.compression.scoring.TailQueries;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.local.PromptScan;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Function;

/** Opens the drafter that reads prompts before the model does. */
final class DrafterOpening {
    private static final double MIB = 1 << 20;

    private final CompressionSettings settings;
    private final PluginCatalog catalog;
    private final PlacementRequest target;
    private final Function<DeviceReference, ComputeDevice> devices;
    private final Consumer<String> notes;

    /**
     * @param target the model's devices
     * @param devices opens one of this process
     * @param notes hears what is worth knowing
     */
    DrafterOpening(
            CompressionSettings settings,
            PluginCatalog catalog,
            PlacementRequest target,
            Function<DeviceReference, ComputeDevice> devices,
            Consumer<String> notes) {
        this.settings = settings;
        this.catalog = catalog;
        this.target = target;
        this.devices = devices;
        this.notes = notes;
    }

    /**
     * Opens it.
     *
     * @throws VarveException if its file cannot be used, or the device has no room for it
     * @throws IllegalArgumentException that begins with a setting if the device cannot be used
     */
    LocalDrafter open() {
        GgufFile file = GgufFile.open(settings.drafter());
        ModelFamilyProvider family = catalog.family(file.architecture(), file.path());
        LayerSplitAdapter model = family.open(file, ModelOptions.defaults());
        PromptScan.requireReadable(file.path(), model.shape());
        DeviceReference where = device();
        CompressionSettings.Scoring scoring = settings.scoring();
        ScoreRange range =
                ScoreRange.of(
                        model.shape().layerCount(), scoring.lastLayers(), scoring.exitLayers());
        LayerRange layers = new LayerRange(range.begin(), range.end());
        PromptScan.requireAttention(file.path(), model.shape(), layers);
        LocalDrafter drafter =
                new LocalDrafter(
                        new ModelRange(file, model, model.shape().allLayers()),
                        Tokenizer.of(file.metadata(), family.preTokenizers()),
                        devices.apply(where),
                        new PromptScan.Look(layers, TailQueries.COUNT, scoring.rotated()),
                        settings.residency());
        drafter.prepare();
        notes.accept(
                String.format(
                        Locale.ROOT,
                        "prompts are read by %s on %s: %.1f MiB, %s",
                        file.path().getFileName(),
                        where,
                        drafter.weightBytes() / MIB,
                        drafter.isPersistent()
                                ? "which stays in memory"
                                : "which is loaded for each prompt"));
        return drafter;
    }

    /**
     * Bytes that it will take, before it is loaded: its weights as they are in the file, and what
     * reading a text takes.
     *
     * @param tokens of the text
     * @throws VarveException if its file cannot be used
     */
    long expectedBytes(int tokens) {
        GgufFile file = GgufFile.open(settings.drafter());
        LayerSplitAdapter model =
                catalog.family(file.architecture(), file.path())
                        .open(file, ModelOptions.defaults());
        PromptScan.requireReadable(file.path(), model.shape());
        return file.tensorBytes()
                + PromptScan.bytes(
                        new ModelRange(file, model, model.shape().allLayers()),
                        CacheTypes.f16(),
                        tokens,
                        TailQueries.COUNT);
    }

    private DeviceReference device() {
        DeviceReference usual =
                target.devices().reversed().stream()
                        .filter(DeviceReference::isLocal)
                        .findFirst()
                        .orElse(DeviceReference.PROCESSOR);
        DeviceReference asked = settings.device().map(DeviceReference::parse).orElse(usual);
        DeviceReference device = asked.isAutomatic() ? usual : asked;
        if (!device.isLocal()) {
            throw new IllegalArgumentException(
                    Setting.DRAFT_DEVICE
                            + ": expected a device of this process for the model that reads"
                            + " prompts, found "
                            + device);
        }
        return device;
    }
}
