package dev.varve.platform.remote;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.shard.LocalShard;
import dev.varve.platform.shard.SequencePlace;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.ShardSnapshot;
import dev.varve.platform.shard.SnapshotTensor;
import dev.varve.platform.wire.Call;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireCode;
import dev.varve.platform.wire.WireException;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A loaded range of a session, between its messages and the shard. For one thread. */
final class HostedShard implements AutoCloseable {
    /** Bytes of a snapshot in one message. */
    static final int PIECE_BYTES = 4 << 20;

    private final LocalShard shard;
    private final ComputeDevice device;
    private final BatchCodec batches;
    private final ResultCodec results;
    private Optional<Restore> restore = Optional.empty();

    /** A snapshot on its way into the caches. */
    private record Restore(SequencePlace place, SnapshotManifest.Assembly assembly) {}

    HostedShard(
            LocalShard shard, ComputeDevice device, LayerSplitAdapter adapter, BoundaryType type) {
        this.shard = shard;
        this.device = device;
        batches = batchCodec(adapter, shard.range(), type);
        results = resultCodec(adapter, shard.range(), type);
    }

    static BatchCodec batchCodec(LayerSplitAdapter adapter, LayerRange range, BoundaryType type) {
        return new BatchCodec(type, range.begin() == 0 ? 0 : adapter.boundaryLength(range.begin()));
    }

    static ResultCodec resultCodec(LayerSplitAdapter adapter, LayerRange range, BoundaryType type) {
        boolean ends = range.end() == adapter.shape().layerCount();
        return new ResultCodec(
                type,
                ends ? 0 : adapter.boundaryLength(range.end()),
                adapter.shape().vocabularySize(),
                adapter.shape().embeddingLength());
    }

    /** What was loaded, where. */
    Message describe() {
        FieldWriter fields = new FieldWriter();
        ResultCodec.putMemory(fields, shard.memory());
        fields.text(device.info().description()).flag(device.info().hostCores());
        return Message.of(MessageType.LOAD, fields.done());
    }

    Message forward(Message request) {
        BatchCodec.Received received = batches.decode(request);
        long begin = System.nanoTime();
        ShardResult result = join(shard.forward(received.batch(), received.boundary()));
        return results.encode(received.batch(), result, shard.memory(), System.nanoTime() - begin);
    }

    Message save(Message request, Call call) {
        FieldReader fields = new FieldReader(request.meta());
        SequencePlace place = SnapshotManifest.getPlace(fields);
        fields.end();
        ShardSnapshot snapshot = join(shard.save(place));
        FieldWriter manifest = new FieldWriter();
        SnapshotManifest.of(snapshot).put(manifest);
        call.progress(Message.of(MessageType.SAVE, manifest.done()));
        for (SnapshotTensor tensor : snapshot.tensors()) {
            for (int at = 0; at < tensor.data().length; at += PIECE_BYTES) {
                if (call.isCancelled()) {
                    throw new WireException(WireCode.CANCELLED, true, "saving was cancelled");
                }
                int count = Math.min(PIECE_BYTES, tensor.data().length - at);
                call.progress(
                        new Message(
                                MessageType.SAVE,
                                ByteBuffer.allocate(0),
                                ByteBuffer.wrap(tensor.data(), at, count)));
            }
        }
        return Message.of(MessageType.SAVE);
    }

    Message beginRestore(Message request) {
        restore = Optional.empty();
        FieldReader fields = new FieldReader(request.meta());
        SequencePlace place = SnapshotManifest.getPlace(fields);
        SnapshotManifest manifest = SnapshotManifest.get(fields);
        fields.end();
        // No snapshot of one sequence is larger than the caches of all of them.
        if (manifest.bytes() > shard.memory().kv()) {
            throw FieldReader.invalid(
                    "snapshot", "at most " + shard.memory().kv() + " bytes", manifest.bytes());
        }
        restore = Optional.of(new Restore(place, manifest.assemble()));
        return Message.of(MessageType.RESTORE_BEGIN);
    }

    Message restoreData(Message request) {
        begun().assembly().add(request.payload());
        return Message.of(MessageType.RESTORE_DATA);
    }

    Message commitRestore() {
        Restore begun = begun();
        restore = Optional.empty();
        join(shard.restore(begun.place(), begun.assembly().done()));
        return Message.of(MessageType.RESTORE_COMMIT);
    }

    Message abortRestore() {
        restore = Optional.empty();
        return Message.of(MessageType.RESTORE_ABORT);
    }

    private Restore begun() {
        return restore.orElseThrow(
                () -> new WireException(WireCode.INVALID_REQUEST, false, "no restore was begun"));
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
