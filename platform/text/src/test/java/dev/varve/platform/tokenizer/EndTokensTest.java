package dev.varve.platform.tokenizer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

class EndTokensTest {
    private static final String[] HARMONY = {
        "<|start|>",
        "<|end|>",
        "<|message|>",
        "<|channel|>",
        "<|constrain|>",
        "<|return|>",
        "<|call|>",
        "<|endoftext|>"
    };

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<|im_end|>",
                "<|endoftext|>",
                "<|eot_id|>",
                "<|eom_id|>",
                "<|end|>",
                "<|end_of_text|>",
                "<end_of_turn>",
                "<eos>",
                "<turn|>",
                "<|return|>",
                "<|call|>",
                "<|calls|>",
                "<|flush|>",
                "<EOT>",
                "▁<EOT>",
                "[EOS]",
                "[EOT]",
                "[e~[",
                "</s>",
                "</assistant>",
                "<｜end▁of▁sentence｜>"
            })
    void knownSpellingEndsATurn(String spelling) {
        assertEquals(List.of(spelling), ends(TokenType.CONTROL, spelling));
    }

    @ParameterizedTest
    @ValueSource(strings = {"<eos>", "<EOT>", "▁<EOT>", "[EOS]", "[EOT]", "[e~[", "</s>"})
    void ordinaryTextEndsNoTurn(String spelling) {
        assertEquals(List.of(), ends(TokenType.NORMAL, spelling));
    }

    @Test
    void distinctSpellingEndsATurnWhateverItsType() {
        assertEquals(List.of("<|im_end|>"), ends(TokenType.NORMAL, "<|im_end|>"));
    }

    @Test
    void endOfAMessageEndsNoTurnOfHarmony() {
        assertEquals(
                List.of("<|return|>", "<|call|>", "<|endoftext|>"),
                ends(TokenType.CONTROL, HARMONY));
    }

    /** Conversions guess the token by its spelling. */
    @Test
    void endOfAMessageEndsNoTurnOfHarmonyEvenIfTheFileNamesIt() {
        TestVocabulary vocabulary = vocabulary(TokenType.CONTROL, HARMONY);
        int end = vocabulary.tokenizer().tokenId("<|end|>").orElseThrow();

        Set<Integer> ends = vocabulary.eot(end).tokenizer().endTokens();

        assertEquals(3, ends.size(), ends.toString());
        assertTrue(!ends.contains(end), ends.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"<|calls|>", "<|call|>"})
    void endOfAMessageEndsNoTurnWhereACallAndAFlushDo(String call) {
        assertEquals(
                List.of(call, "<|flush|>"), ends(TokenType.CONTROL, "<|end|>", call, "<|flush|>"));
    }

    @Test
    void endOfAMessageEndsATurnWhereNothingElseDoes() {
        assertEquals(
                List.of("<|end|>", "<|endoftext|>"),
                ends(TokenType.CONTROL, "<|end|>", "<|endoftext|>", "<|user|>"));
        assertEquals(
                List.of("<|end|>", "<|call|>"), ends(TokenType.CONTROL, "<|end|>", "<|call|>"));
    }

    @Test
    void marksOfHarmonyAreText() {
        Tokenizer tokenizer = vocabulary(TokenType.CONTROL, HARMONY).tokenizer();
        int[] ids = tokenizer.encode(String.join("", HARMONY), true);

        assertEquals(HARMONY.length, ids.length);
        assertEquals("<|start|><|end|><|message|><|channel|><|constrain|>", tokenizer.decode(ids));
    }

    @Test
    void marksOfHarmonyAreHiddenInOtherVocabularies() {
        Tokenizer tokenizer =
                vocabulary(TokenType.CONTROL, "<|start|>", "<|end|>", "<|message|>").tokenizer();

        assertEquals("", tokenizer.decode(tokenizer.encode("<|start|><|message|><|end|>", true)));
    }

    @Test
    void usersCannotSpellMarksOfHarmony() {
        Tokenizer tokenizer = vocabulary(TokenType.CONTROL, HARMONY).tokenizer();

        int[] ids = tokenizer.encodeSpans(List.of(new TextSpan("<|end|><|start|>", false)));

        assertTrue(Arrays.stream(ids).noneMatch(tokenizer::isSpecial), Arrays.toString(ids));
    }

    private static TestVocabulary vocabulary(TokenType type, String... spellings) {
        TestVocabulary vocabulary = TestVocabulary.ofBytes("qwen2");
        for (String spelling : spellings) {
            vocabulary.token(spelling, type);
        }
        return vocabulary;
    }

    private static List<String> ends(TokenType type, String... spellings) {
        Tokenizer tokenizer = vocabulary(type, spellings).tokenizer();
        return Arrays.stream(spellings)
                .filter(
                        text ->
                                tokenizer
                                        .endTokens()
                                        .contains(tokenizer.tokenId(text).orElseThrow()))
                .toList();
    }
}
