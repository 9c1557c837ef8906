package dev.varve.platform.remote;

import dev.varve.api.VarveException;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.RemoteConnectionTraffic;
import dev.varve.platform.shard.RemoteProcessInfo;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.wire.ChannelLostException;
import dev.varve.platform.wire.Deadline;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireChannel;
import dev.varve.platform.wire.WireStatistics;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Supervises a shard process: detects its end, restarts it with growing pauses, and loads its range
 * again. A restarted process has empty caches, so it is not used before {@link #recover} was
 * called.
 */
final class ShardSupervisor implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.remote");
    private static final int MOST_PROCESSORS = 8192;
    static final Duration LOAD_WITHOUT_PROGRESS = Duration.ofSeconds(60);

    /**
     * With the pauses in between this lasts 11 s, enough for a service manager to restart the
     * process.
     */
    private static final int FIRST_LOAD_ATTEMPTS = 8;

    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long LONGEST_PAUSE_MILLIS = 5000;

    /** One incarnation of the process. */
    record Session(WireChannel channel) {
        RemoteConnectionTraffic traffic() {
            WireStatistics wire = channel.statistics();
            return new RemoteConnectionTraffic(
                    wire.bytesSent(),
                    wire.bytesReceived(),
                    switch (wire.payloadTransport()) {
                        case SHARED -> RemoteConnectionTraffic.PayloadPath.SHARED;
                        case STREAM -> RemoteConnectionTraffic.PayloadPath.STREAM;
                    });
        }
    }

    /**
     * The weights that a process loads.
     *
     * @param request its load request
     * @param checks expected digests of the tensors that it loads
     */
    record Load(Message request, List<TensorCheck> checks) {
        Load {
            checks = List.copyOf(checks);
        }

        /** Starts to compute the digests. */
        void begin() {
            checks.forEach(TensorCheck::begin);
        }

        void verify(String shard, Optional<Map<String, String>> found) {
            checks.forEach(check -> check.verify(shard, found));
        }
    }

    private final String name;
    private final ShardLink link;
    private final int firstLoadAttempts;

    /** Replaced with the lock, when an adapter is added or removed. */
    private volatile Load load;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Guarded by the lock. */
    private Optional<Session> session = Optional.empty();

    private final ShardCondition condition = new ShardCondition(System::nanoTime);

    /** Traffic of former incarnations. */
    private RemoteConnectionTraffic previousTraffic =
            new RemoteConnectionTraffic(0, 0, RemoteConnectionTraffic.PayloadPath.STREAM);

    private boolean usable;
    private boolean closed;
    private CompletableFuture<Void> back = new CompletableFuture<>();
    private volatile ShardMemory memory = new ShardMemory(0, 0, 0, 0);
    private volatile boolean hostCores;
    private volatile Set<Integer> processors = Set.of();

    /**
     * @param name of the process, for messages
     * @param load its load request, and the expected digests of the tensors that it loads
     */
    ShardSupervisor(String name, ShardLink link, Load load, int firstLoadAttempts) {
        this.name = name;
        this.link = link;
        this.load = load;
        this.firstLoadAttempts = firstLoadAttempts;
    }

    /**
     * Returns a supervisor whose first incarnation has started, as {@link #start} does; closes it
     * if that fails.
     */
    static ShardSupervisor started(
            String name, ShardLink link, Load load, LoadProgressListener progress) {
        ShardSupervisor supervisor = new ShardSupervisor(name, link, load, FIRST_LOAD_ATTEMPTS);
        try {
            supervisor.start(progress);
            return supervisor;
        } catch (RuntimeException | Error e) {
            supervisor.close();
            throw e;
        }
    }

    /** As above, for a process that loads the tensors of one check. */
    static ShardSupervisor started(
            String name,
            ShardLink link,
            Message request,
            TensorCheck check,
            LoadProgressListener progress) {
        return started(name, link, new Load(request, List.of(check)), progress);
    }

    /**
     * Starts the first incarnation. Restarts a process that is lost meanwhile, a few times. Does
     * not restart one that refuses or was never reached, since that would repeat.
     *
     * @throws VarveException with the failure, which the caller reports
     */
    void start(LoadProgressListener progress) {
        boolean lost = false;
        long pause = FIRST_PAUSE_MILLIS;
        for (int attempt = 1; ; attempt++) {
            try {
                connect(progress);
                use();
                return;
            } catch (VarveException e) {
                lost |= e instanceof ShardLostException;
                if (!lost || e.kind() != VarveException.Kind.UNAVAILABLE || isClosed()) {
                    throw e;
                }
                if (attempt == firstLoadAttempts) {
                    throw new VarveException(
                            e.kind(),
                            name
                                    + " did not load in "
                                    + attempt
                                    + " attempts; the last failure: "
                                    + e.getMessage(),
                            e);
                }
                LOG.log(
                        System.Logger.Level.WARNING,
                        "attempt {0} of {1} to load the {2} failed; next attempt in {3} ms: {4}",
                        Integer.toString(attempt),
                        Integer.toString(firstLoadAttempts),
                        name,
                        Long.toString(pause),
                        e.getMessage());
                pause(pause);
                pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
            }
        }
    }

    private void use() {
        lock.lock();
        try {
            usable = true;
        } finally {
            lock.unlock();
        }
    }

    RemoteProcessInfo peer() {
        return link.peer();
    }

    ShardMemory loadedMemory() {
        return memory;
    }

    /** Returns the traffic of all incarnations. */
    RemoteConnectionTraffic traffic() {
        lock.lock();
        try {
            return session.map(Session::traffic).map(previousTraffic::plus).orElse(previousTraffic);
        } finally {
            lock.unlock();
        }
    }

    boolean computesOnHostCores() {
        return hostCores;
    }

    /** Returns the numbers of the processors that it computes on; empty if unknown. */
    Set<Integer> processors() {
        return processors;
    }

    private static Set<Integer> processors(FieldReader fields) {
        int count = fields.number("processors", 0, MOST_PROCESSORS);
        Set<Integer> numbers = new HashSet<>();
        for (int i = 0; i < count; i++) {
            numbers.add(fields.number("processor", 0, Integer.MAX_VALUE));
        }
        return Set.copyOf(numbers);
    }

    ShardHealth health() {
        lock.lock();
        try {
            return condition.health();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the incarnation in use.
     *
     * @throws ShardLostException if it was lost, or was restarted and {@link #recover} was not
     *     called
     */
    Session session() {
        lock.lock();
        try {
            if (closed) {
                throw new ShardLostException(name + " is closed");
            }
            if (!usable || session.isEmpty()) {
                throw lostException();
            }
            return session.get();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the running incarnation, for callers that need no state of the previous one.
     *
     * @throws ShardLostException if no incarnation is ready
     */
    Session current() {
        lock.lock();
        try {
            usable |= condition.isReady();
            return session();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sets the weights that later incarnations load, after an incarnation has loaded them.
     *
     * @throws ShardLostException if the incarnation is lost; later ones then load the weights as
     *     before
     */
    void setLoad(Session loaded, Load next) {
        lock.lock();
        try {
            if (session.isEmpty() || session.get() != loaded) {
                throw lostException();
            }
            load = next;
        } finally {
            lock.unlock();
        }
    }

    /** Sets the weights that later incarnations load. */
    void setLoad(Load next) {
        lock.lock();
        try {
            load = next;
        } finally {
            lock.unlock();
        }
    }

    String name() {
        return name;
    }

    boolean sameHost() {
        return link.sameHost();
    }

    /** Marks an incarnation as lost, unless it already is. */
    ShardLostException lost(Session gone, String why) {
        lock.lock();
        try {
            if (session.isPresent() && session.get() == gone) {
                session = Optional.empty();
                previousTraffic = previousTraffic.plus(gone.traffic());
                usable = false;
                condition.lost(why);
                back = new CompletableFuture<>();
                if (!closed) {
                    Thread.ofPlatform()
                            .name("varve-supervisor-" + name)
                            .daemon(true)
                            .start(() -> bringBack(gone));
                }
            }
            return lostException();
        } finally {
            lock.unlock();
        }
    }

    private ShardLostException lostException() {
        return new ShardLostException(name + " is lost: " + condition.loss());
    }

    /** Completes once the shard is ready for use. */
    CompletableFuture<Void> recover() {
        lock.lock();
        try {
            if (closed) {
                return CompletableFuture.failedFuture(new ShardLostException(name + " is closed"));
            }
            if (condition.isReady()) {
                usable = true;
                return CompletableFuture.completedFuture(null);
            }
            return back.thenCompose(ready -> recover());
        } finally {
            lock.unlock();
        }
    }

    private void bringBack(Session gone) {
        long begin = System.nanoTime();
        gone.channel().close();
        String why = health().reason().orElse("") + lastWords();
        LOG.log(System.Logger.Level.WARNING, "the {0} is lost and is restored: {1}", name, why);
        // A process that starts counts as loading; one that failed to start may never appear.
        note(ShardCondition::starts);
        long pause = FIRST_PAUSE_MILLIS;
        while (!isClosed()) {
            try {
                connect(LoadProgressListener.silent());
                LOG.log(
                        System.Logger.Level.INFO,
                        "the {0} is back and has loaded its weights, {1} ms after it was" + " lost",
                        name,
                        Long.toString((System.nanoTime() - begin) / 1_000_000));
                return;
            } catch (VarveException e) {
                note(known -> known.failed(e.getMessage()));
                LOG.log(
                        System.Logger.Level.WARNING,
                        "the {0} is not back; next attempt in {1} ms: {2}",
                        name,
                        Long.toString(pause),
                        e.getMessage());
            }
            pause(pause);
            pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
        }
    }

    private String lastWords() {
        return link.lastWords().map(said -> " (" + said + ")").orElse("");
    }

    /** Makes one attempt to reach the process and load the range. */
    private void connect(LoadProgressListener listener) {
        Session fresh = new Session(link.open());
        Load loading = load;
        note(ShardCondition::reached);
        if (!link.sameHost()) {
            // The process will not see the same files, so read them while it loads.
            loading.begin();
        }
        try {
            Message reply =
                    join(
                            fresh.channel()
                                    .call(
                                            loading.request(),
                                            Deadline.withoutProgress(LOAD_WITHOUT_PROGRESS),
                                            message -> report(message, listener)));
            FieldReader fields = new FieldReader(reply.meta());
            memory = ResultCodec.memory(fields);
            fields.text("description", 4096);
            hostCores = fields.flag("host cores");
            processors = processors(fields);
            Optional<Map<String, String>> digests = DigestCodec.get(fields, reply.payload());
            fields.end();
            loading.verify(name, digests);
        } catch (RuntimeException | Error e) {
            fresh.channel().close();
            throw e;
        }
        CompletableFuture<Void> ready;
        lock.lock();
        try {
            if (closed) {
                fresh.channel().close();
                throw new ShardLostException(name + " is closed");
            }
            if (load != loading) {
                // Otherwise the process would keep an adapter that was removed meanwhile.
                fresh.channel().close();
                throw new ShardLostException(name + ": its adapters changed while it loaded them");
            }
            session = Optional.of(fresh);
            condition.ready();
            ready = back;
        } finally {
            lock.unlock();
        }
        ready.complete(null);
        fresh.channel().lost().thenAccept(why -> lost(fresh, why));
    }

    private void report(Message message, LoadProgressListener listener) {
        FieldReader fields = new FieldReader(message.meta());
        long total = fields.number("bytes", 0L, Long.MAX_VALUE);
        long done = fields.number("bytes loaded", 0L, total);
        note(known -> known.loaded(done, total));
        listener.loaded(done, total);
    }

    private Message join(CompletableFuture<Message> call) {
        try {
            return call.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof ChannelLostException loss) {
                throw new ShardLostException(
                        name + " was lost while it loaded: " + loss.getMessage() + lastWords(),
                        loss);
            }
            if (e.getCause() instanceof VarveException failure) {
                throw failure;
            }
            throw e;
        }
    }

    private void note(Consumer<ShardCondition> news) {
        lock.lock();
        try {
            news.accept(condition);
        } finally {
            lock.unlock();
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** Waits; ends early when the shard is closed. */
    private void pause(long millis) {
        lock.lock();
        try {
            long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
            while (!closed && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        Optional<Session> open;
        CompletableFuture<Void> waiting;
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            usable = false;
            open = session;
            waiting = back;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        waiting.completeExceptionally(new ShardLostException(name + " is closed"));
        open.ifPresent(each -> each.channel().close());
        link.close();
    }
}
