package dev.varve.platform.shard.streaming;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.MappedFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.platform.digest.Sha256;
import dev.varve.platform.setting.ByteCount;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.ExpertCounts;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The experts of a shard that are in memory, up to a limit. The least recently used expert is
 * evicted first. Thread-safe; an expert stays in memory until the next call of {@link #load}, so
 * shards that share a cache take turns: each holds the lock of the processor during a step.
 */
public final class ExpertCache implements AutoCloseable {
    private static final Logger LOG = System.getLogger(ExpertCache.class.getName());

    /** Experts that are read at once at the start. */
    private static final int WARMED_TOGETHER = 4;

    private static final long WRITE_NANOS = 300_000_000_000L;

    private record Key(ExpertGroup group, int expert) {}

    private final Map<Path, StreamedFile> files;
    private final Map<String, ExpertGroup> groups;
    private final long limit;
    private final ExpertReader reader;

    /** Experts that are read ahead; their bytes count as resident. */
    private final Map<Key, Prefetch> ahead = new LinkedHashMap<>();

    /** Experts that the last call of {@link #load} returned. */
    private Set<Key> inUse = Set.of();

    private final PrefetchGain gain = new PrefetchGain();
    private final ExpertUse use;

    /** File of the recorded use of experts; empty if it is not recorded. */
    private final Optional<UseFile> useFile;

    private long lastWritten = System.nanoTime();
    private CompletableFuture<Void> warming = CompletableFuture.completedFuture(null);
    private boolean closed;

    /** A file, and the identity of the matrices that it is for. */
    private record UseFile(Path path, String identity) {}

    /** In the order of their last use. */
    private final LinkedHashMap<Key, Long> resident = new LinkedHashMap<>(64, 0.75f, true);

    private volatile long residentBytes;
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder readBytes = new LongAdder();

    private ExpertCache(
            Map<Path, StreamedFile> files,
            Map<String, ExpertGroup> groups,
            long limit,
            ExpertReader reader,
            Optional<UseFile> useFile) {
        this.reader = reader;
        this.useFile = useFile;
        use =
                new ExpertUse(
                        groups.values().stream()
                                .collect(
                                        Collectors.toMap(
                                                ExpertGroup::prefix, ExpertGroup::experts)));
        this.files = files;
        this.groups = groups;
        this.limit = limit;
    }

    /** Opens the files of some matrices; records no use. */
    public static ExpertCache open(List<GgufTensor> tensors, long limit) {
        return open(tensors, limit, Optional.empty());
    }

    /**
     * Opens the files of some matrices. If their use was recorded, the experts that were used most
     * are read in the background, until the limit is reached.
     *
     * @param tensors matrices of experts, {@code [in, out, experts]}
     * @param limit most bytes of experts in memory
     * @param useFolder folder in which the use of experts is kept, which need not exist
     * @throws VarveException of kind CORRUPT_FILE if a file is too short, INVALID_REQUEST if the
     *     limit is less than the bytes of one expert
     */
    public static ExpertCache open(List<GgufTensor> tensors, long limit, Optional<Path> useFolder) {
        return open(tensors, limit, useFolder, ParallelReader::new);
    }

    /**
     * Opens the files likewise.
     *
     * @param newReader creates the reader, which the cache closes
     */
    static ExpertCache open(
            List<GgufTensor> tensors,
            long limit,
            Optional<Path> useFolder,
            Supplier<ExpertReader> newReader) {
        Map<Path, StreamedFile> files = new HashMap<>();
        try {
            Map<String, List<ExpertGroup.Matrix>> byPrefix = new TreeMap<>();
            for (GgufTensor tensor : tensors) {
                StreamedFile file = files.computeIfAbsent(tensor.file(), StreamedFile::open);
                requireWhole(tensor, file.addresses().size());
                byPrefix.computeIfAbsent(
                                ExpertGroup.prefixOf(tensor.name()), name -> new ArrayList<>())
                        .add(new ExpertGroup.Matrix(tensor, file));
            }
            Map<String, ExpertGroup> groups = new HashMap<>();
            byPrefix.forEach((name, parts) -> groups.put(name, new ExpertGroup(name, parts)));
            requireOneExpert(groups, limit);
            String identity = identity(tensors, files);
            ExpertCache cache =
                    new ExpertCache(
                            files,
                            groups,
                            limit,
                            newReader.get(),
                            useFolder.map(
                                    folder ->
                                            new UseFile(
                                                    folder.resolve(
                                                            identity.substring(0, 24) + ".use"),
                                                    identity)));
            cache.startWarming();
            return cache;
        } catch (RuntimeException | Error e) {
            files.values().forEach(StreamedFile::close);
            throw e;
        }
    }

    /** Returns a text for the place of all matrices in files of these sizes. */
    private static String identity(List<GgufTensor> tensors, Map<Path, StreamedFile> files) {
        return Sha256.hex(
                tensors.stream()
                        .map(
                                tensor ->
                                        tensor.file().getFileName()
                                                + " "
                                                + files.get(tensor.file()).addresses().size()
                                                + " "
                                                + tensor.describe()
                                                + " "
                                                + tensor.name()
                                                + " "
                                                + tensor.offset())
                        .sorted()
                        .collect(Collectors.joining("\n")),
                32);
    }

    private void startWarming() {
        if (useFile.isPresent()) {
            use.read(useFile.get().path(), useFile.get().identity());
            warming = CompletableFuture.runAsync(this::warm, Thread.ofVirtual()::start);
        }
    }

    /** Completes when the experts that were used most are in memory, or reading them failed. */
    CompletableFuture<Void> warming() {
        return warming;
    }

    /** Reads the experts that were used most, a few at a time, so that steps wait shortly. */
    private void warm() {
        List<Key> keys = new ArrayList<>();
        long bytes = 0;
        for (ExpertUse.Expert expert : hottest()) {
            ExpertGroup group = groups.get(expert.prefix());
            bytes += group.bytesPerExpert();
            if (bytes > limit) {
                break;
            }
            keys.add(new Key(group, expert.number()));
        }
        boolean more = true;
        for (int i = 0; more && i < keys.size(); i += WARMED_TOGETHER) {
            more = warm(keys.subList(i, Math.min(keys.size(), i + WARMED_TOGETHER)));
        }
        touch(keys);
    }

    private synchronized List<ExpertUse.Expert> hottest() {
        return use.hottest();
    }

    /** The experts that were used least are evicted first. */
    private synchronized void touch(List<Key> keys) {
        keys.reversed().forEach(resident::get);
        inUse.forEach(resident::get);
    }

    /** Reads some experts; returns whether there may be memory for others. */
    private synchronized boolean warm(List<Key> keys) {
        List<Key> missing =
                keys.stream()
                        .filter(key -> !resident.containsKey(key) && !ahead.containsKey(key))
                        .toList();
        long bytes = missing.stream().mapToLong(key -> key.group().bytesPerExpert()).sum();
        if (closed || residentBytes + bytes > limit) {
            return false;
        }
        try {
            read(missing, () -> {});
            return true;
        } catch (VarveException e) {
            LOG.log(Level.WARNING, "experts are not read at the start: {0}", e.getMessage());
            return false;
        }
    }

    /** Keeps the use of experts now and then, so that little is lost if the process is killed. */
    private void recordUse(ExpertGroup group, int[] experts) {
        use.record(group.prefix(), experts);
        long now = System.nanoTime();
        if (useFile.isPresent() && now - lastWritten > WRITE_NANOS) {
            lastWritten = now;
            List<String> lines = use.lines(useFile.get().identity());
            Thread.ofVirtual().start(() -> ExpertUse.write(useFile.get().path(), lines));
        }
    }

    private static void requireWhole(GgufTensor tensor, long size) {
        if (tensor.offset() + tensor.bytes() > size) {
            throw tooShort(tensor, tensor.offset() + tensor.bytes(), size);
        }
    }

    private static VarveException tooShort(GgufTensor tensor, long expected, long found) {
        return new VarveException(
                VarveException.Kind.CORRUPT_FILE,
                tensor.file()
                        + ": "
                        + tensor.name()
                        + ": expected bytes up to offset "
                        + expected
                        + ", found the end of the file at "
                        + found);
    }

    private static void requireOneExpert(Map<String, ExpertGroup> groups, long limit) {
        long largest =
                groups.values().stream().mapToLong(ExpertGroup::bytesPerExpert).max().orElse(0);
        if (limit < largest) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    Setting.EXPERT_CACHE
                            + ": expected at least "
                            + ByteCount.format(largest)
                            + " for one expert in each shard, found "
                            + ByteCount.format(limit));
        }
    }

    /** Returns the experts with a prefix of names. */
    public Optional<ExpertGroup> group(String prefix) {
        return Optional.ofNullable(groups.get(prefix));
    }

    /** Returns the experts of all layers. */
    Collection<ExpertGroup> groups() {
        return groups.values();
    }

    /** Returns the addresses of a file, of which only experts in the cache have memory. */
    public MappedFile addresses(Path file) {
        return files.get(file).addresses();
    }

    /** Most experts of a layer that fit the limit at the same time, at least 1. */
    public int most(ExpertGroup group) {
        return (int) Math.min(group.experts(), limit / group.bytesPerExpert());
    }

    /**
     * Reads those of some experts that are not in memory, after others are evicted.
     *
     * @param experts different experts of the layer, not more than {@link #most}
     * @param inner runs when all matrices but those with the name {@code down} are in memory, while
     *     these are still read
     * @throws VarveException of kind CORRUPT_FILE if a file has become shorter, UNREADABLE_FILE if
     *     reading fails; the cache is empty then, and stays usable. Likewise if {@code inner} fails
     */
    public synchronized void load(ExpertGroup group, int[] experts, Runnable inner) {
        Set<Key> needed = new LinkedHashSet<>();
        Arrays.stream(experts).forEach(expert -> needed.add(new Key(group, expert)));
        cancelOthers(needed);
        recordUse(group, experts);
        List<Key> missing = new ArrayList<>();
        List<Key> awaited = new ArrayList<>();
        for (Key key : needed) {
            if (ahead.containsKey(key)) {
                awaited.add(key);
            } else if (resident.get(key) == null) {
                missing.add(key);
            }
        }
        inUse = needed;
        hits.add(needed.size() - missing.size());
        misses.add(missing.size());
        Runnable complete =
                () -> {
                    awaited.forEach(this::awaitAhead);
                    inner.run();
                };
        if (missing.isEmpty()) {
            orEvictAll(complete);
        } else {
            requireRoom(missing.size() * group.bytesPerExpert());
            read(missing, complete);
        }
    }

    /** Stops reading ahead what turned out not to be needed, and frees what no thread reads. */
    private void cancelOthers(Set<Key> needed) {
        ahead.forEach(
                (key, prefetch) -> {
                    if (!needed.contains(key)) {
                        prefetch.cancel();
                    }
                });
        dropAhead((key, each) -> each.isCancelled() && (each.isDone() || needed.contains(key)));
    }

    /** Frees the memory of experts that are read ahead, when no thread reads them any more. */
    private void dropAhead(BiPredicate<Key, Prefetch> which) {
        ahead.entrySet()
                .removeIf(
                        entry -> {
                            boolean drops = which.test(entry.getKey(), entry.getValue());
                            if (drops) {
                                readBytes.add(entry.getValue().awaitQuietly());
                                free(entry.getKey());
                            }
                            return drops;
                        });
    }

    private void free(Key key) {
        residentBytes -= key.group().bytesPerExpert();
        release(key);
    }

    private void awaitAhead(Key key) {
        readBytes.add(ahead.get(key).await());
        ahead.remove(key);
        resident.put(key, key.group().bytesPerExpert());
    }

    /** Decides whether to read ahead in steps of a few tokens. */
    public PrefetchGain gain() {
        return gain;
    }

    /**
     * Begins to read experts that the next layer may need, and returns at once. Uses memory of
     * experts that were used least recently, but none of those that the last {@link #load}
     * returned. Experts that were read ahead and are not needed are freed.
     *
     * @param experts different experts of the layer, the most likely first
     */
    public synchronized void prefetch(ExpertGroup group, int[] experts) {
        Set<Key> kept = new HashSet<>(inUse);
        List<Key> wanted = new ArrayList<>();
        for (int expert : experts) {
            Key key = new Key(group, expert);
            kept.add(key);
            // Found or not, it becomes the last used one, which is not evicted for others.
            if (resident.get(key) == null && !ahead.containsKey(key)) {
                wanted.add(key);
            }
        }
        inUse.forEach(resident::get);
        for (Key key : wanted) {
            if (!makeRoom(group.bytesPerExpert(), kept)) {
                return;
            }
            retain(key);
            Prefetch prefetch = new Prefetch();
            ahead.put(key, prefetch);
            prefetch.start(reader, ranges(key));
        }
    }

    /** Evicts experts that were used least recently; returns whether so many bytes are free. */
    private boolean makeRoom(long bytes, Set<Key> kept) {
        Iterator<Key> eldest = resident.keySet().iterator();
        while (residentBytes + bytes > limit && eldest.hasNext()) {
            Key key = eldest.next();
            if (kept.contains(key)) {
                return false;
            }
            free(key);
            eldest.remove();
        }
        return residentBytes + bytes <= limit;
    }

    private void requireRoom(long bytes) {
        if (residentBytes + bytes > limit) {
            // Waits for a piece or two, rather than to evict experts that were used.
            dropAhead((key, each) -> each.isCancelled());
            boolean ignored = makeRoom(bytes, inUse);
        }
    }

    /** A read at the end of a shortened file may have changed pages that other experts share. */
    private void evictAll() {
        ahead.values().forEach(Prefetch::cancel);
        dropAhead((key, each) -> true);
        resident.keySet().forEach(ExpertCache::release);
        resident.clear();
        residentBytes = 0;
    }

    private static List<ExpertGroup.Range> ranges(Key key) {
        return key.group().ranges(key.expert());
    }

    private static void release(Key key) {
        ranges(key).forEach(range -> range.matrix().file().release(range.offset(), range.bytes()));
    }

    private void read(List<Key> keys, Runnable inner) {
        List<ExpertGroup.Range> all = keys.stream().flatMap(key -> ranges(key).stream()).toList();
        keys.forEach(this::retain);
        try {
            readBytes.add(reader.read(all, inner));
        } catch (RuntimeException | Error e) {
            keys.forEach(ExpertCache::release);
            evictAll();
            throw e;
        }
        keys.forEach(key -> resident.put(key, key.group().bytesPerExpert()));
    }

    private void retain(Key key) {
        ranges(key).forEach(range -> range.matrix().file().retain(range.offset(), range.bytes()));
        residentBytes += key.group().bytesPerExpert();
    }

    private void orEvictAll(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            evictAll();
            throw e;
        }
    }

    /** Bytes of the experts in memory, at most the limit; any thread may call it. */
    public long residentBytes() {
        return residentBytes;
    }

    /** Counters so far; any thread may call it. */
    public ExpertCounts counts() {
        return new ExpertCounts(hits.sum(), misses.sum(), readBytes.sum());
    }

    /** Returns whether all files are read directly, without the page cache. */
    public boolean isDirect() {
        return files.values().stream().allMatch(StreamedFile::isDirect);
    }

    /** Frees the memory; buffers over the addresses must be closed before. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        useFile.ifPresent(file -> ExpertUse.write(file.path(), use.lines(file.identity())));
        ahead.values().forEach(Prefetch::cancel);
        ahead.values().forEach(Prefetch::awaitQuietly);
        ahead.clear();
        reader.close();
        files.values().forEach(StreamedFile::close);
        resident.clear();
        residentBytes = 0;
    }
}
