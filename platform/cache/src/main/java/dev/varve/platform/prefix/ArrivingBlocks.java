package dev.varve.platform.prefix;

import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.store.ArchiveMissException;
import dev.varve.platform.store.ObjectKey;
import dev.varve.platform.store.SharedArchive;
import dev.varve.platform.store.SharedObjectManifest;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * Finds the blocks of a prompt in the archive of a peer, which computes and stores them in order.
 * Runs on a thread that may wait for the peer.
 */
final class ArrivingBlocks {
    /** Maximum blocks of one query. */
    private static final int AT_ONCE = 64;

    private final SharedArchive archive;
    private final List<ObjectKey> chain = new ArrayList<>();
    private final Map<ObjectKey, SharedObjectManifest> heads = new HashMap<>();
    private final long blockBytes;
    private int found;

    /**
     * @param reservation computes the sizes of blocks
     * @param tokens tokens that the peer computes; an incomplete block at their end is left out
     */
    ArrivingBlocks(
            SharedArchive archive,
            ChainKeys keys,
            StorePrefetchAllocator reservation,
            CacheScope scope,
            int[] tokens) {
        this.archive = archive;
        blockBytes = LongStream.of(reservation.blockSizes()).sum();
        ObjectKey before = keys.root(scope);
        for (int end = CachedBlock.TOKENS; end <= tokens.length; end += CachedBlock.TOKENS) {
            before = keys.block(before, Arrays.copyOfRange(tokens, end - CachedBlock.TOKENS, end));
            chain.add(before);
        }
    }

    /** Returns whether all blocks were found. */
    boolean isComplete() {
        return found == chain.size();
    }

    /**
     * Searches the blocks behind those that were found before.
     *
     * @param deadline value of {@link System#nanoTime}
     * @return the prefix of all blocks that were found so far; empty if none is new
     * @throws ArchiveMissException if the peer does not respond in time
     */
    Optional<SharedSearch.Result> next(long deadline) throws ArchiveMissException {
        int before = found;
        List<ObjectKey> some = chain.subList(found, Math.min(chain.size(), found + AT_ONCE));
        if (!some.isEmpty()) {
            archive.heads(some, deadline)
                    .forEach(
                            (key, head) -> {
                                if (SharedSearch.isPlausible(head, blockBytes)) {
                                    heads.put(key, head);
                                }
                            });
        }
        while (!isComplete() && heads.containsKey(chain.get(found))) {
            found++;
        }
        return found == before
                ? Optional.empty()
                : Optional.of(
                        new SharedSearch.Result(
                                new StoredPrefix(
                                        List.copyOf(chain.subList(0, found)),
                                        Optional.empty(),
                                        found * CachedBlock.TOKENS),
                                Map.copyOf(heads)));
    }
}
