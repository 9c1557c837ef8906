package dev.varve.platform.compression.selection;

import static dev.varve.platform.compression.selection.TokenAlignedTextTest.cut;
import static dev.varve.platform.compression.selection.TokenAlignedTextTest.of;
import static dev.varve.platform.compression.selection.TokenAlignedTextTest.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

class WordBoundaryAdjustmentTest {
    private static Selection keep(int tokens, TokenRange... ranges) {
        return new Selection(
                tokens,
                Arrays.stream(ranges)
                        .map(range -> new KeptRange(range, KeepReason.SCORE))
                        .toList());
    }

    private static String repaired(TokenAlignedText pieces, TokenRange... ranges) {
        return joined(
                pieces, WordBoundaryAdjustment.USUAL.repair(keep(pieces.tokens(), ranges), pieces));
    }

    private static String joined(TokenAlignedText pieces, Selection selection) {
        return selection.runs().stream().map(pieces::text).collect(Collectors.joining("|"));
    }

    @Test
    void pieceGrowsToWhiteSpace() {
        TokenAlignedText pieces = of("one", " t", "w", "o", " three", " fo", "ur");

        assertEquals(" two", repaired(pieces, new TokenRange(2, 3)));
        assertEquals(" two", repaired(pieces, new TokenRange(1, 2)));
        assertEquals(" two three", repaired(pieces, new TokenRange(3, 5)));
        assertEquals(" four", repaired(pieces, new TokenRange(6, 7)));
        assertEquals("one", repaired(pieces, new TokenRange(0, 1)));
    }

    @Test
    void adjacentPiecesAreMerged() {
        TokenAlignedText pieces = of("one", " t", "w", "o", " three", " fo", "ur");

        assertEquals(" two", repaired(pieces, new TokenRange(1, 2), new TokenRange(3, 4)));
        assertEquals(
                List.of(new TokenRange(1, 5)),
                WordBoundaryAdjustment.USUAL
                        .repair(keep(7, new TokenRange(2, 3), new TokenRange(4, 5)), pieces)
                        .runs());
        assertEquals("one| three", repaired(pieces, new TokenRange(0, 1), new TokenRange(4, 5)));
    }

    @Test
    void addedTokensAreReported() {
        TokenAlignedText pieces = of("one", " t", "w", "o", " three");

        assertEquals(
                List.of(
                        new KeptRange(new TokenRange(1, 2), KeepReason.WORD),
                        new KeptRange(new TokenRange(2, 3), KeepReason.SCORE),
                        new KeptRange(new TokenRange(3, 4), KeepReason.WORD)),
                WordBoundaryAdjustment.USUAL.repair(keep(5, new TokenRange(2, 3)), pieces).kept());
    }

    /** Else "one" and "three" would become one word. */
    @Test
    void whiteSpaceBetweenPiecesIsKept() {
        TokenAlignedText pieces = of("one", "\n", "two", "\n", "three", "\n");

        assertEquals("one|\nthree", repaired(pieces, new TokenRange(0, 1), new TokenRange(4, 5)));
    }

    @Test
    void specialTokensAreNotPartOfWords() {
        TokenAlignedText pieces = of("a", "<end>", "b", "c", "<end>", "d");

        assertEquals("bc", repaired(pieces, new TokenRange(3, 4)));
        assertEquals("bc", repaired(pieces, new TokenRange(2, 3)));
        assertEquals("<end>", repaired(pieces, new TokenRange(1, 2)));
    }

    @Test
    void nothingIsAddedWithoutWhiteSpaceNearby() {
        String[] letters = IntStream.range(0, 200).mapToObj(i -> "x").toArray(String[]::new);
        TokenAlignedText pieces = of(letters);
        letters[75] = " ";
        letters[125] = " ";
        TokenAlignedText reachable = of(letters);
        letters[75] = "x";
        letters[74] = " ";
        TokenAlignedText far = of(letters);
        Selection selection = keep(200, new TokenRange(99, 101));

        assertEquals(
                List.of(new TokenRange(99, 101)),
                WordBoundaryAdjustment.USUAL.repair(selection, pieces).runs());
        assertEquals(
                List.of(new TokenRange(75, 125)),
                WordBoundaryAdjustment.USUAL.repair(selection, reachable).runs());
        assertEquals(
                List.of(new TokenRange(99, 125)),
                WordBoundaryAdjustment.USUAL.repair(selection, far).runs());
    }

    @Test
    void gapInsideAWordIsClosed() {
        TokenAlignedText pieces = of("x", "x", "x", "x", "x");

        assertEquals("xxxxx", repaired(pieces, new TokenRange(0, 1), new TokenRange(4, 5)));
    }

    @Property(tries = 500)
    void noCharacterIsSplit(
            @ForAll @IntRange(min = 1, max = 60) int characters,
            @ForAll @IntRange(max = 30) int mostTokens,
            @ForAll long seed) {
        Random random = new Random(seed);
        String text = text(random, characters);
        TokenAlignedText pieces = cut(text, random);
        Selection selection = keep(pieces.tokens(), runs(pieces.tokens(), random));

        Selection repaired = new WordBoundaryAdjustment(mostTokens).repair(selection, pieces);

        int at = 0;
        for (TokenRange run : repaired.runs()) {
            String piece = pieces.text(run);
            assertFalse(piece.contains("\ufffd"), text + ": " + piece);
            at = text.indexOf(piece, at) + piece.length();
            assertTrue(at >= piece.length(), text + ": " + piece);
        }
    }

    @Property(tries = 500)
    void keptTokensStayAndWordsAreWholeNearWhiteSpace(
            @ForAll @IntRange(min = 1, max = 60) int characters, @ForAll long seed) {
        Random random = new Random(seed);
        TokenAlignedText pieces = cut(text(random, characters), random);
        Selection selection = keep(pieces.tokens(), runs(pieces.tokens(), random));

        // Near enough, whatever the text.
        Selection repaired = new WordBoundaryAdjustment(pieces.tokens()).repair(selection, pieces);

        for (TokenRange run : selection.runs()) {
            assertTrue(
                    repaired.runs().stream()
                            .anyMatch(
                                    each -> each.begin() <= run.begin() && run.end() <= each.end()),
                    selection + " became " + repaired);
        }
        for (TokenRange run : repaired.runs()) {
            assertTrue(pieces.mayBegin(run.begin()), repaired.toString());
            assertTrue(pieces.mayEnd(run.end()), repaired.toString());
        }
        assertEquals(selection.keptTokens(), Texts.kept(repaired, KeepReason.SCORE));
    }

    @Property(tries = 300)
    void growthIsLimited(
            @ForAll @IntRange(min = 1, max = 60) int characters,
            @ForAll @IntRange(max = 5) int mostTokens,
            @ForAll long seed) {
        Random random = new Random(seed);
        TokenAlignedText pieces =
                of(
                        text(random, characters)
                                .codePoints()
                                .mapToObj(Character::toString)
                                .toArray(String[]::new));
        TokenRange[] runs = runs(pieces.tokens(), random);

        Selection repaired =
                new WordBoundaryAdjustment(mostTokens).repair(keep(pieces.tokens(), runs), pieces);

        for (KeptRange added : repaired.kept()) {
            if (added.reason() == KeepReason.WORD) {
                // Between two pieces both may have grown.
                assertTrue(added.tokens().size() <= 2 * mostTokens, repaired.toString());
            }
        }
    }

    private static TokenRange[] runs(int tokens, Random random) {
        List<TokenRange> runs = new ArrayList<>();
        int at = 0;
        while (at < tokens) {
            int begin = at + random.nextInt(tokens - at);
            int end = begin + 1 + random.nextInt(Math.min(5, tokens - begin));
            runs.add(new TokenRange(begin, end));
            at = end + 1;
        }
        return runs.toArray(TokenRange[]::new);
    }

    @Test
    void piecesOfAnotherTextAreRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () ->
                        WordBoundaryAdjustment.USUAL.repair(
                                keep(3, new TokenRange(0, 1)), of("a", "b")));
        assertThrows(IllegalArgumentException.class, () -> new WordBoundaryAdjustment(-1));
    }
}
