package dev.varve.platform.http.responses;

import dev.varve.platform.chat.ResponseParser;
import dev.varve.platform.chat.ToolCallDelta;
import dev.varve.platform.http.json.Json;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Makes items of the pieces of an answer, one behind the other, and tells of them in events. */
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

    /** Items that ended. */
    ArrayNode ended() {
        return ended;
    }

    /** The log probabilities of a token, in front of what it settles. */
    void addLogprobs(ObjectNode entry) {
        entries.add(entry);
    }

    /** Takes the next piece. What belongs to the call that is open comes before its texts. */
    void add(ResponseParser.Piece piece) {
        List<ToolCallDelta> rest =
                piece.calls().stream().takeWhile(delta -> delta.name().isEmpty()).toList();
        rest.forEach(this::addCall);
        if (!piece.reasoning().isEmpty()) {
            text(TextItem.Kind.THOUGHTS).append(piece.reasoning(), List.of());
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

    /** White space behind thoughts is left out of the text, and so are its tokens. */
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

    /** Ends the last item; {@code cut}: for want of tokens. */
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

    /** A part of a call belongs to the last one, unless it has a name. */
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
