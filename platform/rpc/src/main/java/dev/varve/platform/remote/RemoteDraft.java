package dev.varve.platform.remote;

import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.draft.DraftFile;
import dev.varve.platform.draft.RemoteDraftStatus;
import dev.varve.platform.draft.RemoteSpeculator;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.platform.wire.Deadline;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Draft model in another process. A process that dies, hangs or sends malformed messages costs only
 * speed: there are no draft tokens until a new process has loaded the model. Hidden states are sent
 * without waiting for a reply. States that exceed the send limit are dropped, and the draft
 * restarts after the gap.
 */
public final class RemoteDraft implements RemoteSpeculator {
    /** Bytes of states that are sent at once; smaller ones are collected. */
    private static final int SMALL = 1 << 18;

    /** Bytes of states in a message; other messages are sent in between. */
    private static final int MESSAGE = 4 << 20;

    /** Limit for the bytes of states in flight. */
    private static final long MAX_BYTES_IN_FLIGHT = 256L << 20;

    /** Limit for events in a message; more would not fit its small fields. */
    private static final int MOST_EVENTS = 1 << 10;

    /** Time limit for a reply of the process. */
    private static final Deadline DEADLINE = Deadline.within(Duration.ofSeconds(30));

    private final String device;
    private final DraftFile file;
    private final DraftCodec codec;
    private final ShardSupervisor supervisor;
    private final DraftTimeout timeout = new DraftTimeout();

    /** Events that are not sent yet. */
    private List<DraftStep.Event> waiting = new ArrayList<>();

    private long waitingBytes;
    private final AtomicLong bytesInFlight = new AtomicLong();

    /** The outstanding request, if its draft tokens were not read yet. */
    private Optional<PendingStep> outstanding = Optional.empty();

    /** A request that timed out and is not answered yet. */
    private Optional<PendingStep> late = Optional.empty();

    /** The incarnation of the process that was used last. */
    private Optional<ShardSupervisor.Session> used = Optional.empty();

    private long losses;

    private final LongAdder responses = new LongAdder();
    private final LongAdder responseNanos = new LongAdder();
    private final LongAdder timedOut = new LongAdder();

    /** A request to the process, and its start time. */
    private record PendingStep(
            List<DraftStep.SequenceDraftRequest> requests,
            ShardSupervisor.Session session,
            CompletableFuture<Message> reply,
            long startNanos) {}

    private RemoteDraft(
            String device, DraftFile file, DraftCodec codec, ShardSupervisor supervisor) {
        this.device = device;
        this.file = file;
        this.codec = codec;
        this.supervisor = supervisor;
    }

    /**
     * Connects to a process and loads a draft model in it.
     *
     * @param device its device, for messages
     * @param link link to the process; owned by this object from now on
     * @param file the draft model, as this process sees it
     * @param target the model whose tokens the draft proposes
     * @param digests of this process's files; the files of the process must match
     * @throws dev.varve.api.VarveException if the process cannot be reached, refuses, or has other
     *     weights
     */
    public static RemoteDraft open(
            String device,
            ShardLink link,
            DraftLoadRequest request,
            DraftFile file,
            LayerSplitAdapter target,
            TensorDigests digests) {
        String name =
                String.format(Locale.ROOT, "draft model %s on %s", request.draft().name(), device);
        ShardSupervisor supervisor =
                ShardSupervisor.started(
                        name,
                        link,
                        request.encode(),
                        new TensorCheck(digests, file.selection()),
                        LoadProgressListener.silent());
        return new RemoteDraft(device, file, HostedDraft.codec(file, target), supervisor);
    }

    /** Returns the health of the process. */
    public ShardHealth health() {
        return supervisor.health();
    }

    @Override
    public RemoteDraftStatus status() {
        return new RemoteDraftStatus(
                device,
                supervisor.loadedMemory().weights(),
                supervisor.health(),
                new RemoteDraftStatus.Responses(
                        responses.sum(), responseNanos.sum() / 1e6, timedOut.sum()),
                supervisor.traffic());
    }

    @Override
    public List<Integer> captures() {
        return file.captures();
    }

    @Override
    public int mostTokens() {
        return file.mostTokens();
    }

    @Override
    public boolean branches() {
        return true;
    }

    @Override
    public boolean acceptsImages() {
        return true;
    }

    @Override
    public void observe(HiddenStates states) {
        long bytes = (long) states.tokens() * codec.tokenBytes();
        if (bytesInFlight.get() + waitingBytes + bytes > MAX_BYTES_IN_FLIGHT) {
            return;
        }
        if (bytes < SMALL) {
            // The caller reuses the arrays behind them.
            waiting.add(new DraftStep.Event.TokensComputed(copy(states)));
            waitingBytes += bytes;
            if (waitingBytes >= SMALL || waiting.size() >= MOST_EVENTS) {
                flush();
            }
            return;
        }
        flush();
        int most = Math.max(1, MESSAGE / codec.tokenBytes());
        for (int done = 0; done < states.tokens(); done += most) {
            HiddenStates part = part(states, done, Math.min(most, states.tokens() - done));
            send(new DraftStep(List.of(new DraftStep.Event.TokensComputed(part)), List.of()));
        }
    }

    private HiddenStates copy(HiddenStates states) {
        int length = states.tokens() * codec.hidden();
        List<HiddenStates.Layer> layers = new ArrayList<>(states.layers().size());
        for (HiddenStates.Layer layer : states.layers()) {
            float[] values = new float[length];
            System.arraycopy(
                    layer.values(), layer.firstColumn() * codec.hidden(), values, 0, length);
            layers.add(new HiddenStates.Layer(layer.layer(), values, 0));
        }
        return new HiddenStates(states.sequence(), states.firstPosition(), states.tokens(), layers);
    }

    private static HiddenStates part(HiddenStates all, int first, int tokens) {
        List<HiddenStates.Layer> layers =
                all.layers().stream()
                        .map(
                                layer ->
                                        new HiddenStates.Layer(
                                                layer.layer(),
                                                layer.values(),
                                                layer.firstColumn() + first))
                        .toList();
        return new HiddenStates(all.sequence(), all.firstPosition() + first, tokens, layers);
    }

    @Override
    public long losses() {
        session();
        return losses;
    }

    @Override
    public void forget(long sequence) {
        waiting.add(new DraftStep.Event.Reset(sequence));
        if (waiting.size() >= MOST_EVENTS) {
            flush();
        }
    }

    private void flush() {
        if (!waiting.isEmpty()) {
            send(new DraftStep(takeWaiting(), List.of()));
        }
    }

    private List<DraftStep.Event> takeWaiting() {
        List<DraftStep.Event> taken = waiting;
        waiting = new ArrayList<>();
        waitingBytes = 0;
        return taken;
    }

    /** Sends a step that requests no draft tokens. */
    private void send(DraftStep step) {
        Optional<ShardSupervisor.Session> session = session();
        if (session.isEmpty()) {
            return;
        }
        call(session.get(), codec.encode(step))
                .thenAccept(reply -> codec.decode(step.requests(), reply))
                .exceptionally(failure -> lost(session.get(), failure));
    }

    private CompletableFuture<Message> call(ShardSupervisor.Session session, Message message) {
        long bytes = message.payload().remaining();
        bytesInFlight.addAndGet(bytes);
        CompletableFuture<Message> reply =
                session.channel().call(message, DEADLINE, progress -> {});
        reply.whenComplete((done, failure) -> bytesInFlight.addAndGet(-bytes));
        return reply;
    }

    private Void lost(ShardSupervisor.Session session, Throwable failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        supervisor.lost(session, String.valueOf(cause.getMessage()));
        return null;
    }

    /**
     * Returns the process in use, if any; counts a loss when a new process, which has no sequences,
     * replaces it.
     */
    private Optional<ShardSupervisor.Session> session() {
        try {
            ShardSupervisor.Session session = supervisor.current();
            if (used.isEmpty() || used.get() != session) {
                losses += used.isPresent() ? 1 : 0;
                used = Optional.of(session);
            }
            return used;
        } catch (ShardLostException e) {
            return Optional.empty();
        }
    }

    @Override
    public void begin(List<DraftRequest> sequences) {
        outstanding.ifPresent(this::giveUp);
        outstanding = Optional.empty();
        if (isStillWaiting()) {
            return;
        }
        Optional<ShardSupervisor.Session> session = session();
        if (session.isEmpty()) {
            takeWaiting();
            return;
        }
        DraftStep step = new DraftStep(takeWaiting(), requests(sequences));
        long now = System.nanoTime();
        CompletableFuture<Message> reply = call(session.get(), codec.encode(step));
        reply.thenRun(
                () -> {
                    responses.increment();
                    responseNanos.add(System.nanoTime() - now);
                });
        outstanding = Optional.of(new PendingStep(step.requests(), session.get(), reply, now));
    }

    @Override
    public List<Draft> propose(List<DraftRequest> sequences) {
        if (outstanding.isEmpty() || !outstanding.get().requests().equals(requests(sequences))) {
            begin(sequences);
        }
        Optional<PendingStep> question = outstanding;
        outstanding = Optional.empty();
        return question.flatMap(this::drafts)
                .orElseGet(() -> Collections.nCopies(sequences.size(), Draft.NONE));
    }

    private Optional<List<Draft>> drafts(PendingStep question) {
        try {
            Message found = question.reply().get(timeout.nanos(), TimeUnit.NANOSECONDS);
            timeout.took(System.nanoTime() - question.startNanos());
            return Optional.of(codec.decode(question.requests(), found));
        } catch (TimeoutException e) {
            timedOut.increment();
            giveUp(question);
        } catch (ExecutionException | WireException e) {
            lost(question.session(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Optional.empty();
    }

    /** Stops waiting for a reply. */
    private void giveUp(PendingStep question) {
        question.reply()
                .exceptionally(
                        failure -> {
                            lost(question.session(), failure);
                            return null;
                        });
        late = Optional.of(question);
    }

    /** Whether an earlier request has no reply yet; that reply would be useless. */
    private boolean isStillWaiting() {
        if (late.isPresent() && late.get().reply().isDone()) {
            timeout.took(System.nanoTime() - late.get().startNanos());
            late = Optional.empty();
        }
        return late.isPresent();
    }

    private static List<DraftStep.SequenceDraftRequest> requests(List<DraftRequest> sequences) {
        return sequences.stream().map(RemoteDraft::request).toList();
    }

    private static DraftStep.SequenceDraftRequest request(DraftRequest request) {
        int known = request.tokens().size();
        return new DraftStep.SequenceDraftRequest(
                request.sequence(),
                known,
                request.tokens().get(known - 1),
                request.most(),
                request.branched());
    }

    @Override
    public void close() {
        supervisor.close();
    }
}
