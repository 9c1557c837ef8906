package dev.varve.platform.speculation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.TokenHistory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.stream.IntStream;

/** The speculator proposes the tokens after an earlier occurrence of the text's last tokens. */
class NgramSpeculatorTest {
    private static final int MOST = 5;

    private final NgramSpeculator speculator = new NgramSpeculator(MOST);

    private static TokenHistory history(int... tokens) {
        return new TokenHistory() {
            @Override
            public int size() {
                return tokens.length;
            }

            @Override
            public int get(int position) {
                return tokens[position];
            }
        };
    }

    private Draft guess(long sequence, int most, int... tokens) {
        return speculator
                .propose(List.of(new DraftRequest(sequence, history(tokens), most)))
                .getFirst();
    }

    @Test
    void earlierContinuationIsProposed() {
        assertArrayEquals(
                new int[] {4, 5, 6, 9}, guess(1, 4, 1, 2, 3, 4, 5, 6, 9, 1, 2, 3).tokens());
        assertArrayEquals(
                new int[] {4, 5, 6, 9, 1}, guess(1, 8, 1, 2, 3, 4, 5, 6, 9, 1, 2, 3).tokens());
        assertEquals(MOST, speculator.mostTokens());
    }

    /** An image of a conversation occurs in its prompt once, or again with equal numbers. */
    @Test
    void tokensOfImagesAreNeitherMatchedNorProposed() {
        assertArrayEquals(
                new int[] {4}, guess(1, 4, 1, 2, 3, 4, -7, -8, 5, 1, 2, 3).tokens(), "cut");
        assertEquals(Draft.NONE, guess(2, 4, 1, 2, 3, -7, 4, 5, 1, 2, 3), "nothing before it");
        assertEquals(Draft.NONE, guess(3, 4, -7, -8, -9, 4, 5, 6, -7, -8, -9), "an equal image");
        assertEquals(Draft.NONE, guess(4, 4, 9, -8, 1, 2, 5, 9, -8, 1, 2), "across an image");
        assertTrue(speculator.acceptsImages());
    }

    @Test
    void draftRepeatsItselfBeyondTheEnd() {
        assertArrayEquals(
                new int[] {7, 8, 9, 7, 8}, guess(1, 8, 7, 8, 9, 7, 8, 9).tokens(), "three tokens");
        assertArrayEquals(new int[] {7, 7, 7, 7, 7}, guess(2, 8, 7, 7, 7, 7).tokens(), "one");
    }

    @Test
    void textWithoutRepetitionHasNoDraft() {
        assertSame(Draft.NONE, guess(1, 4, 1, 2, 3, 4, 5, 1, 2));
        assertSame(Draft.NONE, guess(2, 4, 1));
    }

    /** 3 to 5 tokens, 6 to 11, 12 to 23 and so on. */
    @ParameterizedTest
    @CsvSource({"3, 0", "5, 0", "6, 1", "11, 1", "12, 2", "23, 2", "24, 3", "48, 4", "64, 4"})
    void eachDoublingOfTheMatchIsAGradeMore(int length, int grade) {
        int[] text =
                IntStream.concat(
                                IntStream.concat(
                                        IntStream.range(100, 100 + length), IntStream.of(1)),
                                IntStream.range(100, 100 + length))
                        .toArray();

        assertEquals(grade, guess(1, 1, text).grade());
    }

    @Test
    void sequencesHaveSeparateTexts() {
        int[] first = {1, 2, 3, 4, 1, 2, 3};
        int[] second = {1, 2, 3, 5, 1, 2, 3};

        List<Draft> drafts =
                speculator.propose(
                        List.of(
                                new DraftRequest(1, history(first), 1),
                                new DraftRequest(2, history(second), 1)));

        assertArrayEquals(new int[] {4}, drafts.get(0).tokens());
        assertArrayEquals(new int[] {5}, drafts.get(1).tokens());
    }

    /** Otherwise the speculator would apply the index of the old text to the new text. */
    @Test
    void removedSequenceStartsAnew() {
        guess(1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        speculator.forget(1);
        assertArrayEquals(new int[] {6}, guess(1, 1, 5, 5, 5, 6, 5, 5, 5).tokens());

        guess(2, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        speculator.close();
        assertArrayEquals(new int[] {6}, guess(2, 1, 5, 5, 5, 6, 5, 5, 5).tokens());
    }
}
