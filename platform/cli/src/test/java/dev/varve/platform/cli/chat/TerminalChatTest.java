package dev.varve.platform.cli.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.cli.chat.ChatMessage.Role;
import dev.varve.testkit.Await;

import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The chat on a terminal in memory, to which the test types. */
class TerminalChatTest {
    /** The editor switches bracketed paste on when it begins to read. */
    private static final String READING = "\033[?2004h";

    private static final String PASTE = "\033[200~%s\033[201~";

    @TempDir Path folder;

    private final ScriptedChatModel model = new ScriptedChatModel();
    private final PipedOutputStream keys = new PipedOutputStream();
    private final ByteArrayOutputStream screen = new ByteArrayOutputStream();
    private Terminal terminal;
    private int reads;

    @BeforeEach
    void open() throws IOException {
        terminal = terminal("xterm-256color");
    }

    private Terminal terminal(String type) throws IOException {
        Terminal opened =
                TerminalBuilder.builder()
                        .system(false)
                        .type(type)
                        .streams(new PipedInputStream(keys, 1 << 16), screen)
                        .graphemeCluster(false)
                        .encoding(StandardCharsets.UTF_8)
                        .build();
        opened.setSize(Size.of(80, 24));
        return opened;
    }

    @AfterEach
    void close() throws IOException {
        terminal.close();
    }

    /** Types when the editor waits for the next input: a terminal treats earlier keys otherwise. */
    private void type(String text) throws IOException {
        reads++;
        Await.until("input " + reads + " is read", () -> count(text(), READING) >= reads);
        keys.write(text.getBytes(StandardCharsets.UTF_8));
        keys.flush();
    }

    /** The bytes on the screen, whose lines end with a carriage return too. */
    private String text() {
        return screen.toString(StandardCharsets.UTF_8).replace("\r\n", "\n");
    }

    private static int count(String text, String part) {
        return (text.length() - text.replace(part, "").length()) / part.length();
    }

    private CompletableFuture<Void> start(ChatOptions.Style style, Optional<Path> history) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        TerminalChat.run(
                                terminal,
                                model,
                                new ChatOptions("", style, history, text -> text),
                                () -> false);
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                });
    }

    /** Types the inputs in turn, leaves, and returns the screen. */
    private String chat(ChatOptions.Style style, Optional<Path> history, String... inputs)
            throws IOException {
        CompletableFuture<Void> end = start(style, history);
        for (String input : inputs) {
            type(input);
        }
        type("\004");
        Await.result(end);
        return text();
    }

    private String chat(String... inputs) throws IOException {
        return chat(ChatOptions.Style.ALLOWED, Optional.empty(), inputs);
    }

    private List<String> sent() {
        return model.prompts().stream().map(each -> each.getLast().content()).toList();
    }

    @Test
    void responsesAreShownAndCtrlDLeaves() throws IOException {
        model.thenSays("why", "Hello").thenSays("again");

        String screen = chat("Hi\r", "and\r");

        assertTrue(screen.contains("scripted: /help lists the commands"), screen);
        assertTrue(screen.contains("\033[2mwhy\033[0m\n\nHello\n"), screen);
        assertEquals(List.of("Hi", "and"), sent());
    }

    @Test
    void escapeSequencesOfTheModelDoNotReachTheTerminal() throws IOException {
        model.thenSays("\033[31mr", "\033]0;title\007\u009b2Jtext\r");

        String screen = chat("Hi\r");

        assertTrue(screen.contains("\033[2m[31mr\033[0m\n\n]0;title2Jtext\n"), screen);
    }

    @Test
    void linesThatBelongTogetherAreOneMessage() throws IOException {
        model.thenSays("1").thenSays("2").thenSays("3");

        chat(
                "one\\\rtwo\r",
                "\"\"\"\r/three\\\r\rfour\"\"\"\r",
                String.format(Locale.ROOT, PASTE, "five\rsix \\\r\"seven\"\r") + "\r");

        assertEquals(List.of("one\ntwo", "/three\\\n\nfour", "five\nsix \\\n\"seven\""), sent());
    }

    @Test
    void ctrlCClearsTheLineAndLeavesIfPressedTwiceOnAnEmptyOne() throws IOException {
        model.thenSays("1").thenSays("2");
        CompletableFuture<Void> end = start(ChatOptions.Style.ALLOWED, Optional.empty());

        type("discarded\003");
        type("sent\r");
        type("\003");
        type("discarded too\003");
        type("\003");
        type("also sent\r");
        type("\003");
        type("\003");

        Await.result(end);
        assertEquals(List.of("sent", "also sent"), sent());
        assertEquals(3, count(text(), "press Ctrl-C again or Ctrl-D to leave\n"), text());
    }

    @Test
    void escapeSequencesInPastedTextDoNotReachTheTerminal() throws IOException {
        model.thenSays("1");

        String screen = chat(String.format(Locale.ROOT, PASTE, "a\033]0;x\007\u009b31mb") + "\r");

        assertEquals(List.of("a\033]0;x\007\u009b31mb"), sent());
        assertFalse(screen.contains("\033]0;x"), screen);
        assertFalse(screen.contains("\007"), screen);
        assertFalse(screen.contains("\u009b"), screen);
    }

    @Test
    void escapeSequencesInTheHistoryDoNotReachTheTerminal() throws IOException {
        Path file = folder.resolve("chat-history");
        Files.writeString(file, "a\033]0;x\007b\n");
        model.thenSays("1");

        // The key up, and Enter.
        String screen = chat(ChatOptions.Style.ALLOWED, Optional.of(file), "\033OA\r");

        assertEquals(List.of("a\033]0;x\007b"), sent());
        assertFalse(screen.contains("\033]0;x"), screen);
    }

    @Test
    void fileNamesWithControlCharactersAreNotCompleted() throws IOException {
        Files.writeString(folder.resolve("a\033]0;x\007.json"), "[]");

        String screen = chat("/load " + folder + "/a\t\r");

        assertTrue(screen.contains(folder + "/a: no such file"), screen);
        assertFalse(screen.contains("\033]0;x"), screen);
    }

    @Test
    void ctrlCStopsAResponseAndTheConversationContinues() throws Exception {
        model.thenSays("the first part").thenSays("2").untilStopped();
        CompletableFuture<Void> end = start(ChatOptions.Style.ALLOWED, Optional.empty());

        type("a\r");
        model.awaitBegin();
        terminal.raise(Terminal.Signal.INT);
        type("b\r");
        type("\004");

        Await.result(end);
        assertTrue(text().contains("[stopped; the part above"), text());
        assertEquals(
                List.of(
                        new ChatMessage(Role.USER, "a"),
                        new ChatMessage(Role.ASSISTANT, "the first part"),
                        new ChatMessage(Role.USER, "b")),
                model.prompts().getLast());
    }

    @Test
    void tabCompletesCommandsAndFileNames() throws IOException {
        model.thenSays("1");
        Path file = folder.resolve("my chat.json");
        new ConversationFile(file)
                .save(
                        List.of(
                                new ChatMessage(Role.USER, "earlier"),
                                new ChatMessage(Role.ASSISTANT, "yes")));

        chat("/loa\t" + folder + "/my\t\r", "now\r");

        assertEquals(3, model.prompts().getFirst().size(), model.prompts().toString());
    }

    @Test
    void withoutStylesNoResponseIsStyled() throws IOException {
        model.thenSays("why", "Hello");

        String text = chat(ChatOptions.Style.NONE, Optional.empty(), "Hi\r");

        assertTrue(text.contains("[reasoning]\nwhy\n[response]\nHello\n"), text);
        assertFalse(text.contains("\033[2m"), text);
    }

    @Test
    void historyIsPrivateAndReadByTheNextChat() throws Exception {
        Path file = folder.resolve("state/varve/chat-history");
        model.thenSays("1").thenSays("2").thenSays("3");
        chat(
                ChatOptions.Style.ALLOWED,
                Optional.of(file),
                "first\r",
                String.format(Locale.ROOT, PASTE, "x".repeat(20_000)) + "\r");
        assertEquals("first\n", Files.readString(file));
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        assertEquals(
                "rwx------",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())));

        // The key up, and Enter.
        chat(ChatOptions.Style.ALLOWED, Optional.of(file), "\033OA\r");

        assertEquals("first", sent().getLast());
    }
}
