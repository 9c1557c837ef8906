package dev.varve.platform.remote;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.shard.SequencePlace;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.ShardSnapshot;
import dev.varve.platform.wire.Call;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireCode;
import dev.varve.platform.wire.WireException;

import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/** A loaded range of a session, between its messages and the shard. For one thread. */
final class HostedShard implements AutoCloseable {
    private final Shard shard;
    private final ComputeDevice device;
    private final BatchCodec batches;
    private final ResultCodec results;
    private final StagedRestores restores;

    HostedShard(Shard shard, ComputeDevice device, LayerSplitAdapter adapter, BoundaryType type) {
        this.shard = shard;
        this.device = device;
        batches = batchCodec(adapter, shard.range(), type);
        results = resultCodec(adapter, shard.range(), type);
        restores = new StagedRestores(shard.memory().kv());
    }

    static BatchCodec batchCodec(LayerSplitAdapter adapter, LayerRange range, BoundaryType type) {
        return new BatchCodec(type, range.begin() == 0 ? 0 : adapter.boundaryLength(range.begin()));
    }

    static ResultCodec resultCodec(LayerSplitAdapter adapter, LayerRange range, BoundaryType type) {
        boolean ends = range.end() == adapter.shape().layerCount();
        return new ResultCodec(
                type,
                range,
                ends ? OptionalInt.empty() : OptionalInt.of(adapter.boundaryLength(range.end())),
                adapter.shape().vocabularySize(),
                adapter.shape().embeddingLength());
    }

    /** What was loaded, where. */
    Message describe() {
        FieldWriter fields = new FieldWriter();
        ResultCodec.putMemory(fields, shard.memory());
        fields.text(device.info().description()).flag(device.info().hostCores());
        Set<Integer> processors = shard.computesOn().processors();
        fields.number(processors.size());
        processors.forEach(fields::number);
        return Message.of(MessageType.LOAD, fields.done());
    }

    Message forward(Message request) {
        BatchCodec.Received received = batches.decode(request);
        return answer(received, () -> shard.forward(received.batch(), received.boundary()));
    }

    Message rehearse(Message request) {
        BatchCodec.Received received = batches.decode(request);
        return answer(received, () -> shard.rehearse(received.batch(), received.boundary()));
    }

    private Message answer(
            BatchCodec.Received received, Supplier<CompletableFuture<ShardResult>> work) {
        long begin = System.nanoTime();
        ShardResult result = join(work.get());
        return results.encode(received.batch(), result, shard.memory(), System.nanoTime() - begin);
    }

    Message save(Message request, Call call) {
        FieldReader fields = new FieldReader(request.meta());
        SequencePlace place = SnapshotManifest.getPlace(fields);
        TransferId id = TransferId.get(fields);
        fields.end();
        restores.requireNew(id);
        ShardSnapshot snapshot = join(shard.save(place));
        FieldWriter manifest = id.put(new FieldWriter());
        SnapshotManifest.of(snapshot).put(manifest);
        call.progress(Message.of(MessageType.SAVE, manifest.done()));
        SnapshotPieces pieces = new SnapshotPieces(MessageType.SAVE, id, snapshot);
        while (pieces.hasNext()) {
            if (call.isCancelled()) {
                throw new WireException(
                        WireCode.CANCELLED, WireException.Retry.WORTHWHILE, "saving was cancelled");
            }
            call.progress(pieces.next());
        }
        return Message.of(MessageType.SAVE);
    }

    Message beginRestore(Message request) {
        FieldReader fields = new FieldReader(request.meta());
        SequencePlace place = SnapshotManifest.getPlace(fields);
        TransferId id = TransferId.get(fields);
        SnapshotManifest manifest = SnapshotManifest.get(fields);
        fields.end();
        restores.begin(id, place, manifest);
        return Message.of(MessageType.RESTORE_BEGIN);
    }

    Message restoreData(Message request) {
        FieldReader fields = new FieldReader(request.meta());
        TransferId id = TransferId.get(fields);
        long offset = fields.number("offset", 0L, Long.MAX_VALUE);
        fields.end();
        restores.add(id, offset, request.payload());
        return Message.of(MessageType.RESTORE_DATA);
    }

    Message commitRestore(Message request) {
        StagedRestores.Arrived arrived = restores.take(onlyId(request));
        join(shard.restore(arrived.place(), arrived.snapshot()));
        return Message.of(MessageType.RESTORE_COMMIT);
    }

    Message abortRestore(Message request) {
        restores.abort(onlyId(request));
        return Message.of(MessageType.RESTORE_ABORT);
    }

    private static TransferId onlyId(Message request) {
        FieldReader fields = new FieldReader(request.meta());
        TransferId id = TransferId.get(fields);
        fields.end();
        return id;
    }

    private static <T> T join(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw e;
        }
    }

    @Override
    public void close() {
        shard.close();
        device.close();
    }
}
