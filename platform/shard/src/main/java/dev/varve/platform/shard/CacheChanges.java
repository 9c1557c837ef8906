package dev.varve.platform.shard;

import java.util.List;

/**
 * Changes of the caches, applied before any chunk reads or writes them. Commits belong to the batch
 * before: the caller makes them before another batch has drafted chunks.
 *
 * @param commits of drafted chunks, each at most once
 * @param moves of rows, applied in this order
 */
public record CacheChanges(List<StateCommit> commits, List<KvRowOperation> moves) {
    /** No changes. */
    public static final CacheChanges NONE = new CacheChanges(List.of(), List.of());

    /** Copies the lists. */
    public CacheChanges {
        commits = List.copyOf(commits);
        moves = List.copyOf(moves);
    }

    /** Creates changes that only copy rows. */
    public static CacheChanges copies(List<KvSlotCopy> copies) {
        return new CacheChanges(List.of(), List.copyOf(copies));
    }

    /** Whether there are no changes. */
    public boolean isEmpty() {
        return commits.isEmpty() && moves.isEmpty();
    }

    /** Copies from slots to slots. */
    public List<KvSlotCopy> copies() {
        return moves.stream()
                .filter(KvSlotCopy.class::isInstance)
                .map(KvSlotCopy.class::cast)
                .toList();
    }

    /** Number of slots whose rows are copied, to slots or host memory. */
    public long movedSlots() {
        long slots = 0;
        for (KvRowOperation move : moves) {
            slots +=
                    switch (move) {
                        case KvSlotCopy copy -> copy.count();
                        case PageMove page -> Pages.TOKENS;
                        case HostPageFree page -> 0;
                    };
        }
        return slots;
    }
}
