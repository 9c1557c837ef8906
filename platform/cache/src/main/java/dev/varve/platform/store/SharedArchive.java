package dev.varve.platform.store;

import dev.varve.api.VarveException;
import dev.varve.api.snapshot.SharedStore;
import dev.varve.platform.store.ArchiveMissException.Reason;
import dev.varve.platform.store.SharedArchiveStatus.SearchOutcome;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The objects of a namespace in a store that several servers share. There is no local index: every
 * lookup queries the store, and every value is verified. A store that does not respond in time is
 * not queried until it recovers. Thread-safe. Calls wait for the store, so the engine's thread must
 * only make those that are documented never to wait.
 */
public final class SharedArchive implements WritableArchive, AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.store");

    /** Bytes of a part, including everything before and after its content. */
    static final int PART_BYTES = 512 << 10;

    /** Maximum accepted bytes of a header. */
    private static final int MOST_HEADER = 8 << 20;

    /** Maximum bytes of a head, and of the set of checkpoints after a block. */
    private static final int MOST_SMALL = 512;

    /** Time limit of the write of one part; no request waits for it. */
    private static final Duration WRITE_LIMIT = Duration.ofSeconds(5);

    private static final long PAUSE_NANOS = Duration.ofSeconds(30).toNanos();

    private final SharedArchiveSettings settings;
    private final SharedStore store;
    private final SharedKeySchema keys;
    private final StoreCircuitBreaker breaker;
    private final Queue<ChunkCodec> codecs = new ConcurrentLinkedQueue<>();
    private final AtomicInteger owners = new AtomicInteger(1);
    private final SecureRandom names = new SecureRandom();
    private final Map<Reason, AtomicLong> misses = new EnumMap<>(Reason.class);
    private final Map<SearchOutcome, AtomicLong> searches = new EnumMap<>(SearchOutcome.class);
    private final AtomicLong readBytes = new AtomicLong();
    private final AtomicLong writtenBytes = new AtomicLong();
    private volatile Optional<Long> pausedAt = Optional.empty();

    private SharedArchive(SharedArchiveSettings settings, SharedStore store) {
        this.settings = settings;
        this.store = store;
        keys = SharedKeySchema.of(settings.namespace());
        breaker =
                new StoreCircuitBreaker(
                        settings.address(), () -> store.ping(settings.responseTimeout()));
        for (Reason reason : Reason.values()) {
            misses.put(reason, new AtomicLong());
        }
        for (SearchOutcome outcome : SearchOutcome.values()) {
            searches.put(outcome, new AtomicLong());
        }
    }

    /**
     * Opens an archive; its store is closed with it. A store that does not respond at first is used
     * once it does.
     */
    public static SharedArchive open(SharedArchiveSettings settings, SharedStore store) {
        SharedArchive archive = new SharedArchive(settings, store);
        archive.breaker.begin(settings.responseTimeout());
        return archive;
    }

    /** Returns the same archive for one more owner, which closes it as well. */
    public SharedArchive share() {
        owners.incrementAndGet();
        return this;
    }

    /** Whether the store is queried at the moment. Never waits. */
    public boolean isAvailable() {
        return breaker.isClosed();
    }

    /** Counts the outcome of a search. Never waits. */
    public void count(SearchOutcome outcome) {
        searches.get(outcome).incrementAndGet();
    }

    /** Time limit of the next response. */
    private Duration limit(long deadline) throws ArchiveMissException {
        long left = deadline - System.nanoTime();
        if (!breaker.isClosed()) {
            throw new ArchiveMissException(
                    Reason.UNREADABLE, settings.address() + " is not used for now");
        }
        if (left <= 0) {
            throw late("computing the prompt would have been as fast");
        }
        Duration most = settings.responseTimeout();
        return most.toNanos() < left ? most : Duration.ofNanos(left);
    }

    /**
     * Records a failed query: either the store exceeded its limit, or only the shorter deadline of
     * a request.
     */
    private ArchiveMissException failed(IOException failure, long deadline) {
        if (System.nanoTime() >= deadline) {
            return late(failure.getMessage());
        }
        breaker.failed(failure.getMessage());
        return miss(failure.getMessage());
    }

    private ArchiveMissException late(String why) {
        breaker.late(why);
        return miss(why);
    }

    private ArchiveMissException miss(String why) {
        return new ArchiveMissException(Reason.UNREADABLE, settings.address() + ": " + why);
    }

    /**
     * Returns the heads of the objects that exist, as far as they are valid.
     *
     * @param deadline value of {@link System#nanoTime}
     * @throws ArchiveMissException if the store does not respond in time
     */
    public Map<ObjectKey, SharedObjectManifest> heads(List<ObjectKey> objects, long deadline)
            throws ArchiveMissException {
        Map<ObjectKey, SharedObjectManifest> found = new HashMap<>();
        ChunkCodec codec = codec();
        try {
            store.get(
                    objects.stream().map(keys::head).toList(),
                    MOST_SMALL,
                    limit(deadline),
                    (index, value) -> {
                        ObjectKey key = objects.get(index);
                        codec.decode(key, SharedObjectManifest.PART, value)
                                .flatMap(content -> SharedObjectManifest.read(key, content))
                                .ifPresent(head -> found.put(key, head));
                        return true;
                    });
            breaker.succeeded();
            return found;
        } catch (IOException e) {
            throw failed(e, deadline);
        } finally {
            codecs.add(codec);
        }
    }

    /**
     * Returns the distances in tokens after blocks at which there may be checkpoints.
     *
     * @param deadline value of {@link System#nanoTime}
     * @return one set for each block
     * @throws ArchiveMissException if the store does not respond in time
     */
    public List<BitSet> tails(List<ObjectKey> blocks, long deadline) throws ArchiveMissException {
        List<BitSet> found = new ArrayList<>(blocks.size());
        try {
            store.get(
                    blocks.stream().map(keys::tails).toList(),
                    MOST_SMALL,
                    limit(deadline),
                    (index, value) -> found.add(bits(value)));
            return found;
        } catch (IOException e) {
            throw failed(e, deadline);
        }
    }

    private static BitSet bits(ByteBuffer value) {
        BitSet bits = new BitSet();
        for (int i = 0; i < value.remaining() * Byte.SIZE; i++) {
            int octet = value.get(value.position() + i / Byte.SIZE);
            bits.set(i, (octet & 0x80 >>> i % Byte.SIZE) != 0);
        }
        return bits;
    }

    /**
     * Determines which objects have all of their parts.
     *
     * @param deadline value of {@link System#nanoTime}
     * @return a bit for each of them
     * @throws ArchiveMissException if the store does not respond in time
     */
    public BitSet complete(List<SharedObjectManifest> heads, long deadline)
            throws ArchiveMissException {
        List<String> parts = new ArrayList<>();
        List<Integer> owners = new ArrayList<>();
        for (int i = 0; i < heads.size(); i++) {
            for (String part : parts(heads.get(i))) {
                parts.add(part);
                owners.add(i);
            }
        }
        BitSet complete = new BitSet();
        complete.set(0, heads.size());
        try {
            BitSet there = store.has(parts, limit(deadline));
            for (int i = 0; i < parts.size(); i++) {
                if (!there.get(i)) {
                    complete.clear(owners.get(i));
                }
            }
            return complete;
        } catch (IOException e) {
            throw failed(e, deadline);
        }
    }

    private List<String> parts(SharedObjectManifest head) {
        ChunkCodec codec = codec();
        try {
            return keys.parts(head, codec.chunks(head.bytes()));
        } finally {
            codecs.add(codec);
        }
    }

    private ChunkCodec codec() {
        ChunkCodec known = codecs.poll();
        return known == null ? new ChunkCodec(PART_BYTES, settings.cipher()) : known;
    }

    /**
     * Reads an object.
     *
     * @param deadline value of {@link System#nanoTime}, after which prefill would have been as fast
     * @throws ArchiveMissException if it cannot be read in time; the target may have received a
     *     part of it
     */
    public void read(SharedObjectManifest head, ObjectTarget target, long deadline)
            throws ArchiveMissException {
        ChunkCodec codec = codec();
        try {
            readBytes.addAndGet(read(head, target, deadline, codec));
        } catch (ArchiveMissException e) {
            misses.get(e.reason()).incrementAndGet();
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "a prefix in the shared store is not used: {0}",
                    e.getMessage());
            throw e;
        } finally {
            codecs.add(codec);
        }
    }

    private long read(
            SharedObjectManifest head, ObjectTarget target, long deadline, ChunkCodec codec)
            throws ArchiveMissException {
        List<String> parts = keys.parts(head, codec.chunks(head.bytes()));
        ObjectAssembly assembly =
                new ObjectAssembly(head.content(), parts.size(), codec, target, MOST_HEADER);
        List<ArchiveMissException> miss = new ArrayList<>();
        try {
            store.get(
                    parts,
                    PART_BYTES,
                    limit(deadline),
                    (part, value) -> {
                        try {
                            limit(deadline);
                            assembly.take(part, content(head, part, value, codec, assembly));
                            return true;
                        } catch (ArchiveMissException e) {
                            miss.add(e);
                            return false;
                        }
                    });
        } catch (IOException e) {
            throw failed(e, deadline);
        }
        if (!miss.isEmpty()) {
            throw miss.getFirst();
        }
        long bytes = assembly.end();
        breaker.succeeded();
        return bytes;
    }

    private static ByteBuffer content(
            SharedObjectManifest head,
            int part,
            ByteBuffer value,
            ChunkCodec codec,
            ObjectAssembly assembly)
            throws ArchiveMissException {
        if (!value.hasRemaining()) {
            throw new ArchiveMissException(
                    Reason.ABSENT, "part " + part + " of " + head.key() + " is missing");
        }
        return codec.decode(head.content(), part, value).orElseThrow(() -> assembly.corrupt(part));
    }

    /** Restarts the time-to-live of used objects. */
    public void touch(List<SharedObjectManifest> heads) {
        List<String> all = new ArrayList<>();
        for (SharedObjectManifest head : heads) {
            all.add(keys.head(head.key()));
            all.add(keys.tails(head.key()));
            all.addAll(parts(head));
        }
        try {
            if (breaker.isClosed()) {
                store.touch(all, WRITE_LIMIT);
            }
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "the time-to-live of shared prefixes could not be extended",
                    e);
        }
    }

    @Override
    public boolean acceptsWrites() {
        return !settings.readOnly() && breaker.isClosed() && !isPaused();
    }

    private boolean isPaused() {
        return pausedAt.filter(at -> System.nanoTime() - at < PAUSE_NANOS).isPresent();
    }

    @Override
    public WriteResult write(ObjectDescriptor name, ObjectSource source) {
        if (!acceptsWrites()) {
            return WriteResult.NO_SPACE;
        }
        ChunkCodec codec = codec();
        try {
            Optional<SharedObjectManifest> known = known(name.key());
            if (known.isPresent()) {
                touch(List.of(known.get()));
            } else {
                write(name, source, codec);
            }
            if (name.kind() == ObjectKind.CHECKPOINT) {
                store.mark(keys.tails(name.parent()), name.tail(), WRITE_LIMIT);
            }
            return known.isPresent() ? WriteResult.KNOWN : WriteResult.WRITTEN;
        } catch (ArchiveMissException e) {
            return WriteResult.FAILED;
        } catch (IOException e) {
            pause(e);
            return WriteResult.FAILED;
        } finally {
            codecs.add(codec);
        }
    }

    /** Head of an object that exists with all its parts. */
    private Optional<SharedObjectManifest> known(ObjectKey key) throws ArchiveMissException {
        long deadline = System.nanoTime() + WRITE_LIMIT.toNanos();
        Optional<SharedObjectManifest> head =
                Optional.ofNullable(heads(List.of(key), deadline).get(key));
        return head.isPresent() && complete(List.of(head.get()), deadline).get(0)
                ? head
                : Optional.empty();
    }

    private void write(ObjectDescriptor name, ObjectSource source, ChunkCodec codec)
            throws IOException {
        byte[] made = new byte[SharedObjectManifest.NAME_BYTES];
        names.nextBytes(made);
        ByteBuffer header = source.header();
        ObjectPreamble own = new ObjectPreamble(name, header.remaining(), source.bytes());
        SharedObjectManifest head = SharedObjectManifest.of(name.key(), made, own.bytes());
        ObjectDescriptor inParts =
                new ObjectDescriptor(
                        head.content(), name.parent(), name.kind(), name.position(), name.tail());
        ObjectPreamble preamble = new ObjectPreamble(inParts, header.remaining(), source.bytes());
        new ObjectWriter(preamble, header, source, codec)
                .write(
                        (part, key, value) -> {
                            store.put(
                                    keys.part(head.content(), part),
                                    codec.used(value),
                                    WRITE_LIMIT);
                            return true;
                        },
                        codec.chunks(preamble.bytes()));
        SharedObjectManifest.put(made, own.bytes(), codec.content());
        codec.endContent();
        ByteBuffer value = codec.encode(name.key(), SharedObjectManifest.PART);
        store.put(keys.head(name.key()), codec.used(value), WRITE_LIMIT);
        writtenBytes.addAndGet(own.bytes());
    }

    private void pause(IOException why) {
        if (!isPaused()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "prefixes are not written to {0} for now: {1}",
                    settings.address(),
                    why.getMessage());
        }
        pausedAt = Optional.of(System.nanoTime());
    }

    /**
     * Deletes all objects of the namespace, for all servers that share them.
     *
     * @throws VarveException of kind UNAVAILABLE if the store does not respond
     */
    public void clear() {
        if (settings.readOnly()) {
            return;
        }
        try {
            store.deleteAll(keys.prefix(), WRITE_LIMIT);
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    "the prefixes in memory were cleared, but the shared store "
                            + settings.address()
                            + " could not be cleared: "
                            + e.getMessage(),
                    e);
        }
    }

    /** Statistics of this archive. Never waits. */
    public SharedArchiveStatus status() {
        Map<SearchOutcome, Long> asked = new EnumMap<>(SearchOutcome.class);
        searches.forEach((outcome, count) -> asked.put(outcome, count.get()));
        Map<Reason, Long> counted = new EnumMap<>(Reason.class);
        misses.forEach((reason, count) -> counted.put(reason, count.get()));
        return new SharedArchiveStatus(
                settings.address(),
                isAvailable(),
                acceptsWrites(),
                asked,
                writtenBytes.get(),
                readBytes.get(),
                counted);
    }

    /** Closes the store after the last owner's call. */
    @Override
    public void close() {
        if (owners.decrementAndGet() > 0) {
            return;
        }
        breaker.close();
        try {
            store.close();
        } catch (RuntimeException e) {
            // A plugin's failure must not keep the rest of the model from being closed.
            LOG.log(
                    System.Logger.Level.WARNING,
                    "closing {0} failed: {1}",
                    settings.address(),
                    e.toString());
        }
    }
}
