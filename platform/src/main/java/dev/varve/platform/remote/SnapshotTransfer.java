package dev.varve.platform.remote;

import dev.varve.api.VarveException;
import dev.varve.platform.shard.SequencePlace;
import dev.varve.platform.shard.ShardSnapshot;
import dev.varve.platform.wire.ChannelLostException;
import dev.varve.platform.wire.Deadline;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireChannel;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Moves snapshots between this process and a shard's, piece by piece and each under an id of its
 * own, so that several may be under way. Cancelling what a method returns gives the transfer up.
 * Thread-safe.
 */
final class SnapshotTransfer {
    private static final System.Logger LOG = System.getLogger("dev.varve.remote");
    private static final Duration IDLE = Duration.ofSeconds(30);

    private long generation;

    /**
     * Copies a state out.
     *
     * @param mostBytes bytes of all caches of the shard
     */
    CompletableFuture<ShardSnapshot> save(
            WireChannel channel, SequencePlace place, long mostBytes) {
        CompletableFuture<Message> call;
        Arrival arrival;
        // Ids must go out in their order.
        synchronized (this) {
            TransferId id = TransferId.of(place, ++generation);
            arrival = new Arrival(id, mostBytes);
            call =
                    channel.call(
                            Message.of(MessageType.SAVE, id.put(placeOf(place)).done()),
                            Deadline.withoutProgress(IDLE),
                            arrival::take);
        }
        CompletableFuture<ShardSnapshot> snapshot = call.thenApply(reply -> arrival.done());
        snapshot.whenComplete((done, failure) -> call.cancel(true));
        return snapshot;
    }

    /** Copies a state in; what was sent of one that fails or is given up is freed there. */
    CompletableFuture<Void> restore(
            WireChannel channel, SequencePlace place, ShardSnapshot snapshot) {
        synchronized (this) {
            Sending sending =
                    new Sending(channel, TransferId.of(place, ++generation), place, snapshot);
            sending.begin();
            return sending.end;
        }
    }

    private static FieldWriter placeOf(SequencePlace place) {
        FieldWriter fields = new FieldWriter();
        SnapshotManifest.putPlace(fields, place);
        return fields;
    }

    /** Pieces of a snapshot as they come. */
    private static final class Arrival {
        private final TransferId id;
        private final long mostBytes;
        private Optional<SnapshotManifest.Assembly> assembly = Optional.empty();
        private Optional<RuntimeException> failure = Optional.empty();

        Arrival(TransferId id, long mostBytes) {
            this.id = id;
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
            FieldReader fields = new FieldReader(message.meta());
            id.require(fields);
            if (assembly.isPresent()) {
                long offset = fields.number("offset", 0L, Long.MAX_VALUE);
                fields.end();
                assembly.get().add(offset, message.payload());
                return;
            }
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

    /** A snapshot on its way to the shard; one message at a time. */
    private static final class Sending {
        private final WireChannel channel;
        private final TransferId id;
        private final SequencePlace place;
        private final ShardSnapshot snapshot;
        private final SnapshotPieces pieces;

        /** Of the whole transfer; whoever completes it first ends it. */
        private final CompletableFuture<Void> end = new CompletableFuture<>();

        Sending(WireChannel channel, TransferId id, SequencePlace place, ShardSnapshot snapshot) {
            this.channel = channel;
            this.id = id;
            this.place = place;
            this.snapshot = snapshot;
            pieces = new SnapshotPieces(MessageType.RESTORE_DATA, id, snapshot);
        }

        void begin() {
            FieldWriter fields = id.put(placeOf(place));
            SnapshotManifest.of(snapshot).put(fields);
            send(Message.of(MessageType.RESTORE_BEGIN, fields.done()), this::more);
            end.whenComplete(
                    (done, failure) -> {
                        if (failure != null && !(failure instanceof ChannelLostException)) {
                            abort();
                        }
                    });
        }

        private void more() {
            if (pieces.hasNext()) {
                send(pieces.next(), this::more);
            } else {
                send(named(MessageType.RESTORE_COMMIT), () -> end.complete(null));
            }
        }

        private void send(Message message, Runnable next) {
            channel.call(message, IDLE)
                    .whenComplete(
                            (reply, failure) -> {
                                if (end.isDone()) {
                                    return;
                                }
                                if (failure != null) {
                                    end.completeExceptionally(causeOf(failure));
                                    return;
                                }
                                try {
                                    next.run();
                                } catch (RuntimeException | Error e) {
                                    end.completeExceptionally(notSent(e));
                                }
                            });
        }

        private VarveException notSent(Throwable cause) {
            return new VarveException(
                    VarveException.Kind.BACKEND_FAILED,
                    "transfer " + id + ": the snapshot could not be sent: " + cause,
                    cause);
        }

        /** The other side may know nothing of it, if it refused the beginning. */
        private void abort() {
            channel.call(named(MessageType.RESTORE_ABORT), IDLE)
                    .whenComplete(
                            (reply, failure) -> {
                                if (failure != null) {
                                    LOG.log(
                                            System.Logger.Level.DEBUG,
                                            "nothing was aborted: {0}",
                                            failure.getMessage());
                                }
                            });
        }

        private Message named(int type) {
            return Message.of(type, id.put(new FieldWriter()).done());
        }

        private static Throwable causeOf(Throwable failure) {
            return failure instanceof CompletionException && failure.getCause() != null
                    ? failure.getCause()
                    : failure;
        }
    }
}
