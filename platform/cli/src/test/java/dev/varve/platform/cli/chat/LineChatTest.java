package dev.varve.platform.cli.chat;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.cli.chat.ChatMessage.Role;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The loop and its commands, without a terminal. */
class LineChatTest {
    private static final ChatOptions OPTIONS =
            new ChatOptions(
                    "",
                    ChatOptions.Style.ALLOWED,
                    Optional.empty(),
                    text -> text.replace("{setting:max-context}", "--max-ctx"));

    private record Outcome(boolean accepted, String out, String err) {}

    @TempDir Path folder;

    private final ScriptedChatModel model = new ScriptedChatModel();

    private Outcome run(ChatOptions options, String... lines) throws InterruptedException {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        byte[] in = (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
        boolean accepted =
                LineChat.run(
                        model,
                        options,
                        new ByteArrayInputStream(in),
                        new PrintWriter(out),
                        new PrintWriter(err));
        return new Outcome(accepted, out.toString(), err.toString());
    }

    private Outcome run(String... lines) throws InterruptedException {
        return run(OPTIONS, lines);
    }

    private static ChatMessage user(String text) {
        return new ChatMessage(Role.USER, text);
    }

    private static ChatMessage assistant(String text) {
        return new ChatMessage(Role.ASSISTANT, text);
    }

    @Test
    void eachLineIsAMessageAndOnlyResponsesArePrinted() throws InterruptedException {
        model.thenSays("hidden", "Hello").thenSays("Bye\n");

        Outcome outcome = run("Hi", "", "See you");

        assertEquals(new Outcome(true, "Hello\nBye\n", ""), outcome);
        assertEquals(
                List.of(
                        List.of(user("Hi")),
                        List.of(
                                user("Hi"),
                                new ChatMessage(Role.ASSISTANT, "Hello", "hidden"),
                                user("See you"))),
                model.prompts());
    }

    @Test
    void backslashAndQuotesJoinLines() throws InterruptedException {
        model.thenSays("1").thenSays("2").thenSays("3");

        run("one\\", "two", "\"\"\"/three", "", "four\"\"\"", "\"\"\"open");

        assertEquals(
                List.of(user("one\ntwo"), user("/three\n\nfour"), user("open")),
                model.prompts().stream().map(List::getLast).toList());
    }

    @Test
    void backslashesInABlockAreKept() throws InterruptedException {
        model.thenSays("1").thenSays("2");

        run("\"\"\"#define A \\", "  1 \\", "\"\"\"", "one \\", "\"\"\"two\"\"\"");

        assertEquals(
                List.of(user("#define A \\\n  1 \\"), user("one \n\"\"\"two\"\"\"")),
                model.prompts().stream().map(List::getLast).toList());
    }

    @Test
    void systemPromptComesFirstAndMayBeReplaced() throws InterruptedException {
        model.thenSays("1").thenSays("2").thenSays("3");

        Outcome outcome =
                run(
                        new ChatOptions(
                                "First", ChatOptions.Style.NONE, Optional.empty(), text -> text),
                        "a",
                        "/clear",
                        "/system \"\"\"Second",
                        "line\"\"\"",
                        "/system",
                        "b",
                        "/clear",
                        "/system \"\"",
                        "c");

        assertEquals("Second\nline\n", outcome.err());
        assertEquals(
                List.of(
                        List.of(new ChatMessage(Role.SYSTEM, "First"), user("a")),
                        List.of(new ChatMessage(Role.SYSTEM, "Second\nline"), user("b")),
                        List.of(user("c"))),
                model.prompts());
    }

    @Test
    void regenerateRepeatsTheLastMessage() throws InterruptedException {
        model.thenSays("1").thenSays("2").thenSays("3");

        run("a", "/regenerate", "b");

        assertEquals(
                List.of(
                        List.of(user("a")),
                        List.of(user("a")),
                        List.of(user("a"), assistant("2"), user("b"))),
                model.prompts());
    }

    @Test
    void failedResponseLeavesTheConversationAsItWas() throws InterruptedException {
        model.thenSays("1");

        Outcome outcome = run("a", "b", "/regenerate", "/save " + folder.resolve("c.json"));

        assertFalse(outcome.accepted());
        assertEquals("varve: --max-ctx: too long\nvarve: --max-ctx: too long\n", outcome.err());
        assertEquals(
                List.of(user("a"), assistant("1")),
                new ConversationFile(folder.resolve("c.json")).load());
    }

    @Test
    void refusedUndoAndRegenerateLeaveAResponseWithoutAMessage()
            throws InterruptedException, IOException {
        Path file = folder.resolve("c.json");
        Files.writeString(file, "[{\"role\": \"assistant\", \"content\": \"Hello\"}]");
        model.thenSays("1");

        Outcome outcome = run("/load " + file, "/undo", "/regenerate", "a");

        assertEquals(
                """
                varve: /undo: the conversation has no message
                varve: /regenerate: the conversation has no message
                """,
                outcome.err());
        assertEquals(List.of(List.of(assistant("Hello"), user("a"))), model.prompts());
    }

    @Test
    void savedConversationContinues() throws InterruptedException {
        Path file = folder.resolve("my chat.json");
        model.thenSays("1").thenSays("2");

        Outcome outcome =
                run("/system S", "a", "/save " + file, "/clear", "/system T", "/load " + file, "b");

        assertEquals(new Outcome(true, "1\n2\n", ""), outcome);
        assertEquals(
                List.of(new ChatMessage(Role.SYSTEM, "S"), user("a"), assistant("1"), user("b")),
                model.prompts().getLast());
    }

    @Test
    void setValuesReachTheModel() throws InterruptedException {
        model.thenSays("1").thenSays("2");

        Outcome outcome = run("a", "/set temperature 0.5", "/set seed = 7", "/set", "b");

        assertTrue(model.overrides().getFirst().isEmpty());
        assertEquals("{TEMPERATURE=0.5} seed 7", model.overrides().getLast().toString());
        assertTrue(outcome.err().contains("  temperature         0.5\n"), outcome.err());
        assertTrue(outcome.err().endsWith("  seed                7\n"), outcome.err());
    }

    @Test
    void statisticsAddUp() throws InterruptedException {
        model.thenSays("1").thenSays("2");

        Outcome outcome = run("/stats", "a", "b", "/stats");

        assertTrue(outcome.err().contains("  last response     none\n"), outcome.err());
        assertTrue(
                outcome.err()
                        .endsWith(
                                """
                                  last response     10 prompt tokens, 4 of them cached, 20.0 tokens/s; 3 generated, 30.0 tokens/s
                                  all responses     2: 20 prompt tokens, 8 of them cached; 6 generated
                                  context           13 of 100 tokens used
                                """),
                outcome.err());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/nope                | /nope: unknown command; expected one of /help, /system,",
                "/save                | expected /save FILE",
                "/set temperature     | /set: expected a name and a value",
                "/set temperature 200 | /set temperature: expected a number from 0 to 100, found",
                "/set temperature hot | /set temperature: expected a number, found hot",
                "/set heat 1          | /set: expected one of temperature, top_k",
                "/reasoning maybe     | /reasoning: expected on or off, found maybe",
                "/undo                | /undo: the conversation has no message",
                "/regenerate          | /regenerate: the conversation has no message",
                "/image x.png         | /image: scripted reads no images",
                "/load /none.json     | /none.json: no such file",
            })
    void wrongCommandIsAnErrorAndNothingReachesTheModel(String line, String expected)
            throws InterruptedException {
        Outcome outcome = run(line);

        assertFalse(outcome.accepted());
        assertTrue(outcome.err().startsWith("varve: " + expected), outcome.err());
        assertEquals("", outcome.out());
        assertEquals(List.of(), model.prompts());
    }

    @Test
    void imagesAreSentWithTheNextMessageAndSaved() throws Exception {
        model.seeing().thenSays("a sun").thenSays("a moon").thenSays("both");
        Path png = folder.resolve("sun.any");
        Files.write(png, new byte[] {(byte) 0x89, 'P', 'N', 'G'});
        Path saved = folder.resolve("chat.json");

        Outcome outcome =
                run(
                        "/image " + png,
                        "What is it?",
                        "And now?",
                        "/save " + saved,
                        "/clear",
                        "/load " + saved,
                        "Both?");

        assertEquals(new Outcome(true, "a sun\na moon\nboth\n", ""), outcome);
        ChatImage image = new ChatImage("image/png", "iVBORw==");
        ChatMessage question = new ChatMessage(Role.USER, "What is it?", "", List.of(image));
        assertEquals(question, model.prompts().getFirst().getFirst());
        assertEquals(user("And now?"), model.prompts().get(1).getLast());
        assertEquals(question, model.prompts().get(2).getFirst());
        assertArrayEquals(Files.readAllBytes(png), image.file());
    }

    @Test
    void filesThatAreNoImagesAreRefused() throws Exception {
        model.seeing();
        Path text = Files.writeString(folder.resolve("notes.png"), "text");

        Outcome outcome = run("/image " + text, "/image " + folder, "/image /none.png");

        assertFalse(outcome.accepted());
        assertEquals(
                List.of(
                        "varve: " + text + ": expected an image in PNG, JPEG, GIF or BMP",
                        "varve: " + folder + ": is no file",
                        "varve: /none.png: no such file"),
                outcome.err().lines().toList());
    }

    @Test
    void reasoningIsShownOnRequest() throws InterruptedException {
        model.thenSays("why", "because");

        assertEquals("[reasoning]\nwhy\n[response]\nbecause\n", run("/reasoning on", "a").out());
    }

    @Test
    void exitEndsTheChat() throws InterruptedException {
        assertEquals(new Outcome(true, "", ""), run("/bye", "never sent"));
        assertEquals(List.of(), model.prompts());
    }
}
