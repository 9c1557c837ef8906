package dev.varve.platform.compression.pages;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.shard.PagePoolSizing;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.Tokenizer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** The tokens that a drafter reads for a text whose tokens are, or are not, its own. */
class TokenMappingTest {
    private static final List<String> WORDS =
            List.of("the", " stone", "größe", "石", "🦙🦙", "\n\n", "Grüße aus ", "e", "€5");

    private static final Tokenizer MODEL =
            TestTokenizers.ofBytesAndWords(WORDS, "<s>", "</s>", "<|only|>");

    /** Its tokens are bytes, but for what both call by one name. */
    private static final Tokenizer DRAFTER = TestTokenizers.ofBytes("</s>", "<s>");

    /** An id of which a model may have logits, and its tokenizer no text. */
    private static final int NO_TOKEN = MODEL.vocabularySize() + 3;

    static LongStream seeds() {
        return LongStream.range(0, 60);
    }

    /**
     * Words, control tokens, ids without text, and characters cut into bytes, or only half there.
     */
    private static int[] tokens(long seed) {
        Random random = new Random(seed);
        List<Integer> tokens = new ArrayList<>();
        int count = 1 + random.nextInt(400);
        while (tokens.size() < count) {
            switch (random.nextInt(8)) {
                case 0 -> tokens.add(NO_TOKEN);
                case 1 -> tokens.add(256 + random.nextInt(3));
                case 2 -> tokens.add(random.nextInt(256));
                case 3, 4, 5 -> {
                    byte[] bytes =
                            WORDS.get(random.nextInt(WORDS.size()))
                                    .getBytes(StandardCharsets.UTF_8);
                    for (byte value : bytes) {
                        tokens.add(value & 0xFF);
                    }
                }
                default -> tokens.add(259 + random.nextInt(WORDS.size()));
            }
        }
        return tokens.stream().mapToInt(Integer::intValue).toArray();
    }

    /** The text of the first tokens; what is no character, or not yet one, has no part in it. */
    private static String text(int[] tokens, int count) {
        byte[][] pieces =
                IntStream.of(tokens)
                        .limit(count)
                        .mapToObj(id -> id == NO_TOKEN ? new byte[0] : MODEL.piece(id, true))
                        .toArray(byte[][]::new);
        ByteBuffer bytes = ByteBuffer.allocate(Arrays.stream(pieces).mapToInt(p -> p.length).sum());
        Arrays.stream(pieces).forEach(bytes::put);
        CharBuffer text = CharBuffer.allocate(bytes.capacity());
        StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.IGNORE)
                .decode(bytes.flip(), text, false);
        return text.flip().toString();
    }

    private static int bytes(int[] tokens, int count) {
        return text(tokens, count).getBytes(StandardCharsets.UTF_8).length;
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void textEndsBeforeIncompleteCharactersOfEachToken(long seed) {
        int[] tokens = tokens(seed);

        TokenText text =
                TokenText.of(tokens, id -> id == NO_TOKEN ? new byte[0] : MODEL.piece(id, true));

        assertEquals(text(tokens, tokens.length), text.text());
        for (int token = 0; token <= tokens.length; token++) {
            assertEquals(bytes(tokens, token), text.bytesBefore(token), "before " + token);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void drafterTokenCountsForThePageOfItsMiddle(long seed) {
        int[] tokens = tokens(seed);
        TokenMapping mapping = TokenMapping.between(MODEL, DRAFTER);

        DrafterInput read = mapping.of(tokens);

        assertInstanceOf(TokenMapping.ThroughText.class, mapping);
        assertEquals(PagePoolSizing.pages(tokens.length), read.count());
        assertEquals(text(tokens, tokens.length), DRAFTER.decode(read.ids(), true));
        int begin = 0;
        for (int token = 0; token < read.ids().length; token++) {
            int length = DRAFTER.piece(read.ids()[token], true).length;
            double middle = begin + length / 2.0;
            int page = read.pages()[token];
            int end = Math.min(tokens.length, (page + 1) * PagePoolSizing.PAGE);
            assertTrue(middle < bytes(tokens, end), "token " + token + " lies behind its page");
            assertTrue(
                    middle >= bytes(tokens, page * PagePoolSizing.PAGE),
                    "token " + token + " lies before its page");
            begin += length;
        }
    }

    @Test
    void tokensOfTheSameVocabularyAreUnchanged() {
        int[] tokens = tokens(7);

        DrafterInput read = TokenMapping.between(MODEL, MODEL).of(tokens);

        int[] known = IntStream.of(tokens).filter(id -> id != NO_TOKEN).toArray();
        assertArrayEquals(known, read.ids());
        int[] pages =
                IntStream.range(0, tokens.length)
                        .filter(position -> tokens[position] != NO_TOKEN)
                        .map(position -> position / PagePoolSizing.PAGE)
                        .toArray();
        assertArrayEquals(pages, read.pages());
    }

    /** As many tokens are not the same ones. */
    @Test
    void vocabulariesOfEqualSizeAreNotAssumedEqual() {
        Tokenizer other = TestTokenizers.ofBytes("<s>", "<t>");

        assertInstanceOf(
                TokenMapping.ThroughText.class,
                TokenMapping.between(TestTokenizers.ofBytes("<s>", "</s>"), other));
        assertInstanceOf(TokenMapping.SameIds.class, TokenMapping.between(other, other));
    }

    @Test
    void pageScoreIsTheMeanOfItsTokensOrOfAll() {
        DrafterInput read = new DrafterInput(new int[5], new int[] {0, 0, 2, 3, 4}, 4);

        assertArrayEquals(new float[] {2, 0, -1, 5}, read.means(new double[] {1, 3, -1, 5, 1000}));
    }

    @Test
    void historyWithoutTextHasNoTokens() {
        DrafterInput read =
                TokenMapping.between(MODEL, DRAFTER).of(new int[] {NO_TOKEN, 0xE2, 0x82, NO_TOKEN});

        assertArrayEquals(new int[0], read.ids());
        assertArrayEquals(new float[] {0}, read.means(new double[0]));
    }
}
