package dev.varve.platform.tokenizer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

class MergeLoopTest {
    /**
     * Random rules over three letters, results included that are no token; words where many pairs
     * tie.
     */
    @Test
    void tokensMatchGreedyPairMerging() {
        Random random = new Random(4711);
        for (int round = 0; round < 5_000; round++) {
            List<String> rules = randomRules(random);
            TestVocabulary vocabulary = TestVocabulary.ofBytes("qwen2");
            for (String rule : rules) {
                if (random.nextInt(5) > 0) {
                    vocabulary.token(rule.replace(" ", ""), TokenType.NORMAL);
                }
                vocabulary.rule(rule);
            }
            Tokenizer tokenizer = vocabulary.tokenizer();
            String word = RandomText.of(random, List.of("a", "b", "c"), 1 + random.nextInt(20));

            int[] ids = tokenizer.encode(word, false);

            assertArrayEquals(
                    plainly(tokenizer, rules, word),
                    ids,
                    "round " + round + ", " + rules + ": " + word);
        }
    }

    @Test
    void duplicateRuleHasTheRankOfItsFirst() {
        Tokenizer tokenizer =
                TestVocabulary.ofBytes("qwen2")
                        .merge("a", "b")
                        .merge("b", "c")
                        .rule("a b")
                        .tokenizer();

        assertArrayEquals(new int[] {256, 'c'}, tokenizer.encode("abc", false));
    }

    @Test
    void leftPartMayStartWithASpace() {
        Tokenizer tokenizer =
                TestVocabulary.empty("gemma4", "")
                        .token("x", TokenType.NORMAL)
                        .token("\u2581", TokenType.NORMAL)
                        .merge("  ", "x")
                        .tokenizer();

        assertTrue(tokenizer.describe().contains("1 merges"), tokenizer.describe());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "ab", " ab", "ab ", "  "})
    void ruleWithoutTwoPartsIsRefused(String rule) {
        TestVocabulary vocabulary = TestVocabulary.ofBytes("qwen2").merge("a", "b").rule(rule);

        VarveException refused = assertThrows(VarveException.class, vocabulary::tokenizer);

        assertEquals(VarveException.Kind.CORRUPT_FILE, refused.kind());
        assertTrue(refused.getMessage().contains("tokenizer.ggml.merges[1]"), refused.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"gpt2", "gemma4"})
    @Tag("nightly")
    void wordOfAMegabyteTakesLinearTime(String model) {
        TestVocabulary vocabulary =
                TestVocabulary.empty(model, "qwen35").token("a", TokenType.NORMAL);
        IntStream.range(0, 6)
                .forEach(power -> vocabulary.merge("a".repeat(1 << power), "a".repeat(1 << power)));
        Tokenizer tokenizer = vocabulary.tokenizer();
        String word = "a".repeat(1 << 20);

        int[] ids = assertTimeout(Duration.ofSeconds(60), () -> tokenizer.encode(word, true));

        assertEquals(1 << 20 >> 6, ids.length);
    }

    private static List<String> randomRules(Random random) {
        List<String> parts = new ArrayList<>(List.of("a", "b", "c"));
        List<String> rules = new ArrayList<>();
        for (int rule = 0; rule < 1 + random.nextInt(10); rule++) {
            String left = parts.get(random.nextInt(parts.size()));
            String right = parts.get(random.nextInt(parts.size()));
            parts.add(left + right);
            rules.add(left + " " + right);
        }
        return rules;
    }

    /** The definition, quadratic. */
    private static int[] plainly(Tokenizer tokenizer, List<String> rules, String word) {
        List<String> symbols = new ArrayList<>(List.of(word.split("")));
        while (true) {
            int best = -1;
            int bestRank = Integer.MAX_VALUE;
            for (int at = 0; at + 1 < symbols.size(); at++) {
                int rank = rules.indexOf(symbols.get(at) + " " + symbols.get(at + 1));
                if (rank >= 0 && rank < bestRank) {
                    best = at;
                    bestRank = rank;
                }
            }
            if (best < 0) {
                break;
            }
            symbols.set(best, symbols.get(best) + symbols.remove(best + 1));
        }
        return symbols.stream().flatMapToInt(symbol -> ids(tokenizer, symbol)).toArray();
    }

    private static IntStream ids(Tokenizer tokenizer, String symbol) {
        byte[] bytes = symbol.getBytes(StandardCharsets.US_ASCII);
        return tokenizer.tokenId(symbol).isPresent()
                ? tokenizer.tokenId(symbol).stream()
                : IntStream.range(0, bytes.length).map(at -> bytes[at]);
    }
}
