package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;

/** The chat of the installation with a demo model, on a terminal and without one. */
@Timeout(300)
class ChatIT {
    /** The editor waits for an input: the prompt, behind the switch for pasted text. */
    private static final String PROMPT = "\033[?2004h>>> ";

    @TempDir static Path folder;

    private static Varve varve;

    @BeforeAll
    static void findModel() throws Exception {
        DemoFamily.QWEN35.requireInstalled();
        varve =
                new Varve(Varve.INSTALLATION, folder)
                        .with("XDG_STATE_HOME", folder.resolve("state").toString());
    }

    @Test
    void turnsAreAnsweredFromTheCache() throws Exception {
        assumeTrue(TerminalSession.isAvailable(), "script of util-linux is missing");
        try (TerminalSession session =
                varve.onTerminal("chat", DemoFamily.QWEN35.reference(), "--temp", 0)) {
            session.await(PROMPT);
            session.type("What is 7 + 5?\r");
            assertTrue(session.await(PROMPT).contains("12"));
            session.type("What is 7 + 6?\r");
            assertTrue(session.await(PROMPT).contains("13"));
            session.type("/stats\r");
            String statistics = session.await(PROMPT);
            assertTrue(statistics.contains(" prompt tokens, "), statistics);
            assertFalse(statistics.contains(", 0 of them cached"), statistics);
            session.type("\4");

            assertEquals(0, session.status());
        }
        assertTrue(
                Files.readString(folder.resolve("state/varve/chat-history"))
                        .startsWith("What is 7 + 5?\n"));
    }

    /** Without an end token a response would fill the context. */
    @Test
    void generateWithoutAPromptStartsAChatInWhichCtrlCStopsTheResponseOnly() throws Exception {
        assumeTrue(TerminalSession.isAvailable(), "script of util-linux is missing");
        try (TerminalSession session =
                varve.onTerminal(
                        "generate",
                        DemoFamily.QWEN35.reference(),
                        "--temp",
                        0,
                        "--ignore-eos",
                        "--log-level",
                        "off")) {
            session.await(PROMPT);
            session.type("What is 7 + 5?\r");
            session.await("12");
            session.type("\3");
            assertTrue(session.await(PROMPT).contains("[stopped; the part above stays"));
            session.type("/undo\r");
            assertTrue(session.await(PROMPT).contains("removed the last message"));
            session.type("What is 7 + 6?\r");
            session.await("13");
            session.type("\3");
            assertTrue(session.await(PROMPT).contains("[stopped; the part above stays"));
            session.type("\3");
            assertTrue(session.await(PROMPT).contains("press Ctrl-C again or Ctrl-D to leave"));
            session.type("\3");

            assertEquals(0, session.status());
        }
    }

    /** A Ctrl-C on an empty line that counted twice would leave the chat. */
    @Test
    void ctrlCCountsOnce() throws Exception {
        assumeTrue(TerminalSession.isAvailable(), "script of util-linux is missing");
        try (TerminalSession session =
                varve.onTerminal("generate", DemoFamily.QWEN35.reference(), "--log-level", "off")) {
            session.await(PROMPT);
            for (int i = 0; i < 50; i++) {
                session.type("\3");
                assertTrue(session.await(PROMPT).contains("press Ctrl-C again"));
                session.type("a\3");
                assertFalse(session.await(PROMPT).contains("press Ctrl-C again"));
            }
            session.type("\4");

            assertEquals(0, session.status());
        }
    }

    /** Only so much is tokenised as shows that the message is too long. */
    @Test
    void messageThatExceedsTheContextFails() throws Exception {
        Varve.Outcome outcome =
                varve.runWithInput(
                        "7 + 5 ".repeat(20_000) + "\n",
                        "chat",
                        DemoFamily.QWEN35.reference(),
                        "--max-ctx",
                        512);

        assertEquals(1, outcome.status(), outcome.toString());
        assertEquals("", outcome.out());
        assertTrue(outcome.err().contains(" in the completion) at least"), outcome.toString());
    }

    @Test
    void linesOfAPipeAreAnsweredWithoutEscapeSequences() throws Exception {
        Varve.Outcome outcome =
                varve.runWithInput(
                        "What is 7 + 5?\n/nothing\n\"\"\"What is\n7 + 6?\"\"\"\n",
                        "chat",
                        DemoFamily.QWEN35.reference(),
                        "--temp",
                        0);

        assertEquals(1, outcome.status(), outcome.toString());
        assertTrue(
                outcome.out().matches("[^\\p{Cntrl}]*12[^\\p{Cntrl}]*\n[^\\p{Cntrl}]+\n"),
                outcome.toString());
        assertTrue(
                outcome.err().contains("varve: /nothing: unknown command; expected one of /help"),
                outcome.toString());
    }
}
