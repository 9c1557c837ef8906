package dev.varve.platform.content;

import dev.varve.api.gguf.GgufTensor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;

/**
 * Computes SHA-256 digests of tensors. Each tensor has its own digest, so any layers can be
 * compared, whichever were read before. Digests are stored with the file's size, time and inode
 * ({@link DigestRecords}); only tensors without a digest are read. Thread-safe; one caller reads at
 * a time, and later callers reuse its digests.
 */
public final class TensorDigests {
    private final DigestRecords records;
    private final TensorHasher hasher = new TensorHasher();
    private final ReentrantLock turn = new ReentrantLock();

    private TensorDigests(DigestRecords records) {
        this.records = records;
    }

    /**
     * Stores digests beside the model files, or in a folder where that location is not writable.
     *
     * @param cacheFolder of this user; need not exist yet
     */
    public static TensorDigests cachedIn(Path cacheFolder) {
        return new TensorDigests(new DigestRecords(cacheFolder.resolve("digests")));
    }

    /**
     * Returns the digests by the tensors' names, 64 hexadecimal digits each, in the order of the
     * tensors. May read all of their bytes.
     *
     * @param tensors of any files, each name once
     * @param read accepts the number of bytes that were read since its last call, one call at a
     *     time, from any thread; an exception from it stops the computation
     * @throws dev.varve.api.VarveException of kind UNREADABLE_FILE if a file cannot be read or
     *     changes meanwhile
     */
    public Map<String, String> of(Collection<GgufTensor> tensors, LongConsumer read) {
        Map<Path, List<GgufTensor>> files = new LinkedHashMap<>();
        for (GgufTensor tensor : tensors) {
            files.computeIfAbsent(tensor.file(), file -> new ArrayList<>()).add(tensor);
        }
        Map<GgufTensor.Place, String> found = new HashMap<>();
        turn.lock();
        try {
            files.forEach((file, its) -> found.putAll(ofFile(file, its, read)));
        } finally {
            turn.unlock();
        }
        Map<String, String> named = new LinkedHashMap<>();
        tensors.forEach(tensor -> named.put(tensor.name(), found.get(tensor.place())));
        return named;
    }

    private Map<GgufTensor.Place, String> ofFile(
            Path file, List<GgufTensor> tensors, LongConsumer read) {
        FileStates states = FileStates.of(List.of(file));
        FileIdentity before = states.of(file);
        Map<GgufTensor.Place, String> known = new HashMap<>(records.find(file, before));
        List<GgufTensor.Place> missing =
                tensors.stream()
                        .map(GgufTensor::place)
                        .filter(place -> !known.containsKey(place))
                        .distinct()
                        .toList();
        if (!missing.isEmpty()) {
            known.putAll(hasher.hash(file, missing, read));
            states.requireUnchanged();
            records.store(file, before, known);
        }
        return known;
    }
}
