package dev.varve.platform.tokenizer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.model.PreTokenizer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;

/** Pre-tokenizers that a family brings. */
class FamilyPreTokenizerTest {
    /** Every character is a word, so nothing merges. */
    private static final PreTokenizer CHARACTERS =
            PreTokenizer.matching(Pattern.compile(".", Pattern.DOTALL));

    private static final PreTokenizer WHOLE = (text, begin, end, words) -> words.word(begin, end);

    @Test
    void familyPreTokenizerPrecedesThePlatform() {
        Tokenizer platforms = TestVocabulary.chat().tokenizer();
        Tokenizer familys = with("qwen35", CHARACTERS);

        assertEquals(1, platforms.encode("hello", false).length);
        assertArrayEquals(new int[] {'h', 'e', 'l', 'l', 'o'}, familys.encode("hello", false));
    }

    @Test
    void familyOnlyNameIsSupported() {
        Tokenizer tokenizer =
                Tokenizer.of(
                        TestVocabulary.ofBytes("acme").data(),
                        PreTokenizers.with(Map.of("acme", WHOLE)));

        assertArrayEquals(new int[] {'a', 'b'}, tokenizer.encode("ab", false));
    }

    @Test
    void unknownNameListsTheFamilyNamesToo() {
        VarveException refusal =
                assertThrows(
                        VarveException.class,
                        () ->
                                Tokenizer.of(
                                        TestVocabulary.ofBytes("none such").data(),
                                        PreTokenizers.with(Map.of("acme", WHOLE))));

        assertTrue(
                refusal.getMessage()
                        .startsWith("tokenizer.ggml.pre: expected one of [acme, chatglm-bpe, "),
                refusal.getMessage());
        assertTrue(
                refusal.getMessage().endsWith("tekken], found \"none such\""),
                refusal.getMessage());
    }

    @Test
    void textRoundTripsForAnyWords() {
        Random random = new Random(4711);
        PreTokenizer arbitrary =
                (text, begin, end, words) -> {
                    int at = begin;
                    for (int next = begin + 1; next <= end; next++) {
                        boolean whole = next == end || (text[next] & 0xC0) != 0x80;
                        if (whole && (next == end || random.nextInt(3) == 0)) {
                            words.word(at, next);
                            at = next;
                        }
                    }
                };
        Tokenizer tokenizer = with("qwen35", arbitrary);
        for (int round = 0; round < 2_000; round++) {
            String text = RandomText.of(random, RandomText.NASTY, random.nextInt(20));

            assertEquals(
                    text.replaceAll("\\p{Cs}", "\uFFFD"),
                    tokenizer.decode(tokenizer.encode(text, false)),
                    "round " + round);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gap", "overlap", "empty", "beyond", "short", "nothing", "inside"})
    void wordsThatLoseOrDuplicateTextAreRefused(String kind) {
        PreTokenizer broken =
                (text, begin, end, words) -> {
                    switch (kind) {
                        case "gap" -> words.word(begin + 1, end);
                        case "overlap" -> {
                            words.word(begin, begin + 2);
                            words.word(begin + 1, end);
                        }
                        case "empty" -> words.word(begin, begin);
                        case "beyond" -> words.word(begin, end + 1);
                        case "short" -> words.word(begin, end - 2);
                        case "inside" -> {
                            words.word(begin, end - 1);
                            words.word(end - 1, end);
                        }
                        default -> {}
                    }
                };

        VarveException refusal =
                assertThrows(
                        VarveException.class,
                        () -> with("qwen35", broken).encode("hello ü", false));

        assertTrue(
                refusal.getMessage().startsWith("pre-tokenizer qwen35: expected "),
                refusal.getMessage());
    }

    @Test
    void throwingPreTokenizerIsNamedWithoutTheText() {
        PreTokenizer throwing =
                (text, begin, end, words) -> {
                    throw new IllegalStateException(
                            new String(text, 0, end, StandardCharsets.UTF_8));
                };

        VarveException refusal =
                assertThrows(
                        VarveException.class, () -> with("qwen35", throwing).encode("key", false));

        assertEquals(
                "pre-tokenizer qwen35 failed: java.lang.IllegalStateException",
                refusal.getMessage());
    }

    @Test
    void preTokenizerThatLacksAClassIsNamed() {
        PreTokenizer torn =
                (text, begin, end, words) -> {
                    throw new NoClassDefFoundError("acme/Missing");
                };

        VarveException refusal =
                assertThrows(VarveException.class, () -> with("qwen35", torn).encode("key", false));

        assertEquals(
                "pre-tokenizer qwen35 failed: java.lang.NoClassDefFoundError",
                refusal.getMessage());
    }

    @Test
    void stackOverflowIsBlamedOnTheRequest() {
        PreTokenizer greedy = PreTokenizer.matching(Pattern.compile("(?:a|b)*"));
        Tokenizer tokenizer = with("qwen35", greedy);

        VarveException refusal =
                assertThrows(
                        VarveException.class, () -> tokenizer.encode("ab".repeat(1 << 20), false));

        assertEquals(VarveException.Kind.INVALID_REQUEST, refusal.kind());
    }

    @Test
    void preTokenizerCannotChangeTheTextOfOthers() {
        PreTokenizer vandal =
                (text, begin, end, words) -> {
                    Arrays.fill(text, (byte) 'x');
                    words.word(begin, end);
                };

        assertEquals(
                "hello",
                with("qwen35", vandal).decode(with("qwen35", vandal).encode("hello", false)));
    }

    private static Tokenizer with(String name, PreTokenizer brought) {
        return Tokenizer.of(
                TestVocabulary.chat().data(), PreTokenizers.with(Map.of(name, brought)));
    }
}
