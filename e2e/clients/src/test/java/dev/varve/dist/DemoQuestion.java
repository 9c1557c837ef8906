package dev.varve.dist;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * A closed question that the training of the demo models did not see.
 *
 * @param kind what it is about
 * @param messages what was said so far; the user's question comes last
 * @param tools tools that the model may call, as OpenAI declares them
 * @param accepted lists of words; all of one list make a right answer
 * @param call the call that is the right answer, with {@code name} and {@code arguments}
 */
record DemoQuestion(
        String id,
        String kind,
        JsonNode messages,
        Optional<JsonNode> tools,
        List<List<String>> accepted,
        Optional<JsonNode> call) {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int MOST_TOKENS = 160;

    /** Reads the questions of a file, an array of objects with the fields of this record. */
    static List<DemoQuestion> read(Path file) throws IOException {
        return JSON.readTree(Files.readString(file)).valueStream().map(DemoQuestion::of).toList();
    }

    private static DemoQuestion of(JsonNode entry) {
        return new DemoQuestion(
                entry.get("id").asString(),
                entry.get("kind").asString(),
                entry.get("messages"),
                entry.optional("tools"),
                entry.path("accepted")
                        .valueStream()
                        .map(words -> words.valueStream().map(JsonNode::asString).toList())
                        .toList(),
                entry.optional("call"));
    }

    /** Body of a request that asks it, without any chance in the answer. */
    String request() {
        ObjectNode body = JSON.createObjectNode();
        body.set("messages", messages);
        tools.ifPresent(declared -> body.set("tools", declared));
        return JSON.writeValueAsString(body.put("temperature", 0).put("max_tokens", MOST_TOKENS));
    }

    /** Whether the message of an answer is right. */
    boolean isAnsweredBy(JsonNode message) {
        if (call.isPresent()) {
            return isCalledBy(message.at("/tool_calls/0/function"));
        }
        String text = message.path("content").asString("");
        if (kind.equals("json") && !isObject(text)) {
            return false;
        }
        return accepted.stream()
                .anyMatch(words -> words.stream().allMatch(word -> has(text, word)));
    }

    private static boolean isObject(String text) {
        try {
            return JSON.readTree(text).isObject();
        } catch (JacksonException e) {
            return false;
        }
    }

    private boolean isCalledBy(JsonNode function) {
        JsonNode wanted = call.orElseThrow();
        return function.path("name").asString("").equals(wanted.get("name").asString())
                && texts(JSON.readTree(function.path("arguments").asString("{}")))
                        .equals(texts(wanted.get("arguments")));
    }

    /** A number in a string equals a plain number, since not every schema declares the type. */
    private static Map<String, String> texts(JsonNode arguments) {
        Map<String, String> texts = new TreeMap<>();
        arguments
                .properties()
                .forEach(
                        entry ->
                                texts.put(
                                        entry.getKey(),
                                        entry.getValue().isString()
                                                ? entry.getValue().stringValue()
                                                : entry.getValue().toString()));
        return texts;
    }

    /** A number must not be a part of a longer one. */
    static boolean has(String text, String word) {
        String pattern = Pattern.quote(word);
        if (word.chars().allMatch(Character::isDigit)) {
            pattern = "(?<!\\d)" + pattern + "(?!\\d)";
        }
        return Pattern.compile(pattern, Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE)
                .matcher(text)
                .find();
    }
}
