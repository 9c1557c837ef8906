package dev.varve.platform.sequence;

import java.util.Arrays;
import java.util.Optional;

/**
 * How a sequence was computed: where each of its forwards ended, and what it was. Computing it
 * again with the same cuts gives the same numbers, bit for bit. The pieces of a window leave one
 * cut, at the end of the last of them.
 */
public final class ChunkBoundaries {
    /** Nothing was computed; not to be changed. */
    public static final ChunkBoundaries NONE = new ChunkBoundaries();

    private static final int KINDS = 4;
    private static final int WINDOW = 0;
    private static final int ROWS = 1;

    /** The end of a window is missing. */
    private static final int PIECE = 2;

    /** Position behind the forward, times {@value #KINDS}; plus the number of its kind. */
    private int[] cuts = new int[8];

    private int size;

    /**
     * Takes note of a forward that ends at a position behind all others.
     *
     * @param stretch what it was; pieces that follow a piece belong to its window
     */
    public void add(int end, ChunkKind stretch) {
        boolean continues = stretch == ChunkKind.PIECE || stretch == ChunkKind.LAST_PIECE;
        if (continues && endsInPiece()) {
            size--;
        } else if (size == cuts.length) {
            cuts = Arrays.copyOf(cuts, 2 * size);
        }
        int kind =
                switch (stretch) {
                    case WINDOW, LAST_PIECE -> WINDOW;
                    case ROWS -> ROWS;
                    case PIECE -> PIECE;
                };
        cuts[size++] = KINDS * end + kind;
    }

    /** Where the last forward began, with all pieces of its window; 0 without one. */
    public int lastBegin() {
        return size < 2 ? 0 : endOf(size - 2);
    }

    /** Whether the last forward was of a window that was to go on. */
    public boolean endsInPiece() {
        return size > 0 && cuts[size - 1] % KINDS == PIECE;
    }

    /** Whether tokens behind a position were decoded, and not part of a window. */
    public boolean hasRowsBehind(int position) {
        for (int i = countUpTo(position); i < size; i++) {
            if (cuts[i] % KINDS == ROWS) {
                return true;
            }
        }
        return false;
    }

    /**
     * The cuts up to a position.
     *
     * @throws IllegalArgumentException if no forward ends there
     */
    public ChunkBoundaries upTo(int position) {
        int count = countUpTo(position);
        ChunkBoundaries result = new ChunkBoundaries();
        result.cuts = Arrays.copyOf(cuts, Math.max(8, count));
        result.size = count;
        if (result.end() != position) {
            throw new IllegalArgumentException("no forward ends at position " + position);
        }
        return result;
    }

    /**
     * The cuts of a prompt that was computed in windows of a length, up to a position.
     *
     * @param window tokens of each but the last
     */
    public static ChunkBoundaries ofWindows(int window, int position) {
        ChunkBoundaries result = new ChunkBoundaries();
        for (int end = window; end < position; end += window) {
            result.add(end, ChunkKind.WINDOW);
        }
        result.add(position, ChunkKind.WINDOW);
        return result;
    }

    /** Whether both lists are the same up to a position, at which a forward ended in both. */
    public boolean agrees(ChunkBoundaries other, int position) {
        return position == 0 || agreement(other, position) == position;
    }

    /**
     * A number for how the tokens up to a position were computed: of all forwards that began before
     * it. Equal cuts have equal numbers, others hardly ever.
     */
    public long digest(int position) {
        int count = Math.min(size, countUpTo(position - 1) + 1);
        long digest = 1;
        for (int i = 0; i < count; i++) {
            digest = (digest ^ cuts[i]) * 0x9E37_79B9_7F4A_7C15L;
            digest ^= digest >>> 29;
        }
        return digest;
    }

    /** The last position at or before the given one at which a forward ended. */
    int floor(int position) {
        int count = countUpTo(position);
        return count == 0 ? 0 : endOf(count - 1);
    }

    /**
     * The last position at or before the given one up to which both lists are the same. In both of
     * them a forward ended there: what crosses a position was computed together with tokens behind
     * it, which gives other numbers.
     */
    int agreement(ChunkBoundaries other, int position) {
        int limit = Math.min(countUpTo(position), other.countUpTo(position));
        int mismatch = Arrays.mismatch(cuts, 0, limit, other.cuts, 0, limit);
        int same = mismatch < 0 ? limit : mismatch;
        return same == 0 ? 0 : endOf(same - 1);
    }

    /** Forwards that end at a position or before it. */
    private int countUpTo(int position) {
        int found = Arrays.binarySearch(cuts, 0, size, KINDS * position + KINDS - 1);
        return found >= 0 ? found + 1 : -found - 1;
    }

    /**
     * Lets the last forward end earlier: what it computed behind that position does not count.
     *
     * @throws IllegalArgumentException if it computed nothing before that position
     */
    void shorten(int end) {
        if (size == 0 || end > end() || end <= (size == 1 ? 0 : endOf(size - 2))) {
            throw new IllegalArgumentException("the last forward does not reach over " + end);
        }
        cuts[size - 1] = KINDS * end + cuts[size - 1] % KINDS;
    }

    /**
     * The cuts of which the last one lies at a position, if it lay behind that: what was computed
     * there does not count.
     *
     * @throws IllegalArgumentException if the last forward computed nothing before that position
     */
    public ChunkBoundaries endingBy(int position) {
        ChunkBoundaries result = new ChunkBoundaries();
        result.cuts = cuts.clone();
        result.size = size;
        if (end() > position) {
            result.shorten(position);
        }
        return result;
    }

    /** The cuts as numbers, from which {@link #of} makes the same list. */
    public int[] numbers() {
        return Arrays.copyOf(cuts, size);
    }

    /**
     * A list from its numbers.
     *
     * @return empty if these are no cuts
     */
    public static Optional<ChunkBoundaries> of(int[] numbers) {
        int end = 0;
        for (int number : numbers) {
            if (number < 0 || number % KINDS > PIECE || number / KINDS <= end) {
                return Optional.empty();
            }
            end = number / KINDS;
        }
        ChunkBoundaries result = new ChunkBoundaries();
        result.cuts = Arrays.copyOf(numbers, Math.max(8, numbers.length));
        result.size = numbers.length;
        return Optional.of(result);
    }

    /** Position behind the last forward, 0 without one. */
    public int end() {
        return size == 0 ? 0 : endOf(size - 1);
    }

    /** End of the forward that begins at or crosses a position before {@link #end}. */
    public int next(int position) {
        return endOf(indexAfter(position));
    }

    /** What that forward was; {@link ChunkKind#PIECE} if its window was never finished. */
    public ChunkKind stretchAt(int position) {
        return switch (cuts[indexAfter(position)] % KINDS) {
            case ROWS -> ChunkKind.ROWS;
            case PIECE -> ChunkKind.PIECE;
            default -> ChunkKind.WINDOW;
        };
    }

    private int endOf(int index) {
        return cuts[index] / KINDS;
    }

    /** First cut behind a position; the cuts ascend. */
    private int indexAfter(int position) {
        int index = countUpTo(position);
        if (index >= size) {
            throw new IllegalArgumentException("no cut behind position " + position);
        }
        return index;
    }
}
