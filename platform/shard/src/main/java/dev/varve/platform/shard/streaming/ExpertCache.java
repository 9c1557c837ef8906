package dev.varve.platform.shard.streaming;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.MappedFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.platform.setting.ByteCount;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.ExpertCounts;

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
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiPredicate;

/**
 * The experts of a shard that are in memory, up to a limit. The least recently used expert is
 * evicted first. Thread-safe; an expert stays in memory until the next call of {@link #load}, so
 * shards that share a cache take turns: each holds the lock of the processor during a step.
 */
public final class ExpertCache implements AutoCloseable {
    private record Key(ExpertGroup group, int expert) {}

    private final Map<Path, StreamedFile> files;
    private final Map<String, ExpertGroup> groups;
    private final long limit;
    private final ParallelReader reader = new ParallelReader();

    /** Experts that are read ahead; their bytes count as resident. */
    private final Map<Key, Prefetch> ahead = new LinkedHashMap<>();

    /** Experts that the last call of {@link #load} returned. */
    private Set<Key> inUse = Set.of();

    private final PrefetchGain gain = new PrefetchGain();

    /** In the order of their last use. */
    private final LinkedHashMap<Key, Long> resident = new LinkedHashMap<>(64, 0.75f, true);

    private volatile long residentBytes;
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder readBytes = new LongAdder();

    private ExpertCache(
            Map<Path, StreamedFile> files, Map<String, ExpertGroup> groups, long limit) {
        this.files = files;
        this.groups = groups;
        this.limit = limit;
    }

    /**
     * Opens the files of some matrices; reads nothing yet.
     *
     * @param tensors matrices of experts, {@code [in, out, experts]}
     * @param limit most bytes of experts in memory
     * @throws VarveException of kind CORRUPT_FILE if a file is too short, INVALID_REQUEST if the
     *     limit is less than the bytes of one expert
     */
    public static ExpertCache open(List<GgufTensor> tensors, long limit) {
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
            return new ExpertCache(files, groups, limit);
        } catch (RuntimeException | Error e) {
            files.values().forEach(StreamedFile::close);
            throw e;
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
        cancelOthers(group, needed);
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
    private void cancelOthers(ExpertGroup group, Set<Key> needed) {
        int read = 0;
        int right = 0;
        for (Map.Entry<Key, Prefetch> entry : ahead.entrySet()) {
            Prefetch prefetch = entry.getValue();
            boolean isNeeded = needed.contains(entry.getKey());
            if (!prefetch.isCancelled() && prefetch.group() == group) {
                read++;
                right += isNeeded ? 1 : 0;
            }
            if (!isNeeded) {
                prefetch.cancel();
            }
        }
        gain.record(read, right);
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

    /**
     * Begins to read experts that the next layer may need, and returns at once. Uses memory of
     * experts that were used least recently, but none of those that the last {@link #load}
     * returned. What the next layer does not need is freed. Does nothing while most guesses are
     * wrong.
     *
     * @param experts different experts of the layer, the most likely first
     */
    public synchronized void prefetch(ExpertGroup group, int[] experts) {
        if (!gain.isWorthIt()) {
            return;
        }
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
            Prefetch prefetch = new Prefetch(group);
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
        ahead.values().forEach(Prefetch::cancel);
        ahead.values().forEach(Prefetch::awaitQuietly);
        ahead.clear();
        reader.close();
        files.values().forEach(StreamedFile::close);
        resident.clear();
        residentBytes = 0;
    }
}
