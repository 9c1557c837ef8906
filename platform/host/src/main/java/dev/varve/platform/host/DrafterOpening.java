package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.remote.LoadRequest;
import dev.varve.platform.remote.RemoteScan;
import dev.varve.platform.remote.ScanLoadRequest;
import dev.varve.platform.remote.TensorCheck;
import dev.varve.platform.runtime.ZeroTensors;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.LoadProgress;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.TextReader;
import dev.varve.platform.shard.local.PromptScan;
import dev.varve.platform.shard.local.ResidentScan;
import dev.varve.platform.shard.scoring.ScoreRange;
import dev.varve.platform.shard.scoring.TailQueries;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Locale;
import java.util.function.Consumer;

/** Opens the drafter that reads prompts before the model does. */
final class DrafterOpening {
    private static final double MIB = 1 << 20;

    /** Tokens of a prompt of which is told what it takes. */
    private static final int USUAL_PROMPT = 32_768;

    private final CompressionSettings settings;
    private final PluginCatalog catalog;
    private final DraftDevices devices;
    private final Consumer<String> notes;

    /**
     * @param devices where it may compute
     * @param notes hears what is worth knowing
     */
    DrafterOpening(
            CompressionSettings settings,
            PluginCatalog catalog,
            DraftDevices devices,
            Consumer<String> notes) {
        this.settings = settings;
        this.catalog = catalog;
        this.devices = devices;
        this.notes = notes;
    }

    /**
     * Opens it.
     *
     * @throws VarveException if its file cannot be used, the device has no room for it, or its
     *     process cannot be reached
     * @throws IllegalArgumentException that begins with a setting if the device cannot be used
     */
    FileDrafter open() {
        GgufFile file = ZeroTensors.requireWeights(settings.drafter(), notes);
        ModelFamilyProvider family = catalog.family(file.architecture(), file.path());
        LayerSplitAdapter model = family.open(file, ModelOptions.defaults());
        PromptScan.requireReadable(file.path(), model.shape());
        PromptScan.Look look = look(model.shape());
        PromptScan.requireAttention(file.path(), model.shape(), look.layers());
        Tokenizer tokenizer = Tokenizer.of(file.metadata(), family.preTokenizers());
        DeviceReference where = devices.choose(settings.device(), settings.process());
        ModelRange all = new ModelRange(file, model, model.shape().allLayers());
        return new FileDrafter(
                file,
                tokenizer,
                where.isLocal() ? local(where, all, look) : remote(where, all, look),
                look);
    }

    private PromptScan.Look look(ModelShape shape) {
        CompressionSettings.Scoring scoring = settings.scoring();
        ScoreRange range =
                ScoreRange.of(shape.layerCount(), scoring.lastLayers(), scoring.exitLayers());
        return new PromptScan.Look(
                new LayerRange(range.begin(), range.end()),
                TailQueries.COUNT,
                scoring.rotated(),
                scoring.sparse());
    }

    private TextReader local(DeviceReference where, ModelRange model, PromptScan.Look look) {
        ResidentScan scan =
                new ResidentScan(
                        model, devices.open(where), look, residency(), LoadProgress.silent());
        tell(
                model,
                where,
                scan,
                scan.isPersistent() ? "which stays in memory" : "which is loaded for each prompt");
        return scan;
    }

    private TextReader remote(DeviceReference where, ModelRange model, PromptScan.Look look) {
        RemoteScan scan = reach(where, model, look);
        tell(
                model,
                where,
                scan,
                switch (residency()) {
                    case PERSISTENT -> "which stays in memory";
                    case REQUEST_SCOPED -> "which is loaded for each prompt";
                    case AUTO -> "which stays in memory if there is room for it";
                });
        return scan;
    }

    private RemoteScan reach(DeviceReference where, ModelRange model, PromptScan.Look look) {
        try {
            ScanLoadRequest request =
                    new ScanLoadRequest(
                            LoadRequest.Model.of(
                                    model.file(), model.model(), ModelOptions.defaults()),
                            look,
                            residency(),
                            devices.remote(where));
            return RemoteScan.open(
                    where.toString(),
                    devices.link(where),
                    request,
                    new TensorCheck(devices.digests(), model.model().tensors(model.range())));
        } catch (VarveException e) {
            throw new VarveException(
                    e.kind(),
                    Setting.DRAFT_DEVICE
                            + ": the model that reads prompts on "
                            + where
                            + ": "
                            + e.getMessage(),
                    e);
        }
    }

    private void tell(ModelRange model, DeviceReference where, TextReader reader, String stay) {
        notes.accept(
                String.format(
                        Locale.ROOT,
                        "prompts are read by %s on %s: %.1f MiB, %s; a prompt of %d tokens takes"
                                + " %.1f MiB more",
                        model.file().path().getFileName(),
                        where,
                        reader.weightBytes() / MIB,
                        stay,
                        USUAL_PROMPT,
                        PromptScan.bytes(model, CacheTypes.f16(), USUAL_PROMPT, TailQueries.COUNT)
                                / MIB));
    }

    /**
     * What it will need; nothing is loaded.
     *
     * @param tokens of a prompt
     * @throws VarveException if its file cannot be used
     */
    DrafterPlan plan(int tokens) {
        GgufFile file = ZeroTensors.requireWeights(settings.drafter(), notes);
        LayerSplitAdapter model =
                catalog.family(file.architecture(), file.path())
                        .open(file, ModelOptions.defaults());
        PromptScan.requireReadable(file.path(), model.shape());
        return new DrafterPlan(
                file.path(),
                devices.choose(settings.device(), settings.process()),
                file.tensorBytes(),
                tokens,
                readingBytes(new ModelRange(file, model, model.shape().allLayers()), tokens));
    }

    private static long readingBytes(ModelRange model, int tokens) {
        return PromptScan.bytes(model, CacheTypes.f16(), tokens, TailQueries.COUNT);
    }

    private ResidentScan.Residency residency() {
        return switch (settings.residency()) {
            case AUTO -> ResidentScan.Residency.AUTO;
            case PERSISTENT -> ResidentScan.Residency.PERSISTENT;
            case REQUEST_SCOPED -> ResidentScan.Residency.REQUEST_SCOPED;
        };
    }
}
