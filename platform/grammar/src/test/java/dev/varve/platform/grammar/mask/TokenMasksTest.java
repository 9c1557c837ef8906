package dev.varve.platform.grammar.mask;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.grammar.JsonGrammars;
import dev.varve.platform.grammar.cfg.GrammarBuilder;
import dev.varve.platform.grammar.cfg.ParseState;
import dev.varve.platform.grammar.cfg.Recognizer;
import dev.varve.platform.grammar.regex.RegexStore;
import dev.varve.platform.grammar.regex.WorkBudget;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Masks against reading each token of a vocabulary. */
class TokenMasksTest {
    private static final String[] PARTS = {
        "a", "b", "é", "€", "😀", "\"", "\\", "n", "{", "}", "[", "]", ",", ":", " ", "1", ".",
        "\n", "tr", "ue", "null"
    };

    private final WorkBudget budget = new WorkBudget();
    private final GrammarBuilder builder;

    TokenMasksTest() {
        budget.allow(Long.MAX_VALUE);
        builder = new GrammarBuilder(new RegexStore(budget));
    }

    /** Random tokens, some of them pieces of characters, equal to others, special or empty. */
    private static SortedVocabulary table(Random random) {
        List<byte[]> tokens = new ArrayList<>();
        for (int value = 0; value < 256; value++) {
            tokens.add(new byte[] {(byte) value});
        }
        for (int i = 0; i < 600; i++) {
            StringBuilder text = new StringBuilder();
            for (int count = 1 + random.nextInt(6); count > 0; count--) {
                text.append(PARTS[random.nextInt(PARTS.length)]);
            }
            byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
            int begin = random.nextInt(4) == 0 ? random.nextInt(bytes.length) : 0;
            tokens.add(java.util.Arrays.copyOfRange(bytes, begin, bytes.length));
        }
        tokens.add(new byte[0]);
        boolean[] special = new boolean[tokens.size()];
        special[300] = true;
        special[301] = true;
        return new SortedVocabulary(tokens.toArray(byte[][]::new), special);
    }

    private void check(int symbol, SortedVocabulary table, Random random) {
        Recognizer recognizer = new Recognizer(builder.build(symbol));
        TokenMasks masks = new TokenMasks(table, recognizer);
        ParseState state = recognizer.start();
        for (int step = 0; step < 40 && !state.isDead(); step++) {
            long[] mask = masks.mask(state);
            List<Integer> allowed = new ArrayList<>();
            for (int token = 0; token < table.size(); token++) {
                byte[] bytes = table.bytes(token);
                boolean may = bytes.length > 0 && !recognizer.next(state, bytes).isDead();
                int place = table.places()[token];
                assertEquals(
                        may,
                        (mask[place >> 6] >>> place & 1) != 0,
                        "'" + new String(bytes, StandardCharsets.UTF_8) + "' in step " + step);
                if (may) {
                    allowed.add(token);
                }
            }
            if (allowed.isEmpty()) {
                return;
            }
            int token = allowed.get(random.nextInt(allowed.size()));
            state = recognizer.next(state, table.bytes(token));
        }
    }

    @Property(tries = 30)
    void jsonMasksEqualTheMaskOfEachToken(@ForAll long seed) {
        Random random = new Random(seed);
        check(JsonGrammars.json(builder), table(random), random);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8, 200})
    void limitedStringMasksEqualTheMaskOfEachToken(int most) {
        RegexStore store = builder.store();
        for (int seed = 0; seed < 5; seed++) {
            Random random = new Random(seed);
            int string =
                    builder.terminal(
                            store.concat(
                                    store.literal("\""),
                                    JsonGrammars.characters(store, most / 2, most),
                                    store.literal("\"")));
            int key =
                    builder.terminal(
                            store.and(
                                    store.not(store.oneOf(List.of("\"ab\"", "\"a\"", "\"b1\""))),
                                    store.concat(
                                            store.literal("\""),
                                            JsonGrammars.characters(store, 0, Integer.MAX_VALUE),
                                            store.literal("\""))));
            int text = builder.nonterminal("text");
            builder.rule(text, string);
            builder.rule(text, text, builder.literal(","), key);
            check(text, table(random), random);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void specialTokensAreSeparateSymbols(int number) {
        SortedVocabulary table = table(new Random(number));
        int text =
                builder.sequence(
                        "text",
                        builder.terminal(
                                builder.store().literal(SortedVocabulary.specialBytes(300))),
                        builder.literal("a"),
                        builder.terminal(
                                builder.store().literal(SortedVocabulary.specialBytes(301))));
        check(text, table, new Random(number));
    }
}
