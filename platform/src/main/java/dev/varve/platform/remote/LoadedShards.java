package dev.varve.platform.remote;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.shard.LoadProgress;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.local.LocalShard;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireCode;
import dev.varve.platform.wire.WireException;

import java.util.List;
import java.util.Optional;

/** The range that a session has loaded, if any. For one thread. */
final class LoadedShards implements AutoCloseable {
    private final ShardHost host;
    private Optional<HostedShard> current = Optional.empty();

    LoadedShards(ShardHost host) {
        this.host = host;
    }

    HostedShard current() {
        return current.orElseThrow(
                () -> new WireException(WireCode.INVALID_REQUEST, "no range is loaded"));
    }

    /** Replaces the range; the former one is freed first, since both might not fit. */
    Message load(LoadRequest request, LoadProgress progress) {
        close();
        GgufFile file = host.model(request.model().name());
        LayerSplitAdapter adapter = host.adapter(file, request.options());
        List<String> differences =
                request.model().differences(LoadRequest.Identity.of(file, adapter));
        if (!differences.isEmpty()) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    request.model().name()
                            + ": the server and this shard have different files: "
                            + String.join("; ", differences));
        }
        ComputeDevice device =
                host.open(
                        request.device(),
                        new DeviceOptions(
                                request.threads(), request.threadsBatch(), request.sharedCores()));
        try {
            LocalShard shard =
                    LocalShard.load(
                            new ModelRange(file, adapter, request.range()),
                            device,
                            request.shard(),
                            new Throttle(progress));
            HostedShard hosted = new HostedShard(shard, device, adapter, request.boundaryType());
            current = Optional.of(hosted);
            return hosted.describe();
        } catch (RuntimeException | Error e) {
            device.close();
            throw e;
        }
    }

    @Override
    public void close() {
        current.ifPresent(HostedShard::close);
        current = Optional.empty();
    }

    /** Passes on a report now and then; weights may come in thousands of tensors. */
    private static final class Throttle implements LoadProgress {
        private static final long PERIOD_NANOS = 50_000_000;

        private final LoadProgress target;
        private long next = System.nanoTime();

        Throttle(LoadProgress target) {
            this.target = target;
        }

        @Override
        public synchronized void loaded(long done, long total) {
            long now = System.nanoTime();
            if (now - next >= 0 || done == total) {
                next = now + PERIOD_NANOS;
                target.loaded(done, total);
            }
        }
    }
}
