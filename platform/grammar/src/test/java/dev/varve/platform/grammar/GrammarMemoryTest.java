package dev.varve.platform.grammar;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.grammar.regex.GrammarLimitException;
import dev.varve.platform.grammar.source.TextGrammarSource;
import dev.varve.platform.sampling.TokenMask;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.Tokenizer;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** However many states texts go through, what is kept of a grammar stays within its bounds. */
class GrammarMemoryTest {
    private static final long MOST_BYTES = 64L << 20;
    private static final int STEPS = 300;

    /** Tokens of one text: a longer one would cost more than a text may. */
    private static final int LENGTH = 50;

    /** Any sequence of up to 17 letters is a state of its own. */
    private static final String MANY_STATES = "(a|b)*a(a|b){16}(0|1)*1(0|1){16}";

    private final Random random = new Random(1);

    private static Tokenizer tokenizer() {
        List<String> words = new ArrayList<>();
        for (int length = 2; length <= 10; length++) {
            for (int value = 0; value < 1 << length; value++) {
                String digits = Integer.toBinaryString(value | 1 << length).substring(1);
                words.add(digits);
                words.add(digits.replace('0', 'a').replace('1', 'b'));
            }
        }
        for (int value = 0; value < 150_000; value++) {
            words.add("w" + value);
        }
        return TestTokenizers.ofBytesAndWords(words, "<end>");
    }

    /** The tokens of letters or binary digits. */
    private static int[] tokens(Tokenizer tokenizer) {
        return IntStream.range(0, tokenizer.vocabularySize())
                .filter(
                        token ->
                                new String(tokenizer.piece(token), StandardCharsets.ISO_8859_1)
                                        .matches("[ab]+|[01]+"))
                .toArray();
    }

    @Test
    void expensiveTextIsEndedAndOthersContinue() {
        Tokenizer tokenizer = tokenizer();
        int[] tokens = tokens(tokenizer);
        TokenGrammar grammar =
                new GrammarCompiler(tokenizer).compile(new TextGrammarSource.Pattern(MANY_STATES));
        GrammarLimitException ended =
                assertThrows(
                        GrammarLimitException.class,
                        () -> {
                            GrammarState state = grammar.start();
                            for (int step = 0; step < 10 * STEPS; step++) {
                                state = next(state, tokens);
                            }
                        });

        assertEquals(
                "the grammar is too complex: the steps of one response took more than 12000000"
                        + " units of work",
                ended.getMessage());
        assertDoesNotThrow(() -> next(grammar.start(), tokens));
    }

    private GrammarState next(GrammarState state, int... tokens) {
        TokenMask mask = state.mask();
        int[] allowed = Arrays.stream(tokens).filter(mask::allows).toArray();
        return state.accept(allowed[random.nextInt(allowed.length)]).orElseThrow();
    }

    @Test
    @Tag("nightly")
    void grammarStaysWithinItsMemoryLimit() {
        Tokenizer tokenizer = tokenizer();
        int[] tokens = tokens(tokenizer);
        GrammarCompiler compiler = new GrammarCompiler(tokenizer);
        compiler.compile(new TextGrammarSource.Pattern("warm")).start().mask();
        long before = heap();
        TokenGrammar grammar = compiler.compile(new TextGrammarSource.Pattern(MANY_STATES));
        GrammarState state = grammar.start();
        long most = 0;
        int drops = 0;
        long last = 0;
        for (int step = 0; step < STEPS; step++) {
            TokenMask mask = state.mask();
            int[] allowed = Arrays.stream(tokens).filter(mask::allows).toArray();
            state =
                    allowed.length == 0 || step % LENGTH == LENGTH - 1
                            ? grammar.start()
                            : state.accept(allowed[random.nextInt(allowed.length)]).orElseThrow();
            long bytes = grammar.bytes();
            assertTrue(bytes <= MOST_BYTES, bytes + " bytes behind step " + step);
            most = Math.max(most, bytes);
            drops += bytes < last ? 1 : 0;
            last = bytes;
        }
        long held = heap() - before;
        System.out.println(
                most
                        + " bytes at most, "
                        + drops
                        + " times less than before, "
                        + last
                        + " at last");
        assertTrue(drops > 0, "it never had to forget anything: " + most);
        // Others in this process take and free memory, too, so only the bound itself is sure.
        assertTrue(held <= MOST_BYTES, held + " bytes held, counted " + last);
    }

    private static long heap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
