package dev.varve.platform.cli.chat;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.platform.cli.chat.ChatMessage.Role;
import dev.varve.platform.file.AtomicFile;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A saved conversation: a JSON object whose field {@code messages} is an array of messages, as in a
 * body for {@code /v1/chat/completions}. A message has a {@code role} (system, user or assistant),
 * a {@code content} (a string, or an array of parts of type text and, of the user, image_url) and,
 * if the model reasoned, a {@code reasoning_content}. UTF-8.
 */
final class ConversationFile {
    /** Larger than the longest conversation that a model could read. */
    private static final long MOST_BYTES = 64L << 20;

    private static final String MESSAGES = "messages";
    private static final String ROLE = "role";
    private static final String CONTENT = "content";
    private static final String REASONING = "reasoning_content";

    private static final String TYPE = "type";
    private static final String TEXT = "text";
    private static final String IMAGE = "image_url";
    private static final String URL = "url";

    /** In the order of messages. */
    private static final Set<String> FIELDS =
            Collections.unmodifiableSet(new LinkedHashSet<>(List.of(ROLE, CONTENT, REASONING)));

    private static final Set<String> PART_FIELDS =
            Collections.unmodifiableSet(new LinkedHashSet<>(List.of(TYPE, TEXT)));

    private static final JsonMapper MAPPER = JsonMapper.shared();

    private final Path path;

    ConversationFile(Path path) {
        this.path = path;
    }

    /**
     * Writes a conversation. An existing file is replaced only if it holds a conversation and
     * nothing else, and keeps its permissions; a new one is readable by its owner alone.
     *
     * @throws VarveException that names the file and the reason
     */
    void save(List<ChatMessage> messages) {
        if (Files.exists(path)) {
            requireConversation();
        }
        ObjectNode file = MAPPER.createObjectNode();
        ArrayNode array = file.putArray(MESSAGES);
        for (ChatMessage message : messages) {
            ObjectNode each = array.addObject().put(ROLE, message.role().wireName());
            if (!message.reasoning().isEmpty()) {
                each.put(REASONING, message.reasoning());
            }
            putContent(message, each);
        }
        try {
            replace(MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(file) + "\n");
        } catch (IOException e) {
            throw failure("cannot be written: " + FileErrors.reason(e), e);
        }
    }

    private static void putContent(ChatMessage message, ObjectNode out) {
        if (message.images().isEmpty()) {
            out.put(CONTENT, message.content());
            return;
        }
        ArrayNode parts = out.putArray(CONTENT);
        for (ChatImage image : message.images()) {
            parts.addObject().put(TYPE, IMAGE).putObject(IMAGE).put(URL, image.url());
        }
        parts.addObject().put(TYPE, TEXT).put(TEXT, message.content());
    }

    private void replace(String text) throws IOException {
        Path target = Files.exists(path) ? path.toRealPath() : path.toAbsolutePath();
        AtomicFile.replace(
                target,
                AtomicFile.Readers.OWNER,
                fresh -> {
                    Files.writeString(fresh, text);
                    copyPermissions(target, fresh);
                });
    }

    private static void copyPermissions(Path from, Path to) throws IOException {
        PosixFileAttributeView view =
                Files.getFileAttributeView(from, PosixFileAttributeView.class);
        if (view != null && Files.exists(from)) {
            Files.setPosixFilePermissions(to, view.readAttributes().permissions());
        }
    }

    private void requireConversation() {
        JsonNode file;
        try {
            file = read();
            messages(file);
        } catch (VarveException e) {
            throw notReplaced("is no saved conversation", e);
        }
        List<String> others =
                file.propertyNames().stream().filter(each -> !each.equals(MESSAGES)).toList();
        if (!others.isEmpty()) {
            throw notReplaced(
                    "has fields that a saved conversation does not have ("
                            + String.join(", ", others)
                            + ")",
                    null);
        }
    }

    private VarveException notReplaced(String reason, Exception cause) {
        return new VarveException(
                VarveException.Kind.INVALID_REQUEST,
                path + ": exists and " + reason + ", so it is not replaced; choose another name",
                cause);
    }

    /**
     * Reads a conversation.
     *
     * @return the messages, a system prompt first
     * @throws VarveException that names the file and the reason
     */
    List<ChatMessage> load() {
        return messages(read());
    }

    private JsonNode read() {
        try {
            if (!Files.isRegularFile(path) && Files.exists(path)) {
                throw failure("expected a file, found a folder or a device", null);
            }
            long bytes = Files.size(path);
            if (bytes > MOST_BYTES) {
                throw failure("expected at most " + MOST_BYTES + " bytes, found " + bytes, null);
            }
            return MAPPER.readTree(Files.readAllBytes(path));
        } catch (NoSuchFileException e) {
            throw failure("no such file", e);
        } catch (JacksonException e) {
            throw failure(
                    "invalid JSON: "
                            + e.getOriginalMessage()
                            + " at line "
                            + e.getLocation().getLineNr(),
                    e);
        } catch (IOException e) {
            throw failure("cannot be read: " + FileErrors.reason(e), e);
        }
    }

    private List<ChatMessage> messages(JsonNode file) {
        JsonNode array = file.isObject() ? file.path(MESSAGES) : file;
        if (!array.isArray()) {
            throw failure("expected a JSON object with an array \"" + MESSAGES + "\"", null);
        }
        List<ChatMessage> messages = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            messages.add(message(array.get(i), MESSAGES + "[" + i + "]", i == 0));
        }
        return messages;
    }

    private ChatMessage message(JsonNode message, String where, boolean first) {
        String name = text(message.path(ROLE), where + "." + ROLE);
        Role role =
                Role.of(name)
                        .filter(each -> first || each != Role.SYSTEM)
                        .orElseThrow(
                                () ->
                                        failure(
                                                where
                                                        + "."
                                                        + ROLE
                                                        + ": expected "
                                                        + (first ? "system, " : "")
                                                        + "user or assistant, found "
                                                        + name,
                                                null));
        requireKnown(message, FIELDS, where);
        JsonNode reasoning = message.path(REASONING);
        String place = where + "." + REASONING;
        if (reasoning.isMissingNode() || reasoning.isNull()) {
            return new ChatMessage(
                    role,
                    content(message.path(CONTENT), where + "." + CONTENT, role == Role.USER),
                    "",
                    role == Role.USER
                            ? images(message.path(CONTENT), where + "." + CONTENT)
                            : List.of());
        }
        if (role != Role.ASSISTANT) {
            throw failure(place + ": expected in a message of assistant, found in " + name, null);
        }
        return new ChatMessage(
                role,
                content(message.path(CONTENT), where + "." + CONTENT, false),
                text(reasoning, place));
    }

    /** Refuses fields that the chat would lose, such as the calls of tools. */
    private void requireKnown(JsonNode object, Set<String> known, String where) {
        object.properties().stream()
                .filter(field -> !known.contains(field.getKey()) && !field.getValue().isNull())
                .findFirst()
                .ifPresent(
                        field -> {
                            throw failure(
                                    where
                                            + "."
                                            + field.getKey()
                                            + ": the chat has no such field; expected "
                                            + String.join(", ", known),
                                    null);
                        });
    }

    /** The texts of a message; those of the user may have images between them. */
    private String content(JsonNode content, String where, boolean hasImages) {
        if (!content.isArray()) {
            return text(content, where);
        }
        StringBuilder joined = new StringBuilder();
        for (int i = 0; i < content.size(); i++) {
            JsonNode part = content.get(i);
            String place = where + "[" + i + "]";
            String type = text(part.path(TYPE), place + "." + TYPE);
            if (type.equals(IMAGE) && hasImages) {
                continue;
            }
            if (!type.equals(TEXT)) {
                throw failure(place + "." + TYPE + ": expected text, found " + type, null);
            }
            requireKnown(part, PART_FIELDS, place);
            joined.append(text(part.path(TEXT), place + "." + TEXT));
        }
        return joined.toString();
    }

    /** The images of a message's parts. */
    private List<ChatImage> images(JsonNode content, String where) {
        List<ChatImage> images = new ArrayList<>();
        for (int i = 0; content.isArray() && i < content.size(); i++) {
            JsonNode part = content.get(i);
            if (part.path(TYPE).asString("").equals(IMAGE)) {
                String place = where + "[" + i + "]." + IMAGE + "." + URL;
                images.add(
                        ChatImage.ofUrl(text(part.path(IMAGE).path(URL), place))
                                .orElseThrow(
                                        () ->
                                                failure(
                                                        place + ": expected a data URL in base64",
                                                        null)));
            }
        }
        return images;
    }

    private String text(JsonNode value, String where) {
        if (!value.isString()) {
            throw failure(
                    where
                            + ": expected a string, found "
                            + (value.isMissingNode() ? "none" : value.getNodeType()),
                    null);
        }
        return value.stringValue();
    }

    private VarveException failure(String reason, Exception cause) {
        return new VarveException(VarveException.Kind.UNREADABLE_FILE, path + ": " + reason, cause);
    }
}
