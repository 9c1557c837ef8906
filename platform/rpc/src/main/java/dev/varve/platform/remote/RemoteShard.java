package dev.varve.platform.remote;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CachePartCallback;
import dev.varve.platform.shard.ComputeResource;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.LogitsBuffers;
import dev.varve.platform.shard.RemoteConnectionTraffic;
import dev.varve.platform.shard.RemoteProcessInfo;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.lora.AdapterChange;
import dev.varve.platform.wire.Deadline;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireChannel;
import dev.varve.platform.wire.WireException;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Shard in another process. When the process dies, hangs or sends malformed messages, all
 * outstanding calls fail with a {@link ShardLostException}. A new process then loads the range
 * again; attempts repeat until one succeeds.
 */
public final class RemoteShard implements Shard {
    private final String device;
    private final LayerRange range;
    private final BatchCodec batches;
    private final ResultCodec results;
    private final CachePartCodec parts;
    private final LogitsBuffers logits = new LogitsBuffers();
    private final ForwardDeadline deadline = new ForwardDeadline();
    private final ShardSupervisor supervisor;
    private final ComputeResource resource;
    private final RemoteAdapters adapters;
    private volatile ShardMemory memory;
    private volatile long boundaryNanos;

    /**
     * The process that computes the shard.
     *
     * @param device its device, for messages
     * @param link link to the process; the shard owns it from {@link #open} on
     * @param hostCores compute unit of the shards that run on this machine's cores
     */
    public record Peer(String device, ShardLink link, ComputeResource hostCores) {
        /** Returns the compute unit of the shard, which may be cores of this machine. */
        private ComputeResource resource(ShardSupervisor supervisor) {
            return link.sameHost() && supervisor.computesOnHostCores()
                    ? hostCores.only(supervisor.processors())
                    : new ComputeResource(new Object());
        }
    }

    private RemoteShard(
            Peer peer,
            LayerSplitAdapter adapter,
            ShardLoadRequest request,
            RemoteAdapters adapters,
            ShardSupervisor supervisor) {
        device = peer.device();
        this.adapters = adapters;
        this.supervisor = supervisor;
        resource = peer.resource(supervisor);
        range = request.range();
        batches = HostedShard.batchCodec(adapter, range, request.boundaryType());
        results = HostedShard.resultCodec(adapter, range, request.boundaryType());
        parts = new CachePartCodec(range);
        memory = supervisor.loadedMemory();
    }

    /**
     * Connects to a process and loads a range in it.
     *
     * @param adapter the model that the request names, as this process sees it
     * @param digests of this process's files; the files of the process must match
     * @throws VarveException if the process cannot be reached, refuses, or has other weights
     */
    public static RemoteShard open(
            Peer peer,
            LayerSplitAdapter adapter,
            ShardLoadRequest request,
            TensorDigests digests,
            LoadProgressListener progress) {
        RemoteAdapters adapters = RemoteAdapters.of(adapter, request, digests);
        ShardSupervisor supervisor =
                ShardSupervisor.started(
                        String.format(
                                Locale.ROOT,
                                "shard %s (layers %d to %d)",
                                peer.device(),
                                request.range().begin(),
                                request.range().end() - 1),
                        peer.link(),
                        adapters.load(),
                        progress);
        return new RemoteShard(peer, adapter, request, adapters, supervisor);
    }

    @Override
    public LayerRange range() {
        return range;
    }

    @Override
    public String device() {
        return device;
    }

    @Override
    public ShardMemory memory() {
        return memory;
    }

    @Override
    public ComputeResource computesOn() {
        return resource;
    }

    @Override
    public Optional<RemoteConnectionTraffic> traffic() {
        return Optional.of(supervisor.traffic());
    }

    @Override
    public Optional<RemoteProcessInfo> peer() {
        return Optional.of(supervisor.peer());
    }

    @Override
    public ShardHealth health() {
        return supervisor.health();
    }

    @Override
    public double boundaryMillis() {
        return boundaryNanos / 1e6;
    }

    @Override
    public void keepLogits(int results) {
        logits.keep(results);
    }

    @Override
    public CompletableFuture<ShardResult> forward(
            Batch batch, Optional<LayerActivations> boundary) {
        long begin = System.nanoTime();
        TransportRecording recording = TransportRecording.begin(device);
        Message request = batches.encode(batch, boundary);
        return call(
                request,
                deadline.of(batch),
                reply -> {
                    ResultCodec.Received received = results.decode(batch, reply, logits);
                    long nanos = System.nanoTime() - begin;
                    memory = received.memory();
                    boundaryNanos += Math.max(0, nanos - received.computeNanos());
                    deadline.measured(batch, nanos);
                    recording.end(request, reply, received.computeNanos());
                    return received.result();
                });
    }

    @Override
    public boolean canWarmUp() {
        return true;
    }

    @Override
    public CompletableFuture<ShardResult> warmUp(Batch batch, Optional<LayerActivations> boundary) {
        Message message = batches.encode(batch, boundary);
        return call(
                new Message(MessageType.WARM_UP, message.meta(), message.payload()),
                ForwardDeadline.FIRST,
                reply -> results.decode(batch, reply, logits).result());
    }

    @Override
    public CompletableFuture<Void> change(CacheChanges changes) {
        return send(
                () -> CacheChangeCodec.encode(changes),
                deadline.of(changes),
                reply -> new FieldReader(reply.meta()).end());
    }

    @Override
    public CompletableFuture<Void> export(List<CachePart> wanted, CachePartCallback target) {
        return send(
                () -> Message.of(MessageType.EXPORT, parts.encode(wanted)),
                reply -> {
                    new FieldReader(reply.meta()).end();
                    CachePartPayload payload = CachePartPayload.of(wanted, reply.payload());
                    try {
                        payload.handTo(target);
                    } catch (RuntimeException e) {
                        // The process is not at fault.
                        throw new VarveException(
                                VarveException.Kind.BACKEND_FAILED,
                                device + ": the exported bytes could not be stored: " + e,
                                e);
                    }
                });
    }

    @Override
    public CompletableFuture<Void> adopt(List<CachePart> given, CachePartCallback source) {
        return send(
                () -> {
                    ByteBuffer fields = parts.encode(given);
                    CachePartPayload payload = CachePartPayload.empty(given);
                    payload.fillFrom(source);
                    return new Message(MessageType.ADOPT, fields, payload.bytes());
                },
                reply -> new FieldReader(reply.meta()).end());
    }

    @Override
    public CompletableFuture<Void> adapt(AdapterChange change) {
        return switch (change) {
            case AdapterChange.Add add -> add(add);
            case AdapterChange.Remove remove -> remove(remove.number());
        };
    }

    private CompletableFuture<Void> add(AdapterChange.Add add) {
        RemoteAdapters.Addition addition;
        try {
            addition = adapters.begin(add, supervisor.sameHost());
        } catch (VarveException e) {
            return CompletableFuture.failedFuture(e);
        }
        return guarded(
                (channel, session) ->
                        channel.call(
                                        addition.request(),
                                        // After the batches that were sent before.
                                        Deadline.withoutProgress(
                                                deadline.ofParts()
                                                        .plus(
                                                                ShardSupervisor
                                                                        .LOAD_WITHOUT_PROGRESS)),
                                        progress -> {})
                                // The digests may take longer than the channel's thread may wait.
                                .thenAcceptAsync(
                                        reply -> {
                                            memory = addition.verify(supervisor.name(), reply);
                                            supervisor.setLoad(session, adapters.end(addition));
                                        },
                                        Thread::startVirtualThread));
    }

    /** Succeeds if the process is lost: it loads only the other adapters when it returns. */
    private CompletableFuture<Void> remove(int number) {
        supervisor.setLoad(adapters.remove(number));
        return call(
                        LoraReference.encodeRemove(number),
                        deadline.ofParts(),
                        reply -> {
                            FieldReader fields = new FieldReader(reply.meta());
                            memory = ResultCodec.memory(fields);
                            fields.end();
                            return (Void) null;
                        })
                .exceptionallyCompose(
                        failure ->
                                failure instanceof ShardLostException
                                                || failure.getCause() instanceof ShardLostException
                                        ? CompletableFuture.completedFuture(null)
                                        : CompletableFuture.failedFuture(failure));
    }

    private CompletableFuture<Void> send(Supplier<Message> request, Consumer<Message> read) {
        return send(request, deadline.ofParts(), read);
    }

    private CompletableFuture<Void> send(
            Supplier<Message> request, Duration limit, Consumer<Message> read) {
        try {
            return call(
                    request.get(),
                    limit,
                    reply -> {
                        read.accept(reply);
                        return null;
                    });
        } catch (VarveException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Sends a request and reads its response; a malformed response ends the process. */
    private <T> CompletableFuture<T> call(
            Message request, Duration limit, Function<Message, T> read) {
        return guarded(
                (channel, session) ->
                        channel.call(request, limit)
                                .thenApply(
                                        reply -> {
                                            try {
                                                return read.apply(reply);
                                            } catch (WireException e) {
                                                throw new MalformedMessageException(e);
                                            }
                                        }));
    }

    private <T> CompletableFuture<T> guarded(
            BiFunction<WireChannel, ShardSupervisor.Session, CompletableFuture<T>> work) {
        ShardSupervisor.Session session;
        try {
            session = supervisor.session();
        } catch (ShardLostException e) {
            return CompletableFuture.failedFuture(e);
        }
        CompletableFuture<T> answer = work.apply(session.channel(), session);
        CompletableFuture<T> result =
                answer.exceptionallyCompose(
                        failure ->
                                CompletableFuture.failedFuture(
                                        CallFailure.meaningOf(failure, supervisor, session)));
        // A caller that cancels the result also cancels the call behind it.
        result.whenComplete((value, failure) -> answer.cancel(true));
        return result;
    }

    @Override
    public CompletableFuture<Void> recover() {
        return supervisor.recover();
    }

    @Override
    public void close() {
        supervisor.close();
    }

    /**
     * Computes how long a call may take; the limit of a batch follows from the times of earlier
     * batches.
     */
    private static final class ForwardDeadline {
        /** Limit before the first measurement: kernels may have to be compiled. */
        private static final Duration FIRST = Duration.ofMinutes(2);

        private static final long LEAST_NANOS = Duration.ofSeconds(10).toNanos();
        private static final int FACTOR = 16;

        /**
         * Limit for row copies, per slot: a hundred times the time that slow memory needs for a
         * large model.
         */
        private static final long COPY_NANOS = 1_000_000;

        /** Limit for cache parts; a call has few of them. */
        private static final Duration PARTS = Duration.ofSeconds(30);

        /** Per phase, the recent maximum of nanoseconds per token. */
        private final Map<Phase, Double> cost = new EnumMap<>(Phase.class);

        /** Time limit of all batches that were sent, by {@link System#nanoTime}. */
        private long batchesUntil = System.nanoTime();

        synchronized Duration of(Batch batch) {
            Duration limit = expected(batch);
            long until = System.nanoTime() + limit.toNanos();
            batchesUntil += Math.max(0, until - batchesUntil);
            return limit;
        }

        /** Returns the limit for cache parts, which wait for the batches before them. */
        synchronized Duration ofParts() {
            return PARTS.plusNanos(Math.max(0, batchesUntil - System.nanoTime()));
        }

        synchronized Duration of(CacheChanges changes) {
            return ofParts().plusNanos(COPY_NANOS * changes.movedSlots());
        }

        private Duration expected(Batch batch) {
            return Optional.ofNullable(cost.get(batch.phase()))
                    .map(
                            perToken ->
                                    Duration.ofNanos(
                                            LEAST_NANOS
                                                    + (long) (FACTOR * perToken * batch.tokens())
                                                    + COPY_NANOS * batch.changes().movedSlots()))
                    .orElse(FIRST);
        }

        synchronized void measured(Batch batch, long nanos) {
            if (batch.changes().movedSlots() > 0) {
                // With moved rows the time depends on memory more than on computing.
                return;
            }
            double perToken = (double) nanos / batch.tokens();
            cost.merge(
                    batch.phase(),
                    perToken,
                    (before, now) -> Math.max(now, 0.9 * before + 0.1 * now));
        }
    }
}
