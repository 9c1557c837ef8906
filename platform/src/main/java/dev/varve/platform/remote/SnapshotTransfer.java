package dev.varve.platform.remote;

import dev.varve.platform.shard.SequencePlace;
import dev.varve.platform.shard.ShardSnapshot;
import dev.varve.platform.shard.SnapshotTensor;
import dev.varve.platform.wire.Deadline;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireChannel;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Moves snapshots between this process and a shard's, piece by piece. */
final class SnapshotTransfer {
    private static final Duration IDLE = Duration.ofSeconds(30);

    private SnapshotTransfer() {}

    /** Pieces of a snapshot as they come. */
    private static final class Arrival {
        private final long mostBytes;
        private Optional<SnapshotManifest.Assembly> assembly = Optional.empty();
        private Optional<RuntimeException> failure = Optional.empty();

        Arrival(long mostBytes) {
            this.mostBytes = mostBytes;
        }

        /** Takes a piece; what is wrong with it is told at the end, to whoever waits for it. */
        synchronized void take(Message message) {
            if (failure.isPresent()) {
                return;
            }
            try {
                add(message);
            } catch (RuntimeException e) {
                failure = Optional.of(e);
            }
        }

        private void add(Message message) {
            if (assembly.isPresent()) {
                assembly.get().add(message.payload());
                return;
            }
            FieldReader fields = new FieldReader(message.meta());
            SnapshotManifest manifest = SnapshotManifest.get(fields);
            fields.end();
            if (manifest.bytes() > mostBytes) {
                throw FieldReader.invalid(
                        "snapshot", "at most " + mostBytes + " bytes", manifest.bytes());
            }
            assembly = Optional.of(manifest.assemble());
        }

        synchronized ShardSnapshot done() {
            if (failure.isPresent()) {
                throw new GarbledException(failure.get());
            }
            try {
                return assembly.orElseThrow(
                                () -> FieldReader.invalid("snapshot", "a manifest", "none"))
                        .done();
            } catch (RuntimeException e) {
                throw new GarbledException(e);
            }
        }
    }

    /**
     * @param mostBytes bytes of all caches of the shard
     */
    static CompletableFuture<ShardSnapshot> save(
            WireChannel channel, SequencePlace place, long mostBytes) {
        FieldWriter fields = new FieldWriter();
        SnapshotManifest.putPlace(fields, place);
        Arrival arrival = new Arrival(mostBytes);
        return channel.call(
                        Message.of(MessageType.SAVE, fields.done()),
                        Deadline.withoutProgress(IDLE),
                        arrival::take)
                .thenApply(reply -> arrival.done());
    }

    static CompletableFuture<Void> restore(
            WireChannel channel, SequencePlace place, ShardSnapshot snapshot) {
        FieldWriter fields = new FieldWriter();
        SnapshotManifest.putPlace(fields, place);
        SnapshotManifest.of(snapshot).put(fields);
        CompletableFuture<Message> step =
                channel.call(Message.of(MessageType.RESTORE_BEGIN, fields.done()), IDLE);
        for (SnapshotTensor tensor : snapshot.tensors()) {
            for (int at = 0; at < tensor.data().length; at += HostedShard.PIECE_BYTES) {
                int count = Math.min(HostedShard.PIECE_BYTES, tensor.data().length - at);
                Message piece =
                        new Message(
                                MessageType.RESTORE_DATA,
                                ByteBuffer.allocate(0),
                                ByteBuffer.wrap(tensor.data(), at, count));
                step = step.thenCompose(reply -> channel.call(piece, IDLE));
            }
        }
        return step.thenCompose(reply -> channel.call(Message.of(MessageType.RESTORE_COMMIT), IDLE))
                .thenApply(reply -> null);
    }
}
