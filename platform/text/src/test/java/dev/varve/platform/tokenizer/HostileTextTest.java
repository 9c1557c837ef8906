package dev.varve.platform.tokenizer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.preemption.PreemptionPoint;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A long run of one kind of character, which is one word or one text without words. Merging counts
 * its steps: a symbol that is read, a pair that is taken from the queue.
 */
class HostileTextTest {
    private static final int BYTES = Effort.of(100_000, 1_000_000);
    private static final int STEPS_PER_POINT = 1024;

    /** Each symbol is read and queued, and each merge queues two more pairs. */
    private static final int STEPS_PER_SYMBOL = 6;

    record Case(String name, Tokenizer tokenizer, String unit) {
        @Override
        public String toString() {
            return name + " " + unit.codePointAt(0);
        }
    }

    static List<Case> cases() {
        List<Case> cases = new ArrayList<>();
        for (String unit : List.of("a", "A", "\u0301", "你", "🦙", " ", "\n", "1", "!")) {
            cases.add(new Case("llama", sentencePiece(unit), unit));
            cases.add(new Case("byte level", byteLevel(unit), unit));
        }
        return cases;
    }

    /** The limit is for a merge that takes hours; this one takes a moment. */
    @ParameterizedTest
    @MethodSource("cases")
    @Timeout(60)
    void stepsGrowWithTheTextAlone(Case hostile) throws Exception {
        String text =
                hostile.unit()
                        .repeat(BYTES / hostile.unit().getBytes(StandardCharsets.UTF_8).length);
        AtomicInteger points = new AtomicInteger();

        int[] ids =
                PreemptionPoint.schedule(
                        () -> points.incrementAndGet(),
                        () -> hostile.tokenizer().encode(text, true));

        assertTrue(
                (long) points.get() * STEPS_PER_POINT <= STEPS_PER_SYMBOL * BYTES,
                points + " points");
        assertEquals(text, hostile.tokenizer().decodeSequence(ids, false));
    }

    /** Runs of 2, 4, ... 64 of a character are tokens, all with the same score. */
    private static Tokenizer sentencePiece(String unit) {
        TestVocabulary vocabulary = TestVocabulary.sentencePieceBytes();
        if (!unit.equals(" ")) {
            vocabulary.token("▁", TokenType.NORMAL, -1);
        }
        for (int length = 1; length <= 64; length *= 2) {
            vocabulary.token(unit.replace(' ', '▁').repeat(length), TokenType.NORMAL, -1);
        }
        return vocabulary.tokenizer();
    }

    private static Tokenizer byteLevel(String unit) {
        StringBuilder symbol = new StringBuilder();
        TestVocabulary vocabulary = TestVocabulary.ofBytes("gpt-4o");
        for (byte value : unit.getBytes(StandardCharsets.UTF_8)) {
            String next = new String(ByteAlphabet.encode(value & 0xFF), StandardCharsets.UTF_8);
            if (!symbol.isEmpty()) {
                vocabulary.merge(symbol.toString(), next);
            }
            symbol.append(next);
        }
        for (int length = 1; length <= 32; length *= 2) {
            vocabulary.merge(symbol.toString().repeat(length), symbol.toString().repeat(length));
        }
        return vocabulary.tokenizer();
    }
}
