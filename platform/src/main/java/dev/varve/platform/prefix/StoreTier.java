package dev.varve.platform.prefix;

import dev.varve.platform.sequence.CacheRequest;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.store.ArchiveStatus;
import dev.varve.platform.store.ObjectKey;
import dev.varve.platform.store.StoredObject;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * What a store has of prompts, brought to host memory before they run, and what comes to host
 * memory, brought to the store. Only the engine's thread calls; others read and write.
 */
final class StoreTier implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.prefix");

    /** Tokens beyond what is known that are worth reading. */
    private static final int LEAST_GAIN = 32;

    private static final int READERS = 2;

    /** Part of host memory that may wait to be written, and most bytes of it. */
    private static final int WAITING_SHARE = 4;

    private static final long MOST_WAITING = 512L << 20;

    /** For how long after a step another one is to be expected. */
    private static final long BUSY_NANOS = Duration.ofMillis(50).toNanos();

    /**
     * Pauses between runs of bytes while others compute, who need the cores and the memory: a
     * multiple of the time that the last run took, shorter when much waits.
     */
    private static final int PAUSE = 64;

    private static final int SHORT_PAUSE = 3;
    private static final long LEAST_PAUSE_NANOS = Duration.ofMillis(2).toNanos();
    private static final long MOST_PAUSE_NANOS = Duration.ofMillis(20).toNanos();

    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(20);

    private final PrefixTree tree;
    private final CacheLayout layout;
    private final Optional<FeatureMemory> features;
    private final Disk disk;
    private final ChainKeys keys;
    private final long mostWaiting;
    private final Runnable wakeUp;
    private final ExecutorService readers = pool("varve-store-read", READERS);
    private final ExecutorService writer = pool("varve-store-write", 1);
    private final List<StoreLoad> loads = new ArrayList<>();
    private final Deque<StoreSave> saves = new ArrayDeque<>();
    private volatile long lastStep;
    private volatile boolean crowded;

    /** When the writer's last pause was over; its own. */
    private long resumed;

    /** A position in the store, and the way to it. */
    private record Way(List<ObjectKey> blocks, Optional<StoredObject> checkpoint, int position) {}

    /**
     * @param features host memory for hidden states, if they are wanted
     * @param wakeUp called by other threads when something was read
     */
    StoreTier(
            PrefixTree tree,
            CacheLayout layout,
            Optional<FeatureMemory> features,
            Disk disk,
            Runnable wakeUp) {
        this.features = features;
        this.tree = tree;
        this.layout = layout;
        this.disk = disk;
        this.wakeUp = wakeUp;
        keys = new ChainKeys(disk.namespace());
        mostWaiting = Math.min(MOST_WAITING, tree.memory().limit() / WAITING_SHARE);
    }

    private static ExecutorService pool(String name, int threads) {
        return Executors.newFixedThreadPool(
                threads, Thread.ofPlatform().name(name, 0).daemon(true).factory());
    }

    ArchiveStatus status() {
        return disk.archive().status();
    }

    /** A step was computed, and another one may follow. */
    void step() {
        lastStep = System.nanoTime();
    }

    /**
     * Begins to read what a request needs, if the store has more than is known otherwise.
     *
     * @param known leading tokens that need no computing without the store
     * @param guesses whether hidden states are of use to it
     * @param wanted whether the request still waits
     */
    Optional<StoreLoad> load(
            CacheRequest request, int known, boolean guesses, BooleanSupplier wanted) {
        if (request.replay().end() > 0) {
            return Optional.empty();
        }
        int[] tokens = request.tokens().range(0, request.tokens().size());
        Way way = find(request.scope(), tokens);
        if (way.position() < known + LEAST_GAIN) {
            return Optional.empty();
        }
        StoreLoad load = new StoreLoad(tree, wanted);
        if (!reserve(load, request.scope(), tokens, way)) {
            load.giveUp();
            return Optional.empty();
        }
        features.filter(memory -> guesses)
                .ifPresent(
                        memory ->
                                addFeatures(
                                        load, memory, request.scope(), load.found(way.position())));
        way.checkpoint().ifPresent(found -> disk.archive().use(found.name().key()));
        return Optional.of(start(load));
    }

    private StoreLoad start(StoreLoad load) {
        loads.add(load);
        load.start(disk.archive(), readers, wakeUp);
        return load;
    }

    /**
     * Begins to read hidden states that had to give way in host memory.
     *
     * @param known position before which they are; what else is needed there is in host memory
     * @param wanted whether the request still waits
     */
    Optional<StoreLoad> loadStates(CacheRequest request, int known, BooleanSupplier wanted) {
        int[] tokens = request.tokens().range(0, request.tokens().size());
        Optional<Found> found =
                tree.find(request.scope(), tokens, tokens.length - 1, request.replay())
                        .filter(each -> each.position() == known);
        if (features.isEmpty() || found.isEmpty()) {
            return Optional.empty();
        }
        StoreLoad load = new StoreLoad(tree, wanted);
        List<TokenBlock> blocks = found.get().blocks();
        load.pass(blocks.isEmpty() ? tree.root(request.scope()) : blocks.getLast());
        found.get().checkpoint().ifPresent(load::pass);
        addFeatures(load, features.get(), request.scope(), found.get());
        if (load.isEmpty()) {
            load.giveUp();
            return Optional.empty();
        }
        return Optional.of(start(load));
    }

    private Way find(CacheScope scope, int[] tokens) {
        List<ObjectKey> blocks = new ArrayList<>();
        Way best = new Way(List.of(), Optional.empty(), 0);
        ObjectKey at = keys.root(scope);
        for (int end = 0; ; end += TokenBlock.TOKENS) {
            best = deepest(best, blocks, at, tokens, end);
            int next = end + TokenBlock.TOKENS;
            if (next >= tokens.length) {
                return best;
            }
            at = keys.block(at, Arrays.copyOfRange(tokens, end, next));
            if (disk.archive().find(at).isEmpty()) {
                return best;
            }
            blocks.add(at);
            if (!layout.forgets()) {
                best = new Way(List.copyOf(blocks), Optional.empty(), next);
            }
        }
    }

    private Way deepest(Way best, List<ObjectKey> blocks, ObjectKey at, int[] tokens, int end) {
        Way result = best;
        for (StoredObject object : disk.archive().checkpoints(at)) {
            int position = object.name().position();
            boolean deeper = position > result.position() && position < tokens.length;
            if (deeper
                    && position - end == object.name().tail()
                    && keys.checkpoint(at, Arrays.copyOfRange(tokens, end, position))
                            .equals(object.name().key())) {
                result = new Way(List.copyOf(blocks), Optional.of(object), position);
            }
        }
        return result;
    }

    /** Takes room for what is not in host memory; says whether there is enough. */
    private boolean reserve(StoreLoad load, CacheScope scope, int[] tokens, Way way) {
        TokenBlock at = tree.root(scope);
        load.pass(at);
        for (ObjectKey key : way.blocks()) {
            int[] ids = Arrays.copyOfRange(tokens, at.end(), at.end() + TokenBlock.TOKENS);
            Optional<TokenBlock> known = at.child(ids);
            if (known.isPresent()) {
                if (!known.get().isReady()) {
                    return false;
                }
                load.pass(known.get());
                at = known.get();
                continue;
            }
            Optional<TokenBlock> reserved =
                    tree.reserveBlock(at, ids, 0, layout.rowBytes(TokenBlock.TOKENS));
            if (reserved.isEmpty()) {
                return false;
            }
            load.add(key, reserved.get());
            at = reserved.get();
        }
        return way.checkpoint().isEmpty()
                || reserveCheckpoint(load, at, tokens, way.checkpoint().get());
    }

    private boolean reserveCheckpoint(
            StoreLoad load, TokenBlock at, int[] tokens, StoredObject object) {
        int position = object.name().position();
        int[] tail = Arrays.copyOfRange(tokens, at.end(), position);
        if (at.checkpoints().stream().anyMatch(other -> Arrays.equals(other.tail(), tail))) {
            return false;
        }
        Optional<Checkpoint> reserved =
                tree.reserveCheckpoint(at, tail, StoreLoad.UNKNOWN, sizes(tail.length, position));
        reserved.ifPresent(checkpoint -> load.add(object.name().key(), checkpoint));
        return reserved.isPresent();
    }

    /** Takes room for hidden states before a position, as far as the store has some. */
    private void addFeatures(StoreLoad load, FeatureMemory memory, CacheScope scope, Found found) {
        FeatureLoads states = new FeatureLoads(disk.archive(), memory, keys, load);
        List<ObjectKey> blocks = new ArrayList<>();
        ObjectKey at = keys.root(scope);
        for (TokenBlock block : found.blocks()) {
            at = keys.block(at, block.tokens());
            blocks.add(at);
        }
        Optional<Checkpoint> behind =
                found.checkpoint().filter(checkpoint -> checkpoint.tail().length > 0);
        if (behind.isPresent()
                && !states.add(keys.checkpoint(at, behind.get().tail()), behind.get())) {
            return;
        }
        int first = found.position() - FeatureSpan.MOST;
        for (int i = blocks.size() - 1; i >= 0 && found.blocks().get(i).end() > first; i--) {
            if (!states.add(blocks.get(i), found.blocks().get(i))) {
                return;
            }
        }
    }

    private long[] sizes(int tail, int position) {
        long[] rows = tail == 0 ? new long[0] : layout.rowBytes(tail);
        long[] states = layout.forgets() ? layout.stateBytes(position) : new long[0];
        long[] all = Arrays.copyOf(rows, rows.length + states.length);
        System.arraycopy(states, 0, all, rows.length, states.length);
        return all;
    }

    /** Has something written that is ready in host memory. */
    void save(CacheScope scope, Checkpoint checkpoint) {
        if (!disk.archive().takesMore()) {
            return;
        }
        StoreSave save = new StoreSave(scope, checkpoint);
        saves.add(save);
        long bytes = saves.stream().mapToLong(StoreSave::bytes).sum();
        for (StoreSave oldest : List.copyOf(saves)) {
            if (bytes > mostWaiting && oldest != save && oldest.drop()) {
                bytes -= oldest.bytes();
            }
        }
        crowded = 2 * bytes > mostWaiting;
        writer.execute(() -> save.write(disk.archive(), keys, disk.origin(), this::pause));
    }

    private void pause() {
        long now = System.nanoTime();
        if (now - lastStep < BUSY_NANOS) {
            long pause = (now - resumed) * (crowded ? SHORT_PAUSE : PAUSE);
            LockSupport.parkNanos(Math.clamp(pause, LEAST_PAUSE_NANOS, MOST_PAUSE_NANOS));
        }
        resumed = System.nanoTime();
    }

    /** Takes in what was read, and lets go what was written. */
    void poll() {
        crowded &= !saves.isEmpty();
        loads.forEach(StoreLoad::take);
        loads.removeIf(StoreLoad::isReleased);
        saves.removeIf(
                save -> {
                    if (save.isOver()) {
                        save.release();
                    }
                    return save.isOver();
                });
    }

    /** Forgets what is on disk, and what was to go there. */
    CompletableFuture<Void> clear() {
        saves.forEach(StoreSave::drop);
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        disk.archive().clear();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                writer);
    }

    /** Whether something was read that nobody has taken in. */
    boolean hasNews() {
        return loads.stream().anyMatch(StoreLoad::hasNews);
    }

    /** Writes what waits, for a while, and closes the store. */
    @Override
    public void close() {
        writer.shutdown();
        try {
            if (!writer.awaitTermination(CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "not everything that was computed for prompts could be written in {0} s",
                        CLOSE_LIMIT.toSeconds());
                saves.forEach(StoreSave::drop);
                writer.awaitTermination(CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        disk.archive().close();
        readers.close();
    }
}
