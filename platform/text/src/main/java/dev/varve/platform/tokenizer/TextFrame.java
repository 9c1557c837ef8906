package dev.varve.platform.tokenizer;

import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * The tokens that models put around texts of which they compute vectors or scores.
 *
 * @param begin token before a text; empty for none
 * @param end token behind a text; empty for none
 * @param pairEnd token behind each of two texts; empty for none
 * @param separator token between two texts; empty for none
 */
public record TextFrame(
        OptionalInt begin, OptionalInt end, OptionalInt pairEnd, OptionalInt separator) {
    /** Nothing around texts. */
    static final TextFrame NONE =
            new TextFrame(
                    OptionalInt.empty(),
                    OptionalInt.empty(),
                    OptionalInt.empty(),
                    OptionalInt.empty());

    /** Returns a text with the tokens around it. */
    public int[] around(int[] text) {
        return join(begin.stream(), IntStream.of(text), end.stream());
    }

    /** Returns two texts with the tokens around and between them. */
    public int[] around(int[] first, int[] second) {
        return join(
                begin.stream(),
                IntStream.of(first),
                pairEnd.stream(),
                separator.stream(),
                IntStream.of(second),
                pairEnd.stream());
    }

    private static int[] join(IntStream... parts) {
        return java.util.Arrays.stream(parts).flatMapToInt(part -> part).toArray();
    }
}
