package dev.varve.platform.tokenizer;

import dev.varve.api.model.PreTokenizer;

import java.util.function.IntPredicate;

/**
 * Makes words of the runs of a set of characters, {@code X{1,n}} or {@code \s?X+}, and of the text
 * between them.
 */
final class RunSplitter implements PreTokenizer {
    private final IntPredicate characters;
    private final int most;
    private final boolean spaceBefore;

    private RunSplitter(IntPredicate characters, int most, boolean spaceBefore) {
        this.characters = characters;
        this.most = most;
        this.spaceBefore = spaceBefore;
    }

    /** Words of at most {@code most} characters. */
    static RunSplitter of(IntPredicate characters, int most) {
        return new RunSplitter(characters, most, false);
    }

    /** Words of any length, each with the white space character before it. */
    static RunSplitter afterSpace(IntPredicate characters) {
        return new RunSplitter(characters, Integer.MAX_VALUE, true);
    }

    @Override
    public void split(byte[] text, int from, int to, Words words) {
        int between = from;
        for (int at = from; at < to; ) {
            int first = Utf8.codePointAt(text, at);
            int next = at + Utf8.length(first);
            int begin = characters.test(first) || !mayPrecede(first) ? at : next;
            int end = CharacterScan.end(text, begin, to, most, characters);
            if (end == begin) {
                at = next;
                continue;
            }
            if (between < at) {
                words.word(between, at);
            }
            words.word(at, end);
            at = end;
            between = end;
        }
        if (between < to) {
            words.word(between, to);
        }
    }

    private boolean mayPrecede(int codePoint) {
        return spaceBefore && CharacterKind.of(codePoint) == CharacterKind.SPACE;
    }
}
