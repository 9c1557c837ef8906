package dev.varve.platform.http.anthropic;

import dev.varve.platform.http.conversation.MediaKind;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/** Reads content of the Messages API: a string, or an array of blocks. */
final class ContentBlockReader {
    private static final int MAX_SHOWN = 40;

    private ContentBlockReader() {}

    /** One block; {@code where} is its path in the body. */
    record Block(String where, ObjectNode node) {
        String type() {
            return node.path("type").asString("");
        }

        boolean isOfType(String type) {
            return type().equals(type);
        }

        void requireType(String type) {
            if (!isOfType(type)) {
                throw unsupported();
            }
        }

        Optional<JsonNode> find(String name) {
            JsonNode value = node.path(name);
            return value.isMissingNode() || value.isNull() ? Optional.empty() : Optional.of(value);
        }

        Optional<Boolean> flag(String name) {
            return RequestFields.at(where, node).flag(name);
        }

        String text(String name) {
            JsonNode value = node.path(name);
            if (!value.isString()) {
                throw ApiException.invalid(
                        where + "." + name, where + "." + name + ": expected a string");
            }
            return value.stringValue();
        }

        /** Returns the text of a block in a user's message. */
        String shownText() {
            return readableText(Block::shownText).orElseThrow(this::unreadable);
        }

        /** Returns the text of a block in a tool result: a placeholder if the block is not text. */
        String returnedText() {
            return isOfType("text") && find("text").isEmpty()
                    ? ""
                    : readableText(Block::returnedText).orElseGet(() -> MediaKind.omitted(type()));
        }

        /**
         * Returns the text of a block, if it has one; {@code inner} returns the texts of nested
         * blocks.
         */
        private Optional<String> readableText(Function<Block, String> inner) {
            return switch (type()) {
                case "text" -> Optional.of(text("text"));
                case "document" -> document(inner);
                case "search_result" -> Optional.of(nested("content", inner));
                case "tool_reference" -> Optional.of(text("tool_name"));
                default -> Optional.empty();
            };
        }

        private Optional<String> document(Function<Block, String> inner) {
            JsonNode source = node.path("source");
            return switch (source.path("type").asString("")) {
                case "text" -> Optional.of(source().text("data"));
                case "content" -> Optional.of(source().nested("content", inner));
                default -> Optional.empty();
            };
        }

        private Block source() {
            return new Block(where + ".source", (ObjectNode) node.get("source"));
        }

        private String nested(String name, Function<Block, String> inner) {
            StringBuilder text = new StringBuilder();
            find(name)
                    .ifPresent(
                            content ->
                                    forEach(
                                            where + "." + name,
                                            content,
                                            part -> text.append(inner.apply(part))));
            return text.toString();
        }

        private ApiException unreadable() {
            return MediaKind.of(type())
                    .map(kind -> kind.refused(where))
                    .orElseGet(this::unsupported);
        }

        /** Skips a block about actions of Anthropic's servers, and refuses any other. */
        void skipIfOfServer() {
            if (!type().equals("server_tool_use") && !type().endsWith("_tool_result")) {
                throw unsupported();
            }
        }

        private ApiException unsupported() {
            String type = type();
            return ApiException.invalid(
                    where,
                    where
                            + ": blocks of type '"
                            + (type.length() > MAX_SHOWN ? "…" : type)
                            + "' are not supported here by this model");
        }
    }

    /** Calls {@code use} for each block; a string counts as one text block. */
    static void forEach(String where, JsonNode content, Consumer<Block> use) {
        if (content.isString()) {
            use.accept(new Block(where, text(content.stringValue())));
            return;
        }
        if (!content.isArray()) {
            throw RequestFields.wrongType(where, "a string or an array of blocks", content);
        }
        for (int i = 0; i < content.size(); i++) {
            String place = where + "[" + i + "]";
            JsonNode block = content.get(i);
            if (block.isString()) {
                use.accept(new Block(place, text(block.stringValue())));
            } else if (block instanceof ObjectNode object) {
                use.accept(new Block(place, object));
            } else {
                throw RequestFields.wrongType(place, "an object", block);
            }
        }
    }

    private static ObjectNode text(String text) {
        return Json.object().put("type", "text").put("text", text);
    }
}
