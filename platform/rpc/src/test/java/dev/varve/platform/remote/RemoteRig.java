package dev.varve.platform.remote;

import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.ComputeResource;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.RollbackBufferSizes;
import dev.varve.platform.shard.ShardOptions;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** A shard server in this process with everything around it, and shards that reach it. */
final class RemoteRig implements AutoCloseable {
    static final int BLOCK = KvSlotSpan.BLOCK;
    static final int STATE_ROWS = 8;
    static final RollbackBufferSizes ROLLBACK_BUFFERS = new RollbackBufferSizes(4, 8);
    private static final CacheTypes TYPES = new CacheTypes(GgmlType.F32, GgmlType.F32);

    /** This machine's cores. */
    static final ComputeResource HOST_CORES = new ComputeResource("cores");

    final PlainModel model;
    final PlainHost host;
    private final TensorDigests digests;
    private final GgufFile file;
    private final Path folder;
    private final int slots;
    private final ShardServer server;

    RemoteRig(Path folder, PlainModel model, int slots) throws IOException {
        this.folder = folder;
        this.slots = slots;
        file = GgufFile.open(model.write(folder));
        this.model = PlainModel.read(file);
        digests = TensorDigests.cachedIn(folder.resolve("cache"));
        host = new PlainHost(file.path(), digests);
        server = new ShardServer(host, ShardWireOptions.wireOptions("shard"), host);
    }

    PlainLink link(PlainLink.Transport transport) {
        return new PlainLink(server, transport, folder);
    }

    private List<Integer> captures() {
        return IntStream.rangeClosed(0, model.shape().layerCount()).boxed().toList();
    }

    /** The layout of the data that a shard of some layers keeps for a sequence. */
    CacheLayout layout(LayerRange range) {
        return CacheLayout.of(model.shape(), range, TYPES, 0);
    }

    ShardLoadRequest request(LayerRange range, BoundaryType type) {
        return request(range, type, captures());
    }

    ShardLoadRequest request(LayerRange range, BoundaryType type, List<Integer> captures) {
        return new ShardLoadRequest(
                ShardLoadRequest.Model.of(file, model, ModelOptions.defaults()),
                range,
                ShardOptions.of(TYPES, new CacheCapacities(slots, STATE_ROWS, 0, ROLLBACK_BUFFERS))
                        .withCaptures(captures),
                new ShardLoadRequest.Device(PlainHost.DEVICE, DeviceOptions.automatic()),
                type);
    }

    RemoteShard open(PlainLink link, LayerRange range, BoundaryType type) {
        return open(link, range, type, LoadProgressListener.silent());
    }

    RemoteShard open(
            PlainLink link, LayerRange range, BoundaryType type, LoadProgressListener progress) {
        return open(link, request(range, type), progress);
    }

    RemoteShard open(PlainLink link, ShardLoadRequest request, LoadProgressListener progress) {
        return RemoteShard.open(
                new RemoteShard.Peer(PlainHost.DEVICE + "@test", link, HOST_CORES),
                model,
                request,
                digests,
                progress);
    }

    /** A shard of this process that computes the same. */
    PlainShard twin(LayerRange range) {
        return new PlainShard(
                model,
                range,
                new PlainShard.Sizes(slots, STATE_ROWS, captures(), ROLLBACK_BUFFERS));
    }

    @Override
    public void close() {
        server.close();
    }
}
