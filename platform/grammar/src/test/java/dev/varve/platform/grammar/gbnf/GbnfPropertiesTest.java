package dev.varve.platform.grammar.gbnf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.cfg.GrammarBuilder;
import dev.varve.platform.grammar.cfg.Recognizer;
import dev.varve.platform.grammar.regex.GrammarLimitException;
import dev.varve.platform.grammar.regex.RegexStore;
import dev.varve.platform.grammar.regex.WorkBudget;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;

/** Random grammars against a parser that works otherwise, and garbage. */
class GbnfPropertiesTest {
    private static final int SOAK = Integer.getInteger("varve.test.soak", 1);
    private static final int GRAMMARS = SOAK > 1 ? 1_000 * SOAK * SOAK : 400;
    private static final int TEXTS = 12;

    private static Recognizer recognizer(String grammar, long units) {
        WorkBudget budget = new WorkBudget();
        budget.allow(units);
        GrammarBuilder builder = new GrammarBuilder(new RegexStore(budget));
        return new Recognizer(builder.build(Gbnf.compile(grammar, builder)));
    }

    @Test
    void agreesWithAPlainParser() {
        int productive = 0;
        for (int seed = 0; seed < GRAMMARS; seed++) {
            RandomGrammars random = new RandomGrammars(new Random(seed));
            String grammar = random.grammar();
            try {
                compare(grammar, random, seed);
                productive++;
            } catch (GrammarException e) {
                assertTrue(e.getMessage().contains("finite"), e.getMessage());
            }
        }
        assertTrue(productive > GRAMMARS / 4, productive + " grammars had a text");
    }

    private static void compare(String grammar, RandomGrammars random, int seed) {
        Recognizer recognizer = recognizer(grammar, 1L << 26);
        Map<String, GbnfNode> rules = GbnfParser.parse(grammar);
        for (int i = 0; i < TEXTS; i++) {
            String text = random.text();
            boolean expected = PlainParser.matches(rules, text);
            boolean actual =
                    recognizer
                            .next(recognizer.start(), text.getBytes(StandardCharsets.UTF_8))
                            .accepts();
            assertEquals(expected, actual, "seed " + seed + ", text '" + text + "' of\n" + grammar);
        }
    }

    /** Whatever comes in, only the failures that are promised come out. */
    @Test
    void randomInputIsRefusedCleanly() {
        String[] words = {
            "root",
            "x",
            "::=",
            "\"a\"",
            "[a-z",
            "]",
            "(",
            ")",
            "|",
            "*",
            "+",
            "?",
            "{2",
            ",3}",
            "\n",
            "#",
            "\"",
            "\\",
            "\\x4",
            ".",
            " ",
            "é",
            "\uD800",
            "^",
            "-",
            "<",
            "root ::= ",
            "\nx ::= x"
        };
        for (int seed = 0; seed < GRAMMARS; seed++) {
            Random random = new Random(seed);
            StringBuilder grammar = new StringBuilder(random.nextBoolean() ? "root ::= " : "");
            for (int i = random.nextInt(20); i > 0; i--) {
                grammar.append(words[random.nextInt(words.length)]);
            }
            try {
                recognizer(grammar.toString(), 1L << 20).start();
            } catch (GrammarException | GrammarLimitException e) {
                // as promised
            }
        }
    }
}
