package dev.varve.platform.shard;

import dev.varve.api.vision.ImagePositions;

import java.util.List;

/**
 * The images of a sequence: their places, and the rows that enter the model in place of the rows of
 * tokens. Immutable.
 *
 * <p>A token has an index and positions. The index counts all tokens; it decides cache rows, masks
 * and limits. Positions are what rotary embeddings see: a time, a height and a width, which differ
 * inside an image, and lag behind the index after it.
 */
public final class SequenceImages {
    /** No images: all positions equal the index. */
    public static final SequenceImages NONE = new SequenceImages(List.of(), List.of());

    /** An id has 31 bits, and as many tokens as this have nearly those of a SHA-256. */
    private static final int LEAST_IDENTIFYING = 8;

    private final List<ImageSpan> spans;
    private final List<ImageRows> rows;

    /**
     * Creates images.
     *
     * @param spans ascending, without overlap
     * @param rows of each image, at least those that are computed
     */
    public SequenceImages(List<ImageSpan> spans, List<ImageRows> rows) {
        this.spans = List.copyOf(spans);
        this.rows = List.copyOf(rows);
        int before = 0;
        for (int i = 0; i < spans.size(); i++) {
            ImageSpan span = spans.get(i);
            if (span.begin() < before) {
                throw new IllegalArgumentException("images overlap at token " + span.begin());
            }
            before = span.end();
        }
        if (rows.size() != spans.size()) {
            throw new IllegalArgumentException(
                    rows.size() + " images have rows, of " + spans.size());
        }
    }

    /** Whether there are none. */
    public boolean isEmpty() {
        return spans.isEmpty();
    }

    /** Places of the images, ascending. */
    public List<ImageSpan> spans() {
        return spans;
    }

    /** Whether a token belongs to an image. */
    public boolean covers(int index) {
        for (ImageSpan span : spans) {
            if (index >= span.begin() && index < span.end()) {
                return true;
            }
        }
        return false;
    }

    /** Number of image tokens from {@code begin} up to {@code end}. */
    public int count(int begin, int end) {
        int count = 0;
        for (ImageSpan span : spans) {
            count += Math.max(0, Math.min(end, span.end()) - Math.max(begin, span.begin()));
        }
        return count;
    }

    /**
     * Returns the last position up to another one that is not inside an image. The ids of a few
     * image tokens are no proof that images are equal, and those of all of them are: a prefix of
     * another sequence that was compared up to {@code position} may be used up to the result.
     */
    public int border(int position) {
        for (ImageSpan span : spans) {
            if (position > span.begin() && position < span.end()) {
                return span.begin();
            }
        }
        return position;
    }

    /**
     * Returns the index after the last token that a token attends to in sliding layers: the one
     * after itself, or after its image.
     */
    public int visibleEnd(int index) {
        for (ImageSpan span : spans) {
            if (span.isIndivisible() && index >= span.begin() && index < span.end()) {
                return span.end();
            }
        }
        return index + 1;
    }

    /** Number of tokens that the batch with token {@code begin} has to contain; 1 for most. */
    public int indivisibleTokens(int begin) {
        return visibleEnd(begin) - begin;
    }

    /**
     * Returns where tokens from {@code begin} on have to end: images whose tokens attend to one
     * another are computed alone and in one batch, so that their bits depend on no other boundary.
     *
     * @param begin not inside such an image
     * @param end where they would end without images
     */
    public int batchEnd(int begin, int end) {
        for (ImageSpan span : spans) {
            if (span.isIndivisible() && begin < span.end()) {
                return begin < span.begin() ? Math.min(end, span.begin()) : span.end();
            }
        }
        return end;
    }

    /**
     * Returns where tokens before {@code end} began at the latest: behind the last image that was
     * computed alone.
     *
     * @param begin where they began without images
     */
    public int batchBegin(int begin, int end) {
        int result = begin;
        for (ImageSpan span : spans) {
            if (span.isIndivisible() && span.end() <= end) {
                result = Math.max(result, span.end());
            }
        }
        return result;
    }

    /** Whether the ids of every image's tokens prove which image it is. */
    public boolean areIdentified() {
        return spans.stream().allMatch(span -> span.tokens() >= LEAST_IDENTIFYING);
    }

    /** Index after the last image, 0 without images. */
    public int end() {
        return spans.isEmpty() ? 0 : spans.getLast().end();
    }

    /** Position of a token on the time axis, which is the only one of models with a single axis. */
    public int time(int index) {
        return position(index, Axis.TIME);
    }

    /** Position of a token on the height axis. */
    public int height(int index) {
        return position(index, Axis.HEIGHT);
    }

    /** Position of a token on the width axis. */
    public int width(int index) {
        return position(index, Axis.WIDTH);
    }

    private enum Axis {
        TIME,
        HEIGHT,
        WIDTH
    }

    private int position(int index, Axis axis) {
        int shift = 0;
        for (ImageSpan span : spans) {
            if (index < span.begin()) {
                break;
            }
            if (index < span.end() && span.positions() == ImagePositions.GRID) {
                int begin = span.begin() - shift;
                int place = index - span.begin();
                return switch (axis) {
                    case TIME -> begin;
                    case HEIGHT -> begin + place / span.columns();
                    case WIDTH -> begin + place % span.columns();
                };
            }
            shift += span.shift();
        }
        return index - shift;
    }

    /**
     * Receives consecutive rows of an image.
     *
     * @see #forEachRun
     */
    @FunctionalInterface
    public interface RunConsumer {
        /**
         * Accepts rows.
         *
         * @param index of the first row's token in the sequence
         * @param count number of rows
         * @param rows rows of the image
         * @param first number of the first row in {@code rows}
         */
        void accept(int index, int count, float[] rows, int first);
    }

    /** Passes the rows of the image tokens from {@code begin} up to {@code end}, ascending. */
    public void forEachRun(int begin, int end, RunConsumer consumer) {
        for (int i = 0; i < spans.size(); i++) {
            ImageSpan span = spans.get(i);
            int first = Math.max(begin, span.begin());
            int count = Math.min(end, span.end()) - first;
            if (count > 0) {
                ImageRows held = rows.get(i);
                consumer.accept(first, count, held.values(), first - span.begin() - held.first());
            }
        }
    }

    /** Returns whether the tokens have equal positions. */
    public boolean hasPlacesOf(SequenceImages other) {
        return spans.equals(other.spans);
    }
}
