package dev.varve.platform.http.responses;

import dev.varve.platform.chat.ResponseParser;
import dev.varve.platform.chat.ToolCallDelta;
import dev.varve.platform.http.json.Json;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Turns the pieces of a response into consecutive items and their events. */
final class OutputItems {
    private final ResponsesEventQueue events;
    private final ToolNames names;
    private final ArrayNode ended = Json.MAPPER.createArrayNode();

    /** Log probabilities of tokens whose text is still held back. */
    private final List<ObjectNode> entries = new ArrayList<>();

    private Optional<OutputItem> open = Optional.empty();

    OutputItems(ResponsesEventQueue events, ToolNames names) {
        this.events = events;
        this.names = names;
    }

    /** Returns the items that ended. */
    ArrayNode ended() {
        return ended;
    }

    /** Adds the log probabilities of a token; call before the piece that it completes. */
    void addLogprobs(ObjectNode entry) {
        entries.add(entry);
    }

    /** Adds the next piece. Parts of the open call come before the texts of the piece. */
    void add(ResponseParser.Piece piece) {
        List<ToolCallDelta> rest =
                piece.calls().stream().takeWhile(delta -> delta.name().isEmpty()).toList();
        rest.forEach(this::addCall);
        if (!piece.reasoning().isEmpty()) {
            text(TextItem.Kind.REASONING).append(piece.reasoning(), List.of());
            entries.clear();
        }
        if (!piece.content().isEmpty()) {
            TextItem message = text(TextItem.Kind.MESSAGE);
            if (message.isEmpty()) {
                dropSpaceBefore(piece.content());
            }
            message.append(piece.content(), List.copyOf(entries));
            entries.clear();
        }
        piece.calls().stream().skip(rest.size()).forEach(this::addCall);
    }

    /**
     * Drops the log probabilities of white space after reasoning, since the text omits that white
     * space.
     */
    private void dropSpaceBefore(String content) {
        while (!Character.isWhitespace(content.charAt(0))
                && !entries.isEmpty()
                && entries.getFirst().get("token").stringValue().isBlank()) {
            entries.removeFirst();
        }
    }

    private void addCall(ToolCallDelta delta) {
        call(delta).append(delta.arguments());
        entries.clear();
    }

    /** Ends the last item; {@code cut} if the token limit cut it off. */
    void end(boolean cut) {
        open.ifPresent(item -> ended.add(item.end(cut)));
        open = Optional.empty();
    }

    private TextItem text(TextItem.Kind kind) {
        if (open.orElse(null) instanceof TextItem item && item.kind() == kind) {
            return item;
        }
        end(false);
        TextItem item = TextItem.begun(events, kind, ended.size());
        open = Optional.of(item);
        return item;
    }

    /**
     * Returns the item of a part of a call: a new one if the part has a name, else the open one.
     */
    private FunctionCallItem call(ToolCallDelta delta) {
        if (delta.name().isEmpty() && open.orElseThrow() instanceof FunctionCallItem item) {
            return item;
        }
        end(false);
        FunctionCallItem item =
                FunctionCallItem.begun(
                        events, names.client(delta.name().orElseThrow()), ended.size());
        open = Optional.of(item);
        return item;
    }
}
