package dev.varve.platform.sequence;

import java.util.Arrays;
import java.util.Optional;

/**
 * End and kind of each forward of a sequence. Computing the sequence again with the same boundaries
 * gives the same numbers, bit for bit. The pieces of a window leave one boundary, at the end of the
 * last piece.
 */
public final class ChunkHistory {
    /** No forward; must not be modified. */
    public static final ChunkHistory NONE = new ChunkHistory();

    /** Tokens of each window of a prompt but the last. */
    public static final int WINDOW_TOKENS = 512;

    private static final int KINDS = 4;
    private static final int WINDOW = 0;
    private static final int ROWS = 1;

    /** A window whose last piece is missing. */
    private static final int PIECE = 2;

    /** Position after the forward, times {@value #KINDS}, plus the number of its kind. */
    private int[] boundaries = new int[8];

    private int size;

    /**
     * Appends a forward that ends after all others.
     *
     * @param kind its kind; pieces that follow a piece belong to the same window
     */
    public void add(int end, ChunkKind kind) {
        boolean continues = kind == ChunkKind.PIECE || kind == ChunkKind.LAST_PIECE;
        if (continues && endsInPiece()) {
            size--;
        } else if (size == boundaries.length) {
            boundaries = Arrays.copyOf(boundaries, 2 * size);
        }
        int code =
                switch (kind) {
                    case WINDOW, LAST_PIECE -> WINDOW;
                    case ROWS -> ROWS;
                    case PIECE -> PIECE;
                };
        boundaries[size++] = KINDS * end + code;
    }

    /** Position at which the last forward began, with all pieces of its window; 0 without one. */
    public int lastBegin() {
        return size < 2 ? 0 : endOf(size - 2);
    }

    /** Whether the last forward was a piece of a window that is not complete. */
    public boolean endsInPiece() {
        return size > 0 && boundaries[size - 1] % KINDS == PIECE;
    }

    /** Whether tokens after a position were decoded, rather than part of a window. */
    public boolean hasRowsBehind(int position) {
        for (int i = countUpTo(position); i < size; i++) {
            if (boundaries[i] % KINDS == ROWS) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the boundaries up to a position.
     *
     * @throws IllegalArgumentException if no forward ends there
     */
    public ChunkHistory upTo(int position) {
        int count = countUpTo(position);
        ChunkHistory result = new ChunkHistory();
        result.boundaries = Arrays.copyOf(boundaries, Math.max(8, count));
        result.size = count;
        if (result.end() != position) {
            throw new IllegalArgumentException("no chunk ends at position " + position);
        }
        return result;
    }

    /**
     * Moves a position within a window, at which a prompt shall resume, to the one before it if a
     * single token of the window would remain: it would be computed as a row, which gives other
     * bits than a window.
     *
     * @param tokens of the prompt
     */
    public static int cutBefore(int position, int tokens) {
        int begin = position / WINDOW_TOKENS * WINDOW_TOKENS;
        int end = Math.min(tokens, begin + WINDOW_TOKENS);
        return position > begin && end - position == 1 ? position - 1 : position;
    }

    /**
     * Returns the boundaries up to a position; a forward that crosses it ends there, as if its
     * later tokens had been discarded.
     *
     * @param position at most the last boundary
     */
    ChunkHistory cutAt(int position) {
        int count = countUpTo(position);
        if (count > 0 && endOf(count - 1) == position || position == 0) {
            return upTo(position);
        }
        ChunkHistory result = new ChunkHistory();
        result.boundaries = Arrays.copyOf(boundaries, Math.max(8, count + 1));
        result.size = count + 1;
        result.shorten(position);
        return result;
    }

    /**
     * Returns the boundaries of a prompt that was computed in windows of one length, up to a
     * position.
     *
     * @param window tokens of each window but the last
     */
    public static ChunkHistory ofWindows(int window, int position) {
        ChunkHistory result = new ChunkHistory();
        for (int end = window; end < position; end += window) {
            result.add(end, ChunkKind.WINDOW);
        }
        result.add(position, ChunkKind.WINDOW);
        return result;
    }

    /** Whether both lists are the same up to a position, at which a forward ended in both. */
    public boolean agrees(ChunkHistory other, int position) {
        return position == 0 || agreement(other, position) == position;
    }

    /**
     * Digest of all forwards that began before a position. Equal boundaries have equal digests;
     * different ones almost never do.
     */
    public long digest(int position) {
        int count = Math.min(size, countUpTo(position - 1) + 1);
        long digest = 1;
        for (int i = 0; i < count; i++) {
            digest = (digest ^ boundaries[i]) * 0x9E37_79B9_7F4A_7C15L;
            digest ^= digest >>> 29;
        }
        return digest;
    }

    /** Last position at or before the given one at which a forward ended. */
    int floor(int position) {
        int count = countUpTo(position);
        return count == 0 ? 0 : endOf(count - 1);
    }

    /**
     * Last position at or before the given one up to which both lists are the same. In both of them
     * a forward ended there: a forward that crosses a position was computed together with later
     * tokens, which gives other numbers.
     */
    int agreement(ChunkHistory other, int position) {
        int limit = Math.min(countUpTo(position), other.countUpTo(position));
        int mismatch = Arrays.mismatch(boundaries, 0, limit, other.boundaries, 0, limit);
        int same = mismatch < 0 ? limit : mismatch;
        return same == 0 ? 0 : endOf(same - 1);
    }

    /** Number of forwards that end at or before a position. */
    private int countUpTo(int position) {
        int found = Arrays.binarySearch(boundaries, 0, size, KINDS * position + KINDS - 1);
        return found >= 0 ? found + 1 : -found - 1;
    }

    /**
     * Shortens the last forward: its tokens after the given position are discarded.
     *
     * @throws IllegalArgumentException if it computed nothing before that position
     */
    void shorten(int end) {
        if (size == 0 || end > end() || end <= (size == 1 ? 0 : endOf(size - 2))) {
            throw new IllegalArgumentException("the last chunk does not include position " + end);
        }
        boundaries[size - 1] = KINDS * end + boundaries[size - 1] % KINDS;
    }

    /**
     * Returns a copy whose last forward ends at a position at the latest: tokens after it are
     * discarded.
     *
     * @throws IllegalArgumentException if the last forward computed nothing before that position
     */
    public ChunkHistory endingBy(int position) {
        ChunkHistory result = new ChunkHistory();
        result.boundaries = boundaries.clone();
        result.size = size;
        if (end() > position) {
            result.shorten(position);
        }
        return result;
    }

    /** The boundaries as numbers, from which {@link #of} creates an equal list. */
    public int[] numbers() {
        return Arrays.copyOf(boundaries, size);
    }

    /**
     * Creates a list from its numbers.
     *
     * @return empty if the numbers are not valid boundaries
     */
    public static Optional<ChunkHistory> of(int[] numbers) {
        int end = 0;
        for (int number : numbers) {
            if (number < 0 || number % KINDS > PIECE || number / KINDS <= end) {
                return Optional.empty();
            }
            end = number / KINDS;
        }
        ChunkHistory result = new ChunkHistory();
        result.boundaries = Arrays.copyOf(numbers, Math.max(8, numbers.length));
        result.size = numbers.length;
        return Optional.of(result);
    }

    /** Position after the last forward, 0 without one. */
    public int end() {
        return size == 0 ? 0 : endOf(size - 1);
    }

    /** End of the forward that begins at or crosses a position before {@link #end}. */
    public int next(int position) {
        return endOf(indexAfter(position));
    }

    /** Kind of that forward; {@link ChunkKind#PIECE} if its window was never completed. */
    public ChunkKind kindAt(int position) {
        return switch (boundaries[indexAfter(position)] % KINDS) {
            case ROWS -> ChunkKind.ROWS;
            case PIECE -> ChunkKind.PIECE;
            default -> ChunkKind.WINDOW;
        };
    }

    private int endOf(int index) {
        return boundaries[index] / KINDS;
    }

    /** Index of the first boundary after a position; the boundaries ascend. */
    private int indexAfter(int position) {
        int index = countUpTo(position);
        if (index >= size) {
            throw new IllegalArgumentException("no chunk ends after position " + position);
        }
        return index;
    }
}
