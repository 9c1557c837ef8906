package dev.varve.platform.remote;

import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.draft.DraftFile;
import dev.varve.platform.draft.DraftStatus;
import dev.varve.platform.draft.RemoteSpeculator;
import dev.varve.platform.shard.LoadProgress;
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
 * A draft model in another process. A process that dies, hangs or answers nonsense costs speed
 * only: there are no guesses until a new one has loaded the model. Hidden states are sent without
 * waiting for them; what the connection cannot take in time is left out, and the draft begins anew
 * behind it.
 */
public final class RemoteDraft implements RemoteSpeculator {
    /** States that are sent by themselves; fewer wait for what follows. */
    private static final int SMALL = 1 << 18;

    /** Bytes of states in a message, so that others get between. */
    private static final int MESSAGE = 4 << 20;

    /** Bytes of states under way. */
    private static final long UNDER_WAY = 256L << 20;

    /** More would not fit the small fields of a message. */
    private static final int MOST_EVENTS = 1 << 10;

    /** As long as a process may be without any answer. */
    private static final Deadline DEADLINE = Deadline.within(Duration.ofSeconds(30));

    private final String device;
    private final DraftFile file;
    private final DraftCodec codec;
    private final ShardSupervisor supervisor;
    private final DraftTimeout patience = new DraftTimeout();

    /** What is not sent yet. */
    private List<DraftStep.Event> waiting = new ArrayList<>();

    private long waitingBytes;
    private final AtomicLong underWay = new AtomicLong();

    /** What it was asked and has not told yet. */
    private Optional<Question> asked = Optional.empty();

    /** Guesses that a step did not wait for any longer. */
    private Optional<Question> late = Optional.empty();

    /** The incarnation of the process that was used last. */
    private Optional<ShardSupervisor.Session> used = Optional.empty();

    private long losses;

    private final LongAdder answers = new LongAdder();
    private final LongAdder answerNanos = new LongAdder();
    private final LongAdder tooLate = new LongAdder();

    /** What the process was asked, and when. */
    private record Question(
            List<DraftStep.Ask> asks,
            ShardSupervisor.Session session,
            CompletableFuture<Message> reply,
            long askedAt) {}

    private RemoteDraft(
            String device, DraftFile file, DraftCodec codec, ShardSupervisor supervisor) {
        this.device = device;
        this.file = file;
        this.codec = codec;
        this.supervisor = supervisor;
    }

    /**
     * Reaches a process and has it load a draft model.
     *
     * @param device its device, for people
     * @param link the way to it; this object's from now on
     * @param file the draft model, as this process sees it
     * @param target the model whose tokens are guessed
     * @param digests of this process's files, with which the process must agree
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
                new ShardSupervisor(
                        name, link, request.encode(), new TensorCheck(digests, file.selection()));
        try {
            supervisor.start(LoadProgress.silent());
        } catch (RuntimeException | Error e) {
            supervisor.close();
            throw e;
        }
        return new RemoteDraft(device, file, HostedDraft.codec(file, target), supervisor);
    }

    /** How the process is. */
    public ShardHealth health() {
        return supervisor.health();
    }

    @Override
    public DraftStatus status() {
        return new DraftStatus(
                device,
                supervisor.loadedMemory().weights(),
                supervisor.health(),
                new DraftStatus.Answers(answers.sum(), answerNanos.sum() / 1e6, tooLate.sum()),
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
    public void observe(HiddenStates states) {
        long bytes = (long) states.tokens() * codec.tokenBytes();
        if (underWay.get() + waitingBytes + bytes > UNDER_WAY) {
            return;
        }
        if (bytes < SMALL) {
            // The arrays behind them are used again.
            waiting.add(new DraftStep.Event.Seen(copy(states)));
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
            send(new DraftStep(List.of(new DraftStep.Event.Seen(part)), List.of()));
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
        waiting.add(new DraftStep.Event.RecentEvictions(sequence));
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

    /** Sends what needs no answer. */
    private void send(DraftStep step) {
        Optional<ShardSupervisor.Session> session = session();
        if (session.isEmpty()) {
            return;
        }
        call(session.get(), codec.encode(step))
                .thenAccept(reply -> codec.decode(step.asks(), reply))
                .exceptionally(failure -> lost(session.get(), failure));
    }

    private CompletableFuture<Message> call(ShardSupervisor.Session session, Message message) {
        long bytes = message.payload().remaining();
        underWay.addAndGet(bytes);
        CompletableFuture<Message> reply =
                session.channel().call(message, DEADLINE, progress -> {});
        reply.whenComplete((done, failure) -> underWay.addAndGet(-bytes));
        return reply;
    }

    private Void lost(ShardSupervisor.Session session, Throwable failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        supervisor.lost(session, String.valueOf(cause.getMessage()));
        return null;
    }

    /** The process in use, if there is one; one that came back knows of no sequence. */
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
        asked.ifPresent(this::giveUp);
        asked = Optional.empty();
        if (isStillWaiting()) {
            return;
        }
        Optional<ShardSupervisor.Session> session = session();
        if (session.isEmpty()) {
            takeWaiting();
            return;
        }
        DraftStep step = new DraftStep(takeWaiting(), asks(sequences));
        long now = System.nanoTime();
        CompletableFuture<Message> reply = call(session.get(), codec.encode(step));
        reply.thenRun(
                () -> {
                    answers.increment();
                    answerNanos.add(System.nanoTime() - now);
                });
        asked = Optional.of(new Question(step.asks(), session.get(), reply, now));
    }

    @Override
    public List<Draft> propose(List<DraftRequest> sequences) {
        if (asked.isEmpty() || !asked.get().asks().equals(asks(sequences))) {
            begin(sequences);
        }
        Optional<Question> question = asked;
        asked = Optional.empty();
        return question.flatMap(this::answer)
                .orElseGet(() -> Collections.nCopies(sequences.size(), Draft.NONE));
    }

    private Optional<List<Draft>> answer(Question question) {
        try {
            Message found = question.reply().get(patience.nanos(), TimeUnit.NANOSECONDS);
            patience.took(System.nanoTime() - question.askedAt());
            return Optional.of(codec.decode(question.asks(), found));
        } catch (TimeoutException e) {
            tooLate.increment();
            giveUp(question);
        } catch (ExecutionException | WireException e) {
            lost(question.session(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Optional.empty();
    }

    /** Does not wait for an answer any longer. */
    private void giveUp(Question question) {
        question.reply()
                .exceptionally(
                        failure -> {
                            lost(question.session(), failure);
                            return null;
                        });
        late = Optional.of(question);
    }

    /** Whether an earlier question was not answered yet; its answer would be of no use. */
    private boolean isStillWaiting() {
        if (late.isPresent() && late.get().reply().isDone()) {
            patience.took(System.nanoTime() - late.get().askedAt());
            late = Optional.empty();
        }
        return late.isPresent();
    }

    private static List<DraftStep.Ask> asks(List<DraftRequest> sequences) {
        return sequences.stream().map(RemoteDraft::ask).toList();
    }

    private static DraftStep.Ask ask(DraftRequest request) {
        int known = request.tokens().size();
        return new DraftStep.Ask(
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
