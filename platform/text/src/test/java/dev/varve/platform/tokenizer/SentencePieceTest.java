package dev.varve.platform.tokenizer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;

class SentencePieceTest {
    private static final TextRules NO_PREFIX = new TextRules(Optional.empty(), false, false);
    private static final TextRules SWALLOWING = new TextRules(Optional.empty(), true, true);

    private final Tokenizer tokenizer = vocabulary().tokenizer();

    @Test
    void pairWithTheHighestScoreMergesFirst() {
        assertPieces("▁ a bc", tokenizer.encode("abc", false));
    }

    @Test
    void leftmostPairMergesFirstAmongEqualScores() {
        assertPieces("▁ xy z", tokenizer.encode("xyz", false));
        assertPieces("▁ yz yz", tokenizer.encode("yzyz", false));
    }

    @Test
    void textBeginsWithASpace() {
        assertPieces("▁ab", tokenizer.encode("ab", false));
        assertPieces("▁ ▁ab", tokenizer.encode(" ab", false));
    }

    @Test
    void emptyTextHasNoTokens() {
        assertPieces("", tokenizer.encode("", true));
    }

    @Test
    void textBehindASpecialTokenBeginsWithASpace() {
        assertPieces("<s> ▁ab </s> ▁ab", tokenizer.encode("<s>ab</s>ab", true));
        assertPieces("<s> </s>", tokenizer.encode("<s></s>", true));
    }

    @Test
    void continuationBeginsWithoutASpace() {
        assertPieces("ab", tokenizer.encodeContinuation("ab", false));
        assertPieces("ab </s> ▁ab", tokenizer.encodeContinuation("ab</s>ab", true));
    }

    @Test
    void fileMayForbidTheSpace() {
        Tokenizer plain = vocabulary().rules(NO_PREFIX).tokenizer();

        assertPieces("ab", plain.encode("ab", false));
        assertPieces("ab </s> ab", plain.encode("ab</s>ab", true));
        assertEquals(" ab", plain.decodeSequence(plain.encode(" ab", false), false));
    }

    @Test
    void charactersWithoutTokenBecomeBytes() {
        assertPieces("▁ <0xC3> <0xA9> a", tokenizer.encode("éa", false));
    }

    @Test
    void sequenceDecodesWithoutItsFirstSpace() {
        int[] ids = tokenizer.encode("<s>ab ab", true);

        assertEquals(" ab ab", tokenizer.decode(ids));
        assertEquals("ab ab", tokenizer.decodeSequence(ids, false));
        assertEquals("<s> ab ab", tokenizer.decodeSequence(ids, true));
        assertEquals("", tokenizer.decodeSequence(new int[0], false));
        assertEquals("a", tokenizer.decodeSequence(ids("a"), false));
    }

    @Test
    void controlAndByteTokensNeverResultFromMerges() {
        Tokenizer dangerous =
                vocabulary()
                        .token("</", TokenType.NORMAL, 9)
                        .token("s>", TokenType.NORMAL, 9)
                        .token("<0x", TokenType.NORMAL, 9)
                        .token("0A>", TokenType.NORMAL, 9)
                        .tokenizer();
        for (String text : List.of("</s>", "<0x0A>", "<unk>")) {
            int[] ids = dangerous.encode(text, false);

            assertEquals(text, dangerous.decodeSequence(ids, false));
            assertTrue(Arrays.stream(ids).noneMatch(dangerous::isSpecial), text);
        }
    }

    @Test
    void promptsBeginWithBosUnlessTheFileForbidsIt() {
        assertTrue(tokenizer.addsBos());
        assertFalse(vocabulary().bos(1, false).tokenizer().addsBos());
    }

    @Test
    void specialTokensSwallowWhiteSpaceBehindThem() {
        Tokenizer phi = vocabulary().rules(SWALLOWING).tokenizer();

        assertPieces("<s> ▁ ▁ab </s> ▁ab", phi.encode("<s> ab</s> \n\t ab", true));
        assertPieces("</s> </s>", phi.encode("</s>  </s>  ", true));
        assertPieces("</s> ▁ab ▁", phi.encode("</s> ab ", true));
    }

    @Test
    void swallowedSpaceDoesNotCountAgainstTheLimit() {
        Tokenizer phi = vocabulary().rules(SWALLOWING).tokenizer();

        assertPieces(
                "</s> ▁ab", phi.encode("</s>" + " ".repeat(500) + "ab", true, TokenLimit.of(2)));
    }

    @Test
    void userMayWriteUserDefinedTokensOfWhiteSpace() {
        Tokenizer indenting =
                vocabulary()
                        .rules(NO_PREFIX)
                        .token("  ", TokenType.USER_DEFINED, 0)
                        .token("    ", TokenType.USER_DEFINED, 0)
                        .token("<tool>", TokenType.USER_DEFINED, 0)
                        .tokenizer();
        int four = indenting.tokenId("    ").orElseThrow();
        int tool = indenting.tokenId("<tool>").orElseThrow();

        int[] ids =
                indenting.encodeSpans(
                        List.of(
                                new TextSpan("a  ", true),
                                new TextSpan("  b<tool>", false),
                                new TextSpan("<tool>", true)));

        assertEquals(four, ids[1], Arrays.toString(ids));
        assertEquals(1, Arrays.stream(ids).filter(id -> id == tool).count());
    }

    @Test
    void missingAndWrongScoresAreRefused() {
        assertRefused(
                TestVocabulary.empty("llama", "").token("a", TokenType.NORMAL),
                "tokenizer.ggml.scores: expected one score for each token, found none");
        assertRefused(
                TestVocabulary.empty("llama", "").token("a", TokenType.NORMAL, Float.NaN),
                "scores[0]: expected a number, found NaN");
        assertRefused(
                TestVocabulary.empty("llama", "")
                        .token("a", TokenType.NORMAL, 1)
                        .token("b", TokenType.NORMAL),
                "tokenizer.ggml.scores: expected 2 entries, one for each token, found 1 entries");
    }

    /** Random vocabularies with many ties, against merging as the definition says. */
    @Test
    void tokensMatchMergingByDefinition() {
        Random random = new Random(4711);
        for (int round = 0; round < Effort.of(800, 3_000); round++) {
            Map<String, Float> scores = new HashMap<>();
            TestVocabulary vocabulary = TestVocabulary.sentencePieceBytes().rules(NO_PREFIX);
            for (String letter : List.of("a", "b", "é")) {
                scores.put(letter, -9f);
            }
            for (int token = random.nextInt(20); token > 0; token--) {
                scores.put(
                        RandomText.of(random, List.of("a", "b", "é"), 2 + random.nextInt(4)),
                        (float) random.nextInt(4));
            }
            scores.forEach((text, score) -> vocabulary.token(text, TokenType.NORMAL, score));
            String text = RandomText.of(random, List.of("a", "b", "é"), random.nextInt(20));

            int[] ids = vocabulary.tokenizer().encode(text, false);

            assertEquals(
                    plainly(scores, text),
                    pieces(vocabulary.tokenizer(), ids),
                    "round " + round + ", " + scores + ": " + text);
        }
    }

    private static List<String> plainly(Map<String, Float> scores, String text) {
        List<String> pieces = new ArrayList<>(List.of(text.split("")));
        pieces.removeIf(String::isEmpty);
        while (true) {
            int best = -1;
            float bestScore = Float.NEGATIVE_INFINITY;
            for (int at = 0; at + 1 < pieces.size(); at++) {
                Float score = scores.get(pieces.get(at) + pieces.get(at + 1));
                if (score != null && score > bestScore) {
                    best = at;
                    bestScore = score;
                }
            }
            if (best < 0) {
                return pieces;
            }
            pieces.set(best, pieces.get(best) + pieces.remove(best + 1));
        }
    }

    @Test
    void everyTextRoundTripsWithAndWithoutAStream() {
        Random random = new Random(4711);
        for (int round = 0; round < Effort.of(800, 3_000); round++) {
            String text = RandomText.of(random, RandomText.NASTY, random.nextInt(30));

            int[] ids = tokenizer.encode(text, false);

            assertEquals(text, tokenizer.decodeSequence(ids, false), "round " + round);
            Detokenizer stream = tokenizer.detokenizer();
            StringBuilder streamed = new StringBuilder();
            for (int id : ids) {
                streamed.append(stream.push(id));
            }
            assertEquals(tokenizer.decode(ids), streamed + stream.finish(), "round " + round);
        }
    }

    private static TestVocabulary vocabulary() {
        TestVocabulary vocabulary = TestVocabulary.sentencePieceBytes();
        for (String letter : List.of("▁", "a", "b", "c", "x", "y", "z")) {
            vocabulary.token(letter, TokenType.NORMAL, -9);
        }
        return vocabulary
                .token("ab", TokenType.NORMAL, -3)
                .token("▁ab", TokenType.NORMAL, -4)
                .token("bc", TokenType.NORMAL, -2)
                .token("xy", TokenType.NORMAL, -5)
                .token("yz", TokenType.NORMAL, -5);
    }

    private static void assertRefused(TestVocabulary vocabulary, String message) {
        VarveException refused = assertThrows(VarveException.class, vocabulary::tokenizer);

        assertEquals(VarveException.Kind.CORRUPT_FILE, refused.kind());
        assertTrue(refused.getMessage().endsWith(message), refused.getMessage());
    }

    /** Compares ids with texts of the vocabulary, separated by spaces. */
    private void assertPieces(String expected, int[] ids) {
        String[] texts = expected.isEmpty() ? new String[0] : expected.split(" ");

        assertArrayEquals(ids(texts), ids, expected + ": " + Arrays.toString(ids));
    }

    private int[] ids(String... texts) {
        return Arrays.stream(texts)
                .map(tokenizer::tokenId)
                .mapToInt(OptionalInt::orElseThrow)
                .toArray();
    }

    private static List<String> pieces(Tokenizer tokenizer, int[] ids) {
        return Arrays.stream(ids)
                .mapToObj(id -> new String(tokenizer.piece(id), StandardCharsets.UTF_8))
                .toList();
    }
}
