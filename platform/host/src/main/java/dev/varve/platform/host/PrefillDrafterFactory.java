package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.compression.conversation.ConversationCompressor;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.remote.RemoteTextScorer;
import dev.varve.platform.remote.ShardLoadRequest;
import dev.varve.platform.remote.TensorCheck;
import dev.varve.platform.remote.TextScorerLoadRequest;
import dev.varve.platform.runtime.ZeroTensors;
import dev.varve.platform.setting.ByteCount;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.ImportanceScorer;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.local.LayerMajorImportanceScorer;
import dev.varve.platform.shard.local.LocalImportanceScorer;
import dev.varve.platform.shard.scoring.ScoringLayers;
import dev.varve.platform.shard.scoring.TailQueries;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Locale;
import java.util.function.Consumer;

/** Opens the prefill drafter. */
final class PrefillDrafterFactory {
    /** Prompt length for which the memory need is reported. */
    private static final int USUAL_PROMPT = 32_768;

    private final CompressionSettings settings;
    private final ModelOptions reading;
    private final PluginCatalog catalog;
    private final DraftDevices devices;
    private final Consumer<String> notes;

    /**
     * @param reading how the family reads the file, with the length of prompts
     * @param devices devices on which it may compute
     * @param notes receives notes for the operator
     */
    PrefillDrafterFactory(
            CompressionSettings settings,
            ModelOptions reading,
            PluginCatalog catalog,
            DraftDevices devices,
            Consumer<String> notes) {
        this.settings = settings;
        this.reading = reading;
        this.catalog = catalog;
        this.devices = devices;
        this.notes = notes;
    }

    /**
     * Opens the drafter.
     *
     * @throws VarveException if its file cannot be used, the device has not enough memory, or its
     *     process cannot be reached
     * @throws IllegalArgumentException that begins with a setting if the device cannot be used
     */
    HostedModel.CompressingDrafter open() {
        GgufFile file = ZeroTensors.requireWeights(settings.drafter(), notes);
        ModelFamilyProvider family = catalog.family(file.architecture(), file.path());
        LayerSplitAdapter model = family.open(file, reading);
        LayerMajorImportanceScorer.requireReadable(file.path(), model.shape());
        LayerMajorImportanceScorer.ScoringOptions options = scoringOptions(model.shape());
        LayerMajorImportanceScorer.requireAttention(file.path(), model.shape(), options.layers());
        Tokenizer tokenizer = Tokenizer.of(file, family.preTokenizers());
        DeviceReference where = devices.choose(settings.placement());
        ModelRange all = new ModelRange(file, model, model.shape().allLayers());
        FilePrefillDrafter drafter =
                new FilePrefillDrafter(
                        all,
                        tokenizer,
                        where.isLocal() ? local(where, all, options) : remote(where, all, options),
                        options);
        return new HostedModel.CompressingDrafter(
                drafter, new ConversationCompressor(drafter, settings.options()));
    }

    private LayerMajorImportanceScorer.ScoringOptions scoringOptions(ModelShape shape) {
        CompressionSettings.Scoring scoring = settings.scoring();
        return new LayerMajorImportanceScorer.ScoringOptions(
                ScoringLayers.of(shape.layerCount(), scoring.lastLayers(), scoring.exitLayers()),
                TailQueries.COUNT,
                scoring.rotated(),
                scoring.sparse());
    }

    private ImportanceScorer local(
            DeviceReference where,
            ModelRange model,
            LayerMajorImportanceScorer.ScoringOptions options) {
        LocalImportanceScorer scorer =
                new LocalImportanceScorer(
                        model,
                        devices.local().apply(where),
                        options,
                        residency(),
                        LoadProgressListener.silent());
        report(
                model,
                where,
                scorer,
                scorer.isPersistent()
                        ? "which stays in memory"
                        : "which is loaded for each prompt");
        return scorer;
    }

    private ImportanceScorer remote(
            DeviceReference where,
            ModelRange model,
            LayerMajorImportanceScorer.ScoringOptions options) {
        RemoteTextScorer scan = reach(where, model, options);
        report(
                model,
                where,
                scan,
                switch (residency()) {
                    case PERSISTENT -> "which stays in memory";
                    case REQUEST_SCOPED -> "which is loaded for each prompt";
                    case AUTO -> "which stays in memory if it fits";
                });
        return scan;
    }

    private RemoteTextScorer reach(
            DeviceReference where,
            ModelRange model,
            LayerMajorImportanceScorer.ScoringOptions options) {
        try {
            TextScorerLoadRequest request =
                    new TextScorerLoadRequest(
                            ShardLoadRequest.Model.of(model.file(), model.model(), reading),
                            options,
                            residency(),
                            devices.remote().apply(where));
            return RemoteTextScorer.open(
                    where.toString(),
                    devices.links().to(where),
                    request,
                    new TensorCheck(devices.digests(), model.model().tensors(model.range())));
        } catch (VarveException e) {
            throw new VarveException(
                    e.kind(),
                    Setting.DRAFT_DEVICE + ": prefill drafter on " + where + ": " + e.getMessage(),
                    e);
        }
    }

    private void report(
            ModelRange model, DeviceReference where, ImportanceScorer reader, String stay) {
        notes.accept(
                String.format(
                        Locale.ROOT,
                        "prefill drafter %s on %s: %s, %s; scoring a prompt of %d tokens"
                                + " takes %s more",
                        model.file().path().getFileName(),
                        where,
                        ByteCount.format(reader.weightBytes()),
                        stay,
                        USUAL_PROMPT,
                        ByteCount.format(
                                LayerMajorImportanceScorer.bytes(
                                        model,
                                        CacheTypes.f16(),
                                        USUAL_PROMPT,
                                        TailQueries.COUNT))));
    }

    /**
     * Returns its memory needs; loads nothing.
     *
     * @param tokens length of a prompt
     * @throws VarveException if its file cannot be used
     */
    PrefillDrafterMemoryPlan plan(int tokens) {
        GgufFile file = ZeroTensors.requireWeights(settings.drafter(), notes);
        LayerSplitAdapter model =
                catalog.family(file.architecture(), file.path()).open(file, reading);
        LayerMajorImportanceScorer.requireReadable(file.path(), model.shape());
        return new PrefillDrafterMemoryPlan(
                file.path(),
                devices.choose(settings.placement()),
                file.tensorBytes(),
                tokens,
                readingBytes(new ModelRange(file, model, model.shape().allLayers()), tokens));
    }

    private static long readingBytes(ModelRange model, int tokens) {
        return LayerMajorImportanceScorer.bytes(model, CacheTypes.f16(), tokens, TailQueries.COUNT);
    }

    private LocalImportanceScorer.Residency residency() {
        return switch (settings.placement().residency()) {
            case AUTO -> LocalImportanceScorer.Residency.AUTO;
            case PERSISTENT -> LocalImportanceScorer.Residency.PERSISTENT;
            case REQUEST_SCOPED -> LocalImportanceScorer.Residency.REQUEST_SCOPED;
        };
    }
}
