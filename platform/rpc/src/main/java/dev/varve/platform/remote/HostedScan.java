package dev.varve.platform.remote;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.shard.LoadProgress;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.local.LayerwiseTextScorer;
import dev.varve.platform.shard.local.LocalTextScorer;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireErrorCode;
import dev.varve.platform.wire.WireException;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/** A model of a session that reads texts, between its messages and the scan. For one thread. */
final class HostedScan implements AutoCloseable {
    private final LocalTextScorer scan;
    private final ComputeDevice device;
    private final ScanCodec codec;
    private final LoadedTensorDigests tensors;

    private HostedScan(
            LocalTextScorer scan,
            ComputeDevice device,
            ScanCodec codec,
            LoadedTensorDigests tensors) {
        this.scan = scan;
        this.device = device;
        this.codec = codec;
        this.tensors = tensors;
    }

    /**
     * Loads the model.
     *
     * @throws VarveException if the file is missing or another one than the server's, cannot read
     *     texts, or there is no room
     */
    static HostedScan open(ScanLoadRequest request, ShardResources host, LoadProgress progress) {
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
                            adapter.tensors(all.range()),
                            model.hasSameFiles(mine)
                                    ? Optional.empty()
                                    : Optional.of(host.digests()),
                            new ThrottledProgress(progress));
            return new HostedScan(
                    new LocalTextScorer(
                            all, device, request.look(), request.residency(), tensors.progress()),
                    device,
                    ScanCodec.of(request),
                    tensors);
        } catch (RuntimeException | Error e) {
            device.close();
            throw e;
        }
    }

    /** Response to a load: place and sizes; waits for the digests of the tensors. */
    Message describe() {
        return HostedShard.describe(
                new ShardMemory(scan.weightBytes(), 0, 0, 0), device, List.of(), tensors.await());
    }

    /**
     * Reads a text.
     *
     * @param cancelled whether the server does not want to know any more
     * @param progress hears that it goes on: of the weights first where they have to be loaded
     *     again, and then of tokens in layers
     */
    Message read(Message request, BooleanSupplier cancelled, LoadProgress progress) {
        int[] tokens = codec.decode(request);
        LoadProgress signs = new ThrottledProgress(progress);
        LayerwiseTextScorer.Listener listener =
                new LayerwiseTextScorer.Listener() {
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
            return codec.encode(scan.read(tokens, listener, signs));
        } catch (CancellationException e) {
            throw new WireException(
                    WireErrorCode.CANCELLED, WireException.Retry.WORTHWHILE, e.getMessage());
        }
    }

    @Override
    public void close() {
        scan.close();
        device.close();
    }
}
