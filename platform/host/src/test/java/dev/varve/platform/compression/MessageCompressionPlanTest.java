package dev.varve.platform.compression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

class MessageCompressionPlanTest {
    /** Everything old shrinks at once. */
    private static final MessageCompressionSettings EAGER = new MessageCompressionSettings(2, 0, 1);

    private static List<PromptMessage> messages(int count) {
        List<PromptMessage> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String role = i == 0 ? "system" : i % 2 == 1 ? "user" : "assistant";
            messages.add(new PromptMessage(Map.of("role", role, "content", "text " + i)));
        }
        return messages;
    }

    private static List<Integer> plan(MessageCompressionSettings settings, int... tokens) {
        return MessageCompressionPlan.of(messages(tokens.length), tokens, settings).shrinking();
    }

    @Test
    void firstAndRecentMessagesAreKept() {
        assertEquals(List.of(1, 2, 3), plan(EAGER, 900, 900, 900, 900, 900, 900));
        assertEquals(List.of(1), plan(EAGER, 900, 900, 900, 900));
        assertEquals(List.of(), plan(EAGER, 900, 900, 900));
        assertEquals(List.of(), plan(EAGER));
        assertEquals(List.of(1), plan(new MessageCompressionSettings(1, 0, 1), 900, 900, 900));
    }

    @ParameterizedTest
    @CsvSource({"511, false", "512, true"})
    void shortPromptIsKept(int tokens, boolean shrinks) {
        assertEquals(shrinks ? List.of(1) : List.of(), plan(EAGER, 9000, tokens, 9000, 9000));
    }

    @Test
    void shortMessagesAreKept() {
        MessageCompressionSettings long900 = new MessageCompressionSettings(2, 0, 900);

        assertEquals(List.of(2), plan(long900, 900, 899, 900, 10, 900, 900));
    }

    @Test
    void systemMessagesAndMessagesWithoutTextAreKept() {
        List<PromptMessage> messages = new ArrayList<>(messages(6));
        messages.set(1, new PromptMessage(Map.of("role", "system", "content", "rules")));
        messages.set(2, new PromptMessage(Map.of("role", "assistant", "content", "")));
        int[] tokens = new int[6];
        Arrays.fill(tokens, 900);

        assertEquals(List.of(3), MessageCompressionPlan.of(messages, tokens, EAGER).shrinking());
    }

    @Test
    void messagesAreCompressedInBatches() {
        MessageCompressionSettings steps = new MessageCompressionSettings(2, 2000, 500);

        assertEquals(List.of(), plan(steps, 9, 1000, 9, 9));
        assertEquals(List.of(), plan(steps, 9, 1000, 100, 1000, 9, 9));
        assertEquals(List.of(1, 3, 5), plan(steps, 9, 1000, 100, 1000, 9, 500, 9, 9));
        assertEquals(List.of(1, 3, 5), plan(steps, 9, 1000, 100, 1000, 9, 500, 9, 900, 9, 9));
        assertEquals(
                List.of(1, 3, 5, 7, 9),
                plan(steps, 9, 1000, 100, 1000, 9, 500, 9, 900, 9, 1900, 9, 9));
    }

    @Property(tries = 500)
    void compressedMessageStaysCompressedInLaterTurns(
            @ForAll @Size(min = 1, max = 40) List<@IntRange(max = 3000) Integer> lengths,
            @ForAll @IntRange(max = 8000) int waiting,
            @ForAll @IntRange(min = 1, max = 2000) int least) {
        MessageCompressionSettings settings = new MessageCompressionSettings(2, waiting, least);
        int[] tokens = lengths.stream().mapToInt(Integer::intValue).toArray();
        List<Integer> before = List.of();
        int verbatim = 0;
        for (int count = 1; count <= tokens.length; count++) {
            List<Integer> now = plan(settings, Arrays.copyOf(tokens, count));

            assertEquals(before, now.subList(0, before.size()), lengths + ", " + settings);
            assertTrue(now.stream().allMatch(i -> i >= 1), lengths.toString());
            int turn = count;
            assertTrue(now.stream().allMatch(i -> i < turn - 2), lengths.toString());
            verbatim = waiting(tokens, count, now, least);
            assertTrue(
                    verbatim <= Math.max(waiting, 511),
                    lengths + ", " + settings + ": " + verbatim);
            before = now;
        }
    }

    /** Tokens of long messages that are neither hot nor shrink. */
    private static int waiting(int[] tokens, int count, List<Integer> shrinking, int least) {
        int waiting = 0;
        for (int i = 1; i < count - 2; i++) {
            waiting += shrinking.contains(i) || tokens[i] < least ? 0 : tokens[i];
        }
        return waiting;
    }

    @Property(tries = 300)
    void batchingChangesAConversationRarely(
            @ForAll @Size(min = 10, max = 60)
                    List<@IntRange(min = 500, max = 1000) Integer> lengths) {
        int[] tokens = lengths.stream().mapToInt(Integer::intValue).toArray();
        MessageCompressionSettings settings = new MessageCompressionSettings(2, 4000, 500);
        int changes = 0;
        int shrinking = 0;
        for (int count = 1; count <= tokens.length; count++) {
            int now = plan(settings, Arrays.copyOf(tokens, count)).size();
            changes += now == shrinking ? 0 : 1;
            shrinking = now;
        }

        // More than 4000 tokens take five messages or more.
        assertTrue(changes <= tokens.length / 5, changes + " changes of " + lengths);
    }

    @Test
    void onlyCompressedMessagesGetAnotherText() {
        List<PromptMessage> messages = messages(6);
        MessageCompressionPlan plan = new MessageCompressionPlan(List.of(1, 3));

        List<PromptMessage> changed =
                plan.apply(
                        messages,
                        message ->
                                message.text().equals("text 3")
                                        ? Optional.empty()
                                        : Optional.of("short"));

        List<PromptMessage> expected = new ArrayList<>(messages);
        expected.set(1, messages.get(1).withText("short"));
        assertEquals(expected, changed);
        assertEquals("user", changed.get(1).role());
        assertTrue(new MessageCompressionPlan(List.of()).isEmpty());
    }

    @Test
    void invalidNumbersAreRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> MessageCompressionPlan.of(messages(3), new int[2], EAGER));
        for (int[] numbers : new int[][] {{0, 0, 1}, {1, -1, 1}, {1, 0, 0}}) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> new MessageCompressionSettings(numbers[0], numbers[1], numbers[2]));
        }
    }
}
