package dev.varve.platform.remote;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.local.LayerMajorImportanceScorer;
import dev.varve.platform.shard.local.LocalImportanceScorer;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireErrorCode;
import dev.varve.platform.wire.WireException;

import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/**
 * Text-scoring model of a session: translates between its messages and the scorer. For one thread.
 */
final class HostedTextScorer extends SessionModel {
    private final LocalImportanceScorer scorer;
    private final TextScoreCodec codec;

    private HostedTextScorer(
            LocalImportanceScorer scorer,
            ComputeDevice device,
            TextScoreCodec codec,
            LoadedTensorDigests tensors) {
        super(device, tensors);
        this.scorer = scorer;
        this.codec = codec;
    }

    /**
     * Loads the model.
     *
     * @throws VarveException if the file is missing or differs from the server's, the model cannot
     *     score texts, or memory is insufficient
     */
    static HostedTextScorer open(
            TextScorerLoadRequest request, ShardResources host, LoadProgressListener progress) {
        ShardLoadRequest.Model model = request.model();
        GgufFile file = host.model(model.name());
        LayerSplitAdapter adapter = host.adapter(file, model.options());
        ShardLoadRequest.Model mine = ShardLoadRequest.Model.of(file, adapter, model.options());
        model.requireAlike(mine);
        ModelRange all = new ModelRange(file, adapter, adapter.shape().allLayers());
        ComputeDevice device = host.open(request.device().name(), request.device().options());
        try {
            LoadedTensorDigests tensors =
                    LoadedTensorDigests.of(
                            adapter.tensors(all.range()), model.hasSameFiles(mine), host, progress);
            return new HostedTextScorer(
                    new LocalImportanceScorer(
                            all,
                            device,
                            request.options(),
                            request.residency(),
                            tensors.progress()),
                    device,
                    TextScoreCodec.of(request),
                    tensors);
        } catch (RuntimeException | Error e) {
            device.close();
            throw e;
        }
    }

    @Override
    ShardMemory memory() {
        return new ShardMemory(scorer.weightBytes(), 0, 0, 0);
    }

    /**
     * Scores a text.
     *
     * @param cancelled whether the server cancelled the request
     * @param progress accepts progress: first of the weights if they must be loaded again, then of
     *     tokens in layers
     */
    Message read(Message request, BooleanSupplier cancelled, LoadProgressListener progress) {
        int[] tokens = codec.decode(request);
        LoadProgressListener signs = new ThrottledProgress(progress);
        LayerMajorImportanceScorer.ProgressAndCancellation listener =
                new LayerMajorImportanceScorer.ProgressAndCancellation() {
                    @Override
                    public boolean isCancelled() {
                        return cancelled.getAsBoolean();
                    }

                    @Override
                    public void onProgress(long done, long all) {
                        signs.loaded(done, all);
                    }
                };
        try {
            return codec.encode(scorer.read(tokens, listener, signs));
        } catch (CancellationException e) {
            throw new WireException(
                    WireErrorCode.CANCELLED, WireException.Retry.WORTHWHILE, e.getMessage());
        }
    }

    @Override
    public void close() {
        scorer.close();
        super.close();
    }
}
