package dev.varve.platform.remote;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.shard.LoadProgress;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireErrorCode;
import dev.varve.platform.wire.WireException;

import java.util.Optional;

/** The range that a session has loaded, if any. For one thread. */
final class LoadedRange implements AutoCloseable {
    private final ShardResources host;
    private final RangeLoader loader;
    private Optional<HostedShard> current = Optional.empty();

    LoadedRange(ShardResources host, RangeLoader loader) {
        this.host = host;
        this.loader = loader;
    }

    HostedShard current() {
        return current.orElseThrow(
                () -> new WireException(WireErrorCode.INVALID_REQUEST, "no range is loaded"));
    }

    /** Replaces the range; frees the former one first, since both might not fit. */
    Message load(ShardLoadRequest request, LoadProgress progress) {
        close();
        ShardLoadRequest.Model model = request.model();
        GgufFile file = host.model(model.name());
        LayerSplitAdapter adapter = host.adapter(file, model.options());
        ShardLoadRequest.Model mine = ShardLoadRequest.Model.of(file, adapter, model.options());
        model.requireAlike(mine);
        ComputeDevice device = host.open(request.device().name(), request.device().options());
        try {
            LoadedTensorDigests tensors =
                    LoadedTensorDigests.of(
                            adapter.tensors(request.range()),
                            model.hasSameFiles(mine)
                                    ? Optional.empty()
                                    : Optional.of(host.digests()),
                            new ThrottledProgress(progress));
            Shard shard =
                    loader.load(
                            new RangeLoader.Place(file, adapter, device),
                            request,
                            tensors.progress());
            current =
                    Optional.of(
                            new HostedShard(
                                    shard, device, adapter, request.boundaryType(), tensors));
        } catch (RuntimeException | Error e) {
            device.close();
            throw e;
        }
        return current().describe();
    }

    @Override
    public void close() {
        current.ifPresent(HostedShard::close);
        current = Optional.empty();
    }
}
