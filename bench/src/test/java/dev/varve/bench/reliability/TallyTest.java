package dev.varve.bench.reliability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.IntStream;

/** The tally counts faults of the server only, and a run can be repeated. */
class TallyTest {
    private static final Question QUESTION = new Question(0, "model-0", "Hi", 4);
    private static final Outcome.Complete EXPECTED = new Outcome.Complete("Hello", "stop");

    private final Tally tally = new Tally();

    private String add(Conduct conduct, Outcome outcome, boolean killed) {
        return tally.add(QUESTION, conduct, outcome, EXPECTED, killed);
    }

    @Test
    void intendedClientBehaviourIsASuccess() {
        assertEquals("", add(Conduct.STREAM, EXPECTED, false));
        assertEquals("", add(Conduct.LEAVE, new Outcome.Left(), false));
        assertEquals("", add(Conduct.CANCEL, new Outcome.Cancelled(), false));

        assertTrue(tally.isGood(), tally.summary(0));
    }

    @Test
    void unexpectedTextIsAnError() {
        String trouble = add(Conduct.WHOLE, new Outcome.Complete("Help", "stop"), true);

        assertTrue(trouble.contains("differs from character 3 of 5 on"), trouble);
        assertFalse(tally.isGood(), tally.summary(0));
    }

    @Test
    void unexpectedFinishReasonIsAnError() {
        add(Conduct.WHOLE, new Outcome.Complete("Hello", "length"), false);

        assertFalse(tally.isGood(), tally.summary(0));
    }

    @Test
    void failureCountsUnlessAProcessWasDown() {
        add(Conduct.STREAM, new Outcome.Failed("503"), true);
        assertTrue(tally.isGood(), tally.summary(1));

        add(Conduct.STREAM, new Outcome.Failed("500"), false);
        assertFalse(tally.isGood(), tally.summary(1));
    }

    @Test
    void seedDeterminesTheRequests() {
        List<Question> questions = Questions.of(7, 100, List.of("model-0"));
        List<Outcome.Complete> answers = questions.stream().map(each -> EXPECTED).toList();
        Mix one = new Mix(questions, answers, 1);
        Mix same = new Mix(Questions.of(7, 100, List.of("model-0")), answers, 1);
        Mix other = new Mix(questions, answers, 2);

        assertEquals(draws(one), draws(same));
        assertNotEquals(draws(one), draws(other));
        assertEquals(
                Conduct.values().length,
                draws(one).stream().map(Mix.Draw::conduct).distinct().count());
    }

    private static List<Mix.Draw> draws(Mix mix) {
        return IntStream.range(0, 300).mapToObj(number -> mix.draw(number, 3)).toList();
    }
}
