package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.cli.chat.ChatMessage;
import dev.varve.platform.cli.chat.ChatResponse;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Ctrl-C before, during and after a response. */
class RunningResponseTest {
    private static final ChatResponse RESPONSE =
            new ChatResponse(
                    new ChatMessage(ChatMessage.Role.ASSISTANT, ""),
                    ChatResponse.End.COMPLETE,
                    Optional.empty());

    private final RunningResponse running = new RunningResponse();
    private final List<String> calls = new ArrayList<>();

    private ChatResponse await(RunningResponse.Wait wait) throws InterruptedException {
        return running.await(() -> calls.add("stop"), () -> calls.add("cancel"), wait);
    }

    @Test
    void stopEndsTheResponseOnce() throws Exception {
        running.prepare();

        ChatResponse response =
                await(
                        () -> {
                            running.stop();
                            return RESPONSE;
                        });
        running.stop();

        assertSame(RESPONSE, response);
        assertEquals(List.of("stop"), calls);
    }

    @Test
    void stopBeforeTheResponseHasBegunEndsItAtItsBeginning() throws Exception {
        running.prepare();
        running.stop();

        assertTrue(running.isStopRequested());
        await(() -> RESPONSE);

        assertEquals(List.of("stop"), calls);
    }

    @Test
    void stopOfAnEarlierResponseDoesNotCount() throws Exception {
        running.stop();
        running.prepare();

        assertFalse(running.isStopRequested());
        await(() -> RESPONSE);

        assertEquals(List.of(), calls);
    }

    @Test
    void interruptionCancelsTheWork() {
        assertThrows(
                InterruptedException.class,
                () ->
                        await(
                                () -> {
                                    throw new InterruptedException();
                                }));
        running.stop();

        assertEquals(List.of("cancel"), calls);
    }
}
