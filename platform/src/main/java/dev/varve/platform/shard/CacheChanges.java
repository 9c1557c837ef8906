package dev.varve.platform.shard;

import java.util.List;

/**
 * What becomes of the caches before anything else reads or writes them. Commits belong to the batch
 * before: they are to be made before another one has drafted slices.
 *
 * @param commits of drafted slices, each at most once
 * @param copies of rows, in this order
 */
public record CacheChanges(List<StateCommit> commits, List<SlotCopy> copies) {
    /** Nothing changes. */
    public static final CacheChanges NONE = new CacheChanges(List.of(), List.of());

    /** Copies the lists. */
    public CacheChanges {
        commits = List.copyOf(commits);
        copies = List.copyOf(copies);
    }

    /** Copies of rows alone. */
    public static CacheChanges copies(List<SlotCopy> copies) {
        return new CacheChanges(List.of(), copies);
    }

    /** Whether nothing changes. */
    public boolean isEmpty() {
        return commits.isEmpty() && copies.isEmpty();
    }

    /** Slots that are copied. */
    public long copiedSlots() {
        long slots = 0;
        for (SlotCopy copy : copies) {
            slots += copy.count();
        }
        return slots;
    }
}
