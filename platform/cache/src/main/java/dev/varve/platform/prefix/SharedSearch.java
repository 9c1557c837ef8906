package dev.varve.platform.prefix;

import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.store.ArchiveMissException;
import dev.varve.platform.store.ObjectKey;
import dev.varve.platform.store.SharedArchive;
import dev.varve.platform.store.SharedObjectManifest;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * A search for a prompt in a shared store. It requests all blocks of the prompt and the tails after
 * each at once, then the possible checkpoints, deepest first, and finally whether all parts still
 * exist. Runs on a searcher thread, not on the engine's.
 */
final class SharedSearch {
    /** Maximum keys of one query. */
    private static final int AT_ONCE = 256;

    /** Maximum number of attempts; each missing part makes the next one less deep. */
    private static final int MAX_ATTEMPTS = 4;

    /** Maximum bytes before the payload of an object. */
    private static final long MOST_HEADER = 8 << 20;

    private final SharedArchive archive;
    private final ChainKeys keys;
    private final StorePrefetchAllocator reservation;
    private final int[] tokens;
    private final int known;
    private final long deadline;
    private final List<ObjectKey> chain = new ArrayList<>();
    private final Map<ObjectKey, SharedObjectManifest> heads = new HashMap<>();

    /** Number of blocks that the store has, from the first one on. */
    private int blocks;

    /**
     * A prefix that the store has.
     *
     * @param heads heads of all objects of the prefix
     */
    record Result(StoredPrefix prefix, Map<ObjectKey, SharedObjectManifest> heads) {}

    /**
     * @param reservation computes the sizes of the objects
     * @param known leading tokens that are cached without the store
     * @param deadline value of {@link System#nanoTime}
     */
    SharedSearch(
            SharedArchive archive,
            ChainKeys keys,
            StorePrefetchAllocator reservation,
            CacheScope scope,
            int[] tokens,
            int known,
            long deadline) {
        this.archive = archive;
        this.keys = keys;
        this.reservation = reservation;
        this.tokens = tokens;
        this.known = known;
        this.deadline = deadline;
        chain.add(keys.root(scope));
    }

    /**
     * Finds the deepest position that the store has, after the known tokens.
     *
     * @return empty if there is none
     * @throws ArchiveMissException if the store does not respond in time
     */
    Optional<Result> run() throws ArchiveMissException {
        for (int end = 0; end + CachedBlock.TOKENS < tokens.length; end += CachedBlock.TOKENS) {
            chain.add(
                    keys.block(
                            chain.getLast(),
                            Arrays.copyOfRange(tokens, end, end + CachedBlock.TOKENS)));
        }
        long block = payload(reservation.blockSizes());
        Map<ObjectKey, Long> payloads = new LinkedHashMap<>();
        chain.stream().skip(1).forEach(key -> payloads.put(key, block));
        query(payloads);
        while (blocks + 1 < chain.size() && heads.containsKey(chain.get(blocks + 1))) {
            blocks++;
        }
        List<BitSet> tails = archive.tails(chain.subList(0, blocks + 1), deadline);
        for (int i = 0; i < MAX_ATTEMPTS; i++) {
            StoredPrefix prefix = deepest(tails);
            if (prefix.position() == 0 || isWhole(prefix, tails)) {
                return prefix.position() == 0
                        ? Optional.empty()
                        : Optional.of(new Result(prefix, Map.copyOf(heads)));
            }
        }
        return Optional.empty();
    }

    private static long payload(long[] sizes) {
        return LongStream.of(sizes).sum();
    }

    /** Queries heads, and accepts those with a plausible size. */
    private void query(Map<ObjectKey, Long> payloads) throws ArchiveMissException {
        List<ObjectKey> objects = List.copyOf(payloads.keySet());
        for (int i = 0; i < objects.size(); i += AT_ONCE) {
            List<ObjectKey> some = objects.subList(i, Math.min(objects.size(), i + AT_ONCE));
            archive.heads(some, deadline)
                    .forEach(
                            (key, head) -> {
                                if (isPlausible(head, payloads.get(key))) {
                                    heads.put(key, head);
                                }
                            });
        }
    }

    /** Returns whether an object may have a payload of so many bytes, behind a header. */
    static boolean isPlausible(SharedObjectManifest head, long payload) {
        return head.bytes() > payload && head.bytes() <= payload + MOST_HEADER;
    }

    private StoredPrefix deepest(List<BitSet> tails) throws ArchiveMissException {
        for (int block = blocks; block >= 0; block--) {
            int end = block * CachedBlock.TOKENS;
            Optional<StoredPrefix> checkpoint = checkpoint(block, tails.get(block));
            if (checkpoint.isPresent()) {
                return checkpoint.get();
            }
            if (end <= known) {
                return StoredPrefix.NONE;
            }
            if (!reservation.layout().forgets()) {
                return new StoredPrefix(blocks(block), Optional.empty(), end);
            }
        }
        return StoredPrefix.NONE;
    }

    private List<ObjectKey> blocks(int count) {
        return List.copyOf(chain.subList(1, count + 1));
    }

    /** Finds the deepest checkpoint after a block that begins like the prompt. */
    private Optional<StoredPrefix> checkpoint(int block, BitSet tails) throws ArchiveMissException {
        int end = block * CachedBlock.TOKENS;
        int most = Math.min(CachedBlock.TOKENS, tokens.length - end) - 1;
        Map<ObjectKey, Integer> positions = new LinkedHashMap<>();
        Map<ObjectKey, Long> payloads = new HashMap<>();
        for (int tail = tails.previousSetBit(most);
                tail >= 0 && end + tail > known;
                tail = tails.previousSetBit(tail - 1)) {
            int position = end + tail;
            ObjectKey key =
                    keys.checkpoint(chain.get(block), Arrays.copyOfRange(tokens, end, position));
            positions.put(key, position);
            payloads.put(key, payload(reservation.sizes(tail, position)));
            if (tail == 0) {
                break;
            }
        }
        query(payloads);
        for (Map.Entry<ObjectKey, Integer> each : positions.entrySet()) {
            if (heads.containsKey(each.getKey())) {
                StoredPrefix.End found = new StoredPrefix.End(each.getKey(), each.getValue());
                return Optional.of(
                        new StoredPrefix(blocks(block), Optional.of(found), each.getValue()));
            }
        }
        return Optional.empty();
    }

    /**
     * Whether the store has all parts; if not, excludes the object with a missing part from the
     * search.
     */
    private boolean isWhole(StoredPrefix prefix, List<BitSet> tails) throws ArchiveMissException {
        List<ObjectKey> objects = new ArrayList<>(prefix.blocks());
        prefix.end().ifPresent(end -> objects.add(end.key()));
        BitSet complete = archive.complete(objects.stream().map(heads::get).toList(), deadline);
        int missing = complete.nextClearBit(0);
        if (missing < prefix.blocks().size()) {
            blocks = missing;
            return false;
        }
        if (missing < objects.size()) {
            int block = prefix.blocks().size();
            tails.get(block).clear(prefix.position() - block * CachedBlock.TOKENS);
            return false;
        }
        return true;
    }
}
