package dev.varve.conformance;

import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.api.speculation.Speculator;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.draft.DflashSpeculator;
import dev.varve.platform.draft.DraftFile;
import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.prefix.DiskTierOptions;
import dev.varve.platform.remote.BoundaryType;
import dev.varve.platform.remote.DraftLoadRequest;
import dev.varve.platform.remote.RemoteDraft;
import dev.varve.platform.remote.ShardLink;
import dev.varve.platform.remote.ShardLoadRequest;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SpeculationRequirements;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.speculation.TreeOptions;
import dev.varve.testkit.DflashModel;
import dev.varve.testkit.TensorType;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** A target and its draft, which proposes as many tokens in every step as it can. */
record DraftPair(
        RandomModel spec,
        Path file,
        LayerSplitAdapter adapter,
        GgufFile gguf,
        DraftFile draft,
        TreeOptions trees) {
    static final int CONTEXT = 768;
    static final int PARALLEL = 3;
    static final int MOST = 7;

    /** Writes both to a folder. */
    static DraftPair of(Family family, Path folder) throws Exception {
        RandomModel spec = family.wide(TensorType.F16);
        Path file = spec.write(folder);
        GgufFile gguf = GgufFile.open(file);
        LayerSplitAdapter adapter = Cpu.family(gguf).open(gguf, ModelOptions.defaults());
        int layers = adapter.shape().layerCount();
        DflashModel draft =
                DflashModel.tiny(
                                new DflashModel.Target(
                                        adapter.shape().embeddingLength(),
                                        adapter.shape().vocabularySize()))
                        .with(new DflashModel.Block(MOST + 1, 3))
                        .with(new DflashModel.Weights(TensorType.Q8_0, 0, false, 4))
                        .seeing(List.of(0, layers / 2, layers));
        return new DraftPair(
                spec,
                file,
                adapter,
                gguf,
                DraftFile.of(GgufFile.open(draft.write(folder)), gguf, adapter.shape()),
                TreeOptions.OFF);
    }

    /** The same from other files. */
    DraftPair of(Path ownTarget, Path ownDraft) {
        GgufFile other = GgufFile.open(ownTarget);
        return new DraftPair(
                spec,
                ownTarget,
                Cpu.family(other).open(other, ModelOptions.defaults()),
                other,
                DraftFile.of(GgufFile.open(ownDraft), other, adapter.shape()),
                trees);
    }

    /** Returns the same pair with token trees. */
    DraftPair with(TreeOptions other) {
        return new DraftPair(spec, file, adapter, gguf, draft, other);
    }

    SpeculationTarget.Limits limits() {
        return new SpeculationTarget.Limits(CONTEXT, PARALLEL, MOST);
    }

    DflashSpeculator.DflashSettings conduct() {
        return new DflashSpeculator.DflashSettings(
                DflashSpeculator.WeightResidency.PERSISTENT, FlashAttention.AUTO);
    }

    DflashSpeculator local() {
        return DflashSpeculator.open(draft, limits(), Cpu.oneThread(), conduct());
    }

    DraftLoadRequest request() {
        return new DraftLoadRequest(
                ShardLoadRequest.Model.of(gguf, adapter, ModelOptions.defaults()),
                DraftLoadRequest.Draft.of(draft.file()),
                limits(),
                conduct(),
                new ShardLoadRequest.Device(
                        "cpu:0", new DeviceOptions(OptionalInt.of(1), OptionalInt.empty(), true)));
    }

    RemoteDraft remote(ShardLink link) {
        return RemoteDraft.open("cpu:0@process", link, request(), draft, adapter, digests());
    }

    TensorDigests digests() {
        return TensorDigests.cachedIn(file.resolveSibling("cache"));
    }

    ModelSettings settings() {
        ModelSettings settings = Cpu.settings(CONTEXT, PARALLEL, Cpu.F16);
        return settings.with(settings.computation().with(BatchInvariance.ON));
    }

    /** Loads the model with its draft, which proposes tokens in every step. */
    LoadedModel guessed(
            Speculator speculator, SplitModel split, List<String> devices, int... cuts) {
        return guessed(settings(), Optional.empty(), speculator, split, devices, cuts);
    }

    /** Likewise, with host memory and a disk behind the devices. */
    LoadedModel kept(
            DiskTierOptions disk,
            Speculator speculator,
            SplitModel split,
            List<String> devices,
            int... cuts) {
        return guessed(
                CacheHits.withHost(settings()),
                Optional.of(disk),
                speculator,
                split,
                devices,
                cuts);
    }

    private LoadedModel guessed(
            ModelSettings settings,
            Optional<DiskTierOptions> disk,
            Speculator speculator,
            SplitModel split,
            List<String> devices,
            int... cuts) {
        return split.load(
                settings.with(
                        new SpeculationRequirements(
                                Math.max(MOST, trees.draftTokens()), draft.captures())),
                new LoadedModel.EngineComponents(
                        disk,
                        Optional.of(
                                new SpeculationOptions(
                                        speculator,
                                        MOST,
                                        trees.always() ? OptionalInt.empty() : OptionalInt.of(MOST),
                                        trees))),
                devices,
                cuts);
    }

    SplitModel split(ShardLink link) {
        return SplitModel.of(file, settings(), BoundaryType.F32, device -> link);
    }

    /** Returns the model's answer without draft tokens. */
    int[] plain(int[] prompt, SamplingOptions sampling, int count) throws Exception {
        try (LoadedModel model = Cpu.load(file, settings())) {
            return Answer.ask(model.engine(), prompt, 0, count, sampling).tokens();
        }
    }
}
