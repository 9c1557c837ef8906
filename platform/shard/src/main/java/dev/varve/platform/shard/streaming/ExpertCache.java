package dev.varve.platform.shard.streaming;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.MappedFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.platform.setting.ByteCount;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.ExpertCounts;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

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
     *     reading fails; the cache is empty then, and stays usable
     */
    public synchronized void load(ExpertGroup group, int[] experts, Runnable inner) {
        List<Key> missing = new ArrayList<>();
        for (int expert : experts) {
            Key key = new Key(group, expert);
            if (resident.get(key) == null) {
                missing.add(key);
            }
        }
        hits.add(experts.length - missing.size());
        misses.add(missing.size());
        if (missing.isEmpty()) {
            inner.run();
        } else {
            makeRoom(missing.size() * group.bytesPerExpert());
            read(missing, inner);
        }
    }

    /** The experts that the caller needs were used last, so they are not reached. */
    private void makeRoom(long bytes) {
        Iterator<Map.Entry<Key, Long>> eldest = resident.entrySet().iterator();
        while (residentBytes + bytes > limit && eldest.hasNext()) {
            Map.Entry<Key, Long> entry = eldest.next();
            residentBytes -= entry.getValue();
            release(entry.getKey());
            eldest.remove();
        }
    }

    /** A read at the end of a shortened file may have changed pages that other experts share. */
    private void evictAll() {
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
        all.forEach(range -> range.matrix().file().retain(range.offset(), range.bytes()));
        try {
            readBytes.add(reader.read(all, inner));
        } catch (RuntimeException | Error e) {
            keys.forEach(ExpertCache::release);
            evictAll();
            throw e;
        }
        for (Key key : keys) {
            long bytes = key.group().bytesPerExpert();
            resident.put(key, bytes);
            residentBytes += bytes;
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
        reader.close();
        files.values().forEach(StreamedFile::close);
        resident.clear();
        residentBytes = 0;
    }
}
