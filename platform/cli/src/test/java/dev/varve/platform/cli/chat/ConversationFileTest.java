package dev.varve.platform.cli.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.cli.chat.ChatMessage.Role;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;

class ConversationFileTest {
    private static final List<ChatMessage> MESSAGES =
            List.of(
                    new ChatMessage(Role.SYSTEM, "Be brief."),
                    new ChatMessage(Role.USER, "Zoë asks:\n\"7 + 5?\""),
                    new ChatMessage(Role.ASSISTANT, "12", "seven and five"),
                    new ChatMessage(Role.USER, "Thanks"));

    @TempDir Path folder;

    @Test
    void loadReturnsWhatSaveWrote() throws IOException {
        Path path = folder.resolve("chat.json");
        ConversationFile file = new ConversationFile(path);

        file.save(MESSAGES);
        file.save(MESSAGES.subList(0, 3));

        assertEquals(MESSAGES.subList(0, 3), file.load());
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(path), files.toList(), "no temporary file remains");
        }
    }

    @Test
    void linkIsKeptAndItsTargetReplaced() throws IOException {
        Path target = folder.resolve("target.json");
        Path link = folder.resolve("link.json");
        new ConversationFile(target).save(MESSAGES);
        Files.createSymbolicLink(link, target);

        new ConversationFile(link).save(List.of());

        assertTrue(Files.isSymbolicLink(link));
        assertEquals(List.of(), new ConversationFile(target).load());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "my notes",
                "'{\"key\": 1}'",
                "''",
                "'{\"messages\": [1]}'",
                "'{\"messages\": [{\"role\": \"assistant\", \"content\": \"x\", \"tool_calls\":"
                        + " []}]}'"
            })
    void otherFileIsNotReplaced(String content) throws IOException {
        Path path = Files.writeString(folder.resolve("notes"), content);

        VarveException e =
                assertThrows(VarveException.class, () -> new ConversationFile(path).save(MESSAGES));

        assertTrue(e.getMessage().startsWith(path + ": exists and is no saved"), e.getMessage());
        assertEquals(content, Files.readString(path));
    }

    @Test
    void requestWithOtherFieldsIsNotReplaced() throws IOException {
        String request = "{\"model\": \"m\", \"messages\": [], \"temperature\": 0}";
        Path path = Files.writeString(folder.resolve("request.json"), request);

        VarveException e =
                assertThrows(VarveException.class, () -> new ConversationFile(path).save(MESSAGES));

        assertEquals(
                path
                        + ": exists and has fields that a saved conversation does not have (model,"
                        + " temperature), so it is not replaced; choose another name",
                e.getMessage());
        assertEquals(request, Files.readString(path));
    }

    @Test
    void replacedFileKeepsItsPermissions() throws IOException {
        Path path = folder.resolve("chat.json");
        ConversationFile file = new ConversationFile(path);
        file.save(MESSAGES);
        assertEquals("rw-------", permissions(path));
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-rw-r--"));

        file.save(List.of());

        assertEquals("rw-rw-r--", permissions(path));
        assertEquals(List.of(), file.load());
    }

    private static String permissions(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void contentInPartsIsJoinedAndABareArrayIsAccepted() throws IOException {
        Path path =
                Files.writeString(
                        folder.resolve("chat.json"),
                        "[{\"role\": \"user\", \"content\": [{\"type\": \"text\", \"text\": \"a\"},"
                                + " {\"type\": \"text\", \"text\": \"b\"}]}]");

        assertEquals(List.of(new ChatMessage(Role.USER, "ab")), new ConversationFile(path).load());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"messages\": [                | invalid JSON: ",
                "{\"messages\": 1}               | expected a JSON object with an array",
                "7                               | expected a JSON object with an array",
                "[{\"role\": \"tool\", \"content\": \"x\"}]"
                        + " | messages[0].role: expected system, user or assistant, found tool",
                "[{\"role\": \"user\", \"content\": \"x\"}, {\"role\": \"system\", \"content\":"
                        + " \"x\"}] | messages[1].role: expected user or assistant, found system",
                "[{\"role\": \"user\"}]" + " | messages[0].content: expected a string, found none",
                "[{\"role\": \"assistant\", \"content\": [{\"type\": \"image_url\"}]}]"
                        + " | messages[0].content[0].type: expected text, found image_url",
                "[{\"role\": \"user\", \"content\": [{\"type\": \"image_url\"}]}]"
                        + " | messages[0].content[0].image_url.url: expected a string, found none",
                "[{\"role\": \"user\", \"content\": [{\"type\": \"image_url\","
                        + " \"image_url\": {\"url\": \"http://a/b.png\"}}]}]"
                        + " | messages[0].content[0].image_url.url: expected a data URL in base64",
                "[{\"role\": \"user\", \"content\": [{\"type\": \"text\"}]}]"
                        + " | messages[0].content[0].text: expected a string, found none",
                "[{\"role\": \"user\", \"content\": [{\"type\": \"text\", \"text\": \"x\","
                        + " \"citations\": [1]}]}] | messages[0].content[0].citations: the chat"
                        + " has no such field; expected type, text",
                "[{\"role\": \"assistant\", \"content\": \"x\", \"tool_calls\": []}]"
                        + " | messages[0].tool_calls: the chat has no such field; expected role,"
                        + " content, reasoning_content",
                "[{\"role\": \"assistant\", \"content\": \"x\", \"reasoning_content\": 1}]"
                        + " | messages[0].reasoning_content: expected a string, found NUMBER",
                "[{\"role\": \"user\", \"content\": \"x\", \"reasoning_content\": \"y\"}]"
                        + " | messages[0].reasoning_content: expected in a message of assistant,"
                        + " found in user",
                "[null]                          | messages[0].role: expected a string",
            })
    void errorNamesTheFileAndThePlace(String content, String expected) throws IOException {
        Path path = Files.writeString(folder.resolve("chat.json"), content);

        VarveException e =
                assertThrows(VarveException.class, () -> new ConversationFile(path).load());

        assertTrue(e.getMessage().startsWith(path + ": " + expected), e.getMessage());
    }

    @Test
    void absentFieldsOfOtherClientsAreNull() throws IOException {
        Path path =
                Files.writeString(
                        folder.resolve("chat.json"),
                        "[{\"role\": \"assistant\", \"content\": \"x\", \"tool_calls\": null,"
                                + " \"reasoning_content\": null}]");

        assertEquals(
                List.of(new ChatMessage(Role.ASSISTANT, "x")), new ConversationFile(path).load());
    }

    @Test
    void missingFileAndFolderAreErrors() {
        Path missing = folder.resolve("none/chat.json");

        assertEquals(
                missing + ": no such file",
                assertThrows(VarveException.class, () -> new ConversationFile(missing).load())
                        .getMessage());
        assertTrue(
                assertThrows(
                                VarveException.class,
                                () -> new ConversationFile(missing).save(MESSAGES))
                        .getMessage()
                        .startsWith(missing + ": cannot be written: "));
        assertTrue(
                assertThrows(VarveException.class, () -> new ConversationFile(folder).load())
                        .getMessage()
                        .startsWith(folder + ": expected a file"));
    }
}
