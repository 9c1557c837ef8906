package dev.varve.platform.tokenizer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

class TokenizerTest {
    private final Tokenizer chat = TestVocabulary.chat().tokenizer();
    private final int start = chat.tokenId("<|start|>").orElseThrow();
    private final int think = chat.tokenId("<think>").orElseThrow();

    @Test
    void controlTokensAreRecognizedOnRequestOnly() {
        assertArrayEquals(new int[] {start, 'x'}, chat.encode("<|start|>x", true));
        assertFalse(contains(chat.encode("<|start|>x", false), start));
    }

    @Test
    void userDefinedTokensAreRecognizedInTextOfOneOrigin() {
        assertArrayEquals(new int[] {think, 'x'}, chat.encode("<think>x", false));
    }

    @Test
    void emptyTextHasNoTokens() {
        assertArrayEquals(new int[0], chat.encode("", true));
        assertEquals("", chat.decode(new int[0]));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\uD83E", "\uDD99", "a\uDD99\uD83Eb", "\uD83E\uD83E\uDD99"})
    void unpairedSurrogateBecomesTheReplacementCharacter(String text) {
        String repaired =
                text.replaceAll(
                        "[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]",
                        "\uFFFD");

        assertArrayEquals(chat.encode(repaired, false), chat.encode(text, false));
        assertTrue(chat.decode(chat.encode(text, false)).contains("\uFFFD"));
    }

    @Test
    void everyTextRoundTrips() {
        Random random = new Random(4711);
        for (int round = 0; round < 3_000; round++) {
            String text = RandomText.of(random, RandomText.NASTY, random.nextInt(30));

            assertEquals(text, chat.decode(chat.encode(text, false)), "round " + round);
        }
    }

    @Test
    void controlTokensHaveTextOnlyWhenRendered() {
        assertArrayEquals(new byte[0], chat.piece(start));
        assertEquals("<|start|>", text(chat.piece(start, true)));
        assertEquals("a<|start|><unk>", chat.decode(new int[] {'a', start, id("<unk>")}, true));
        assertEquals("a", chat.decode(new int[] {'a', start, id("<unk>")}));
    }

    @Test
    void userDefinedTokensAlwaysHaveTheirText() {
        assertEquals("<think>", text(chat.piece(think)));
    }

    @Test
    void unusedTokensNeverHaveText() {
        assertArrayEquals(new byte[0], chat.piece(id("[PAD]"), true));
    }

    @Test
    void charactersOutsideOfTheByteAlphabetAreLiteral() {
        Tokenizer tokenizer =
                TestVocabulary.ofBytes("qwen35").token("Ġ你!", TokenType.NORMAL).tokenizer();

        assertEquals(" 你!", text(tokenizer.piece(256)));
    }

    @Test
    void byteTokensDecodeToTheirByte() {
        Tokenizer tokenizer = gemma().tokenizer();

        assertArrayEquals(
                new byte[] {(byte) 0xF0},
                tokenizer.piece(tokenizer.tokenId("<0xF0>").orElseThrow()));
    }

    @Test
    void charactersMissingInTheVocabularyBecomeByteTokens() {
        Tokenizer tokenizer = gemma().tokenizer();

        int[] ids = tokenizer.encode("a é", true);

        assertArrayEquals(ids(tokenizer, "a", "\u2581", "<0xC3>", "<0xA9>"), ids);
        assertEquals("a é", tokenizer.decode(ids));
    }

    @Test
    void newlineRunTokenIsMatchedWhole() {
        Tokenizer tokenizer = gemma().tokenizer();

        assertArrayEquals(
                ids(tokenizer, "\n\n\n", "a", "\n", "a", "\n", "\n", "\n", "\n"),
                tokenizer.encode("\n\n\na\na\n\n\n\n", true));
    }

    @Test
    void mergeResultThatIsNoTokenFallsBackToBytes() {
        Tokenizer tokenizer = TestVocabulary.ofBytes("qwen35").rule("a b").tokenizer();

        assertArrayEquals(new int[] {'a', 'b'}, tokenizer.encode("ab", false));
    }

    @Test
    void tokenTypesAreDistinguished() {
        assertTrue(chat.isSpecial(start));
        assertTrue(chat.isSpecial(think));
        assertFalse(chat.isSpecial('a'));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, 1_000_000})
    void idOutsideOfTheVocabularyIsRefused(int id) {
        for (Callable<?> use :
                List.<Callable<?>>of(
                        () -> chat.piece(id),
                        () -> chat.isSpecial(id),
                        () -> chat.decode(new int[] {'a', id}))) {
            IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, use::call);
            assertTrue(refused.getMessage().contains(Integer.toString(id)), refused.getMessage());
        }
    }

    @Test
    void tokensAreFoundByTheirSpellingInTheFile() {
        assertEquals("hello", text(chat.piece(id("hello"))));
        assertEquals(" world", text(chat.piece(id("Ġworld"))));
        assertEquals(OptionalInt.empty(), chat.tokenId("no such token"));
    }

    @Test
    void mergeResultsThatAreNoTokensAreNotFound() {
        assertEquals(
                OptionalInt.empty(),
                TestVocabulary.ofBytes("qwen35").rule("a b").tokenizer().tokenId("ab"));
    }

    @Test
    void fileDeterminesBosOfByteLevelPrompts() {
        assertFalse(TestVocabulary.ofBytes("qwen35").bos(1, false).tokenizer().addsBos());
        assertTrue(TestVocabulary.ofBytes("qwen35").bos(1, true).tokenizer().addsBos());
        assertFalse(TestVocabulary.ofBytes("qwen35").tokenizer().addsBos());
        assertEquals(OptionalInt.empty(), TestVocabulary.ofBytes("qwen35").tokenizer().bosId());
    }

    @ParameterizedTest
    @ValueSource(strings = {"llama-bpe", "llama3", "pixtral", "falcon3", "tekken"})
    void preTokenizerDemandsBosUnlessTheFileForbidsIt(String pre) {
        assertTrue(TestVocabulary.ofBytes(pre).bos(1).tokenizer().addsBos());
        assertFalse(TestVocabulary.ofBytes(pre).bos(1, false).tokenizer().addsBos());
        assertFalse(TestVocabulary.ofBytes(pre).tokenizer().addsBos());
    }

    @ParameterizedTest
    @ValueSource(strings = {"qwen2", "glm4", "gpt-4o", "gpt-2", "deepseek-v3", "seed-coder"})
    void preTokenizerWithoutBosAddsItOnlyOnDemand(String pre) {
        assertFalse(TestVocabulary.ofBytes(pre).bos(1).tokenizer().addsBos());
        assertTrue(TestVocabulary.ofBytes(pre).bos(1, true).tokenizer().addsBos());
    }

    @ParameterizedTest
    @ValueSource(strings = {"llama-bpe", "tekken"})
    void wordThatIsATokenIsTakenBeforeMerging(String pre) {
        Tokenizer tokenizer =
                TestVocabulary.ofBytes(pre)
                        .merge("b", "c")
                        .token("abc", TokenType.NORMAL)
                        .token("Ġ", TokenType.NORMAL)
                        .token("Ġé", TokenType.NORMAL)
                        .token("xyz", TokenType.CONTROL)
                        .byteToken(" é".getBytes(StandardCharsets.UTF_8))
                        .tokenizer();

        assertArrayEquals(new int[] {257}, tokenizer.encode("abc", false));
        assertArrayEquals(new int[] {261}, tokenizer.encode(" é", false));
        assertArrayEquals(new int[] {'a', 256, 'd'}, tokenizer.encode("abcd", false));
        assertArrayEquals(new int[] {'x', 'y', 'z'}, tokenizer.encode("xyz", false));
    }

    @Test
    void wordsOfOtherPreTokenizersAreMerged() {
        Tokenizer tokenizer =
                TestVocabulary.ofBytes("glm4")
                        .merge("b", "c")
                        .token("abc", TokenType.NORMAL)
                        .tokenizer();

        assertArrayEquals(new int[] {'a', 256}, tokenizer.encode("abc", false));
    }

    @Test
    void gemmaPromptsAlwaysBeginWithBos() {
        assertTrue(gemma().bos(0, false).tokenizer().addsBos());
    }

    @Test
    void endTokensAreThoseOfTheFileAndOfKnownSpellings() {
        Tokenizer tokenizer =
                TestVocabulary.ofBytes("qwen35")
                        .token("<|im_end|>", TokenType.CONTROL)
                        .token("<|endoftext|>", TokenType.CONTROL)
                        .token("<|im_start|>", TokenType.CONTROL)
                        .eos(3)
                        .tokenizer();

        assertEquals(Set.of(3, 256, 257), tokenizer.endTokens());
    }

    @Test
    void eosOfASentenceDoesNotEndATurn() {
        assertEquals(
                Set.of(),
                TestVocabulary.ofBytes("qwen35")
                        .token("</s>", TokenType.NORMAL)
                        .tokenizer()
                        .endTokens());
        assertEquals(
                Set.of(256),
                TestVocabulary.ofBytes("qwen35")
                        .token("</s>", TokenType.CONTROL)
                        .tokenizer()
                        .endTokens());
    }

    @Test
    void eosDoesNotEndATurnWhereAToolResponseDoes() {
        Tokenizer tokenizer =
                TestVocabulary.ofBytes("qwen35")
                        .token("</s>", TokenType.CONTROL)
                        .token("<|tool_response>", TokenType.USER_DEFINED)
                        .tokenizer();

        assertEquals(Set.of(257), tokenizer.endTokens());
    }

    @Test
    void suppressedTokensAreThoseOfTheFile() {
        assertArrayEquals(
                new int[] {5, 7},
                TestVocabulary.ofBytes("qwen35").suppress(5, 7).tokenizer().suppressedTokens());
    }

    @Test
    void unknownPreTokenizerIsRefusedWithTheKnownOnes() {
        assertRefused(
                TestVocabulary.ofBytes("acme"),
                "tokenizer.ggml.pre: expected one of [chatglm-bpe, codeshell, ",
                "jina-*, ",
                ", tekken], found \"acme\"");
        assertRefused(TestVocabulary.ofBytes(""), "tokenizer.ggml.pre", "none");
    }

    @Test
    void unknownModelIsRefusedWithTheKnownOnes() {
        assertRefused(
                TestVocabulary.empty("rwkv", "").token("a", TokenType.NORMAL),
                "tokenizer.ggml.model: expected one of [bert, gemma4, gpt2, llama, t5], found"
                        + " \"rwkv\"");
    }

    @Test
    void specialIdOutsideOfTheVocabularyIsRefused() {
        VarveException refused =
                assertThrows(
                        VarveException.class,
                        () -> TestVocabulary.ofBytes("qwen35").eos(256).tokenizer());

        assertEquals(VarveException.Kind.CORRUPT_FILE, refused.kind());
        assertTrue(refused.getMessage().contains("eos_token_id"), refused.getMessage());
    }

    @Test
    void tokenizerIsThreadSafe() throws ExecutionException, InterruptedException {
        List<String> texts =
                IntStream.range(0, 200)
                        .mapToObj(seed -> RandomText.of(new Random(seed), RandomText.NASTY, 60))
                        .toList();
        List<String> expected =
                texts.stream().map(text -> Arrays.toString(chat.encode(text, true))).toList();
        Tokenizer shared = TestVocabulary.chat().tokenizer();
        Callable<List<String>> encodeAll =
                () ->
                        texts.stream()
                                .map(text -> Arrays.toString(shared.encode(text, true)))
                                .toList();
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            for (Future<List<String>> one : threads.invokeAll(Collections.nCopies(4, encodeAll))) {
                assertEquals(expected, one.get());
            }
        }
    }

    private static TestVocabulary gemma() {
        TestVocabulary vocabulary =
                TestVocabulary.empty("gemma4", "").token("<bos>", TokenType.CONTROL);
        for (int value = 0; value < 256; value++) {
            vocabulary.token(text(ByteToken.text(value)), TokenType.BYTE);
        }
        return vocabulary
                .token("a", TokenType.NORMAL)
                .token("\u2581", TokenType.NORMAL)
                .token("\n", TokenType.NORMAL)
                .token("\n\n\n", TokenType.NORMAL);
    }

    private static void assertRefused(TestVocabulary vocabulary, String... parts) {
        VarveException refused = assertThrows(VarveException.class, vocabulary::tokenizer);
        assertEquals(VarveException.Kind.UNSUPPORTED_MODEL, refused.kind());
        for (String part : parts) {
            assertTrue(refused.getMessage().contains(part), refused.getMessage());
        }
    }

    private int id(String text) {
        return chat.tokenId(text).orElseThrow();
    }

    private static int[] ids(Tokenizer tokenizer, String... spellings) {
        return Arrays.stream(spellings)
                .mapToInt(text -> tokenizer.tokenId(text).orElseThrow())
                .toArray();
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static boolean contains(int[] ids, int id) {
        return Arrays.stream(ids).anyMatch(each -> each == id);
    }
}
