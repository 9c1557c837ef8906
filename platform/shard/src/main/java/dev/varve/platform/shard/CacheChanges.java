package dev.varve.platform.shard;

import java.util.List;

/**
 * What becomes of the caches before anything else reads or writes them. Commits belong to the batch
 * before: they are to be made before another one has drafted slices.
 *
 * @param commits of drafted slices, each at most once
 * @param moves of rows, in this order
 */
public record CacheChanges(List<StateCommit> commits, List<RowMove> moves) {
    /** Nothing changes. */
    public static final CacheChanges NONE = new CacheChanges(List.of(), List.of());

    /** Copies the lists. */
    public CacheChanges {
        commits = List.copyOf(commits);
        moves = List.copyOf(moves);
    }

    /** Copies of rows alone. */
    public static CacheChanges copies(List<SlotCopy> copies) {
        return new CacheChanges(List.of(), List.copyOf(copies));
    }

    /** Whether nothing changes. */
    public boolean isEmpty() {
        return commits.isEmpty() && moves.isEmpty();
    }

    /** Slots that are copied from place to place. */
    public List<SlotCopy> copies() {
        return moves.stream().filter(SlotCopy.class::isInstance).map(SlotCopy.class::cast).toList();
    }

    /** Slots whose rows are copied, wherever to. */
    public long movedSlots() {
        long slots = 0;
        for (RowMove move : moves) {
            slots +=
                    switch (move) {
                        case SlotCopy copy -> copy.count();
                        case PageMove page -> Pages.TOKENS;
                        case PageDrop page -> 0;
                    };
        }
        return slots;
    }
}
