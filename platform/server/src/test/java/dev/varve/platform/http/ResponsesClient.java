package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.json.Json;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A client of {@code /v1/responses} that keeps a conversation, and finds fault with streams that
 * are not as they must be.
 */
final class ResponsesClient {
    private final TestServer server;
    private final ObjectNode body;
    private final ArrayNode input;

    /** {@code fields}: all of the request but the input. */
    ResponsesClient(TestServer server, String fields) {
        this.server = server;
        body = (ObjectNode) Json.MAPPER.readTree("{" + fields + "}");
        input = body.putArray("input");
    }

    ResponsesClient adds(String item) {
        input.add(Json.MAPPER.readTree(item));
        return this;
    }

    /** Says something as a user. */
    ResponsesClient says(String text) {
        input.addObject().put("role", "user").put("content", text);
        return this;
    }

    ResponsesClient addsResult(JsonNode call, String text) {
        input.addObject()
                .put("type", call.get("type").stringValue() + "_output")
                .put("call_id", call.get("call_id").stringValue())
                .put("output", text);
        return this;
    }

    HttpResponse<String> posts(boolean stream) throws Exception {
        return server.post("/v1/responses", Json.write(body.put("stream", stream)));
    }

    /** The answer, whose items are in the conversation from now on. */
    JsonNode asks(boolean stream) throws Exception {
        HttpResponse<String> answer = posts(stream);
        assertEquals(200, answer.statusCode(), answer.body());
        JsonNode response = stream ? ended(answer.body()) : TestServer.json(answer);
        response.get("output").forEach(input::add);
        return response;
    }

    /** The items of an answer that are of a type. */
    static List<JsonNode> items(JsonNode response, String type) {
        List<JsonNode> items = new ArrayList<>();
        for (JsonNode item : response.get("output")) {
            if (item.get("type").stringValue().equals(type)) {
                items.add(item);
            }
        }
        return items;
    }

    /** The text of the only item of a type; empty if there is none. */
    static String text(JsonNode response, String type) {
        List<JsonNode> items = items(response, type);
        assertTrue(items.size() < 2, response.toString());
        return items.isEmpty() ? "" : items.getFirst().at("/content/0/text").stringValue();
    }

    /** The answer without what is another one each time. */
    static String withoutIds(JsonNode response) {
        return response.toString()
                .replaceAll("\"(call|fc|ctc|msg|rs|resp)_[0-9a-f]+\"", "\"$1\"")
                .replaceAll("\"(created_at|completed_at)\":\\d+", "\"$1\":0");
    }

    /** Checks the end of a successful stream, and returns the response in its last event. */
    static JsonNode ended(String stream) {
        List<JsonNode> events = events(stream);
        JsonNode last = events.getLast();
        JsonNode response = last.get("response");
        assertEquals(
                "response." + response.get("status").stringValue(),
                last.get("type").stringValue(),
                stream);
        List<JsonNode> items = items(events);
        assertEquals(items, List.copyOf(response.get("output").values()), stream);
        return response;
    }

    /** The events, whose names and numbers are right. */
    static List<JsonNode> events(String stream) {
        List<JsonNode> events = TestServer.events(stream);
        List<String> names =
                stream.lines()
                        .filter(line -> line.startsWith("event: "))
                        .map(line -> line.substring("event: ".length()))
                        .toList();
        assertEquals(names, events.stream().map(event -> event.get("type").stringValue()).toList());
        for (int i = 0; i < events.size(); i++) {
            assertEquals(i, events.get(i).get("sequence_number").intValue(), stream);
        }
        assertEquals("response.created", names.get(0));
        assertEquals("response.in_progress", names.get(1));
        assertTrue(!stream.contains("[DONE]"), stream);
        return events;
    }

    /** The items that were done: each was added before, and what came of it is what it is. */
    private static List<JsonNode> items(List<JsonNode> events) {
        List<JsonNode> done = new ArrayList<>();
        Map<String, String> texts = new HashMap<>();
        JsonNode open = null;
        for (JsonNode event : events) {
            String type = event.get("type").stringValue();
            if (event.has("output_index")) {
                assertEquals(done.size(), event.get("output_index").intValue(), events.toString());
            }
            if (type.equals("response.output_item.added")) {
                assertTrue(open == null, "two items at once: " + events);
                open = event.get("item");
                assertEquals("in_progress", open.get("status").stringValue());
            } else if (type.equals("response.output_item.done")) {
                assertEquals(open.get("id"), event.at("/item/id"));
                assertEquals(open.get("type"), event.at("/item/type"));
                done.add(event.get("item"));
                open = null;
            } else if (event.has("item_id")) {
                assertEquals(open.get("id"), event.get("item_id"));
                follow(type, event, texts);
            }
        }
        assertTrue(open == null, "an item stays open: " + events);
        for (JsonNode item : done) {
            String text = texts.getOrDefault(item.get("id").stringValue(), "");
            assertEquals(
                    item.has("arguments")
                            ? item.get("arguments").stringValue()
                            : item.has("input")
                                    ? item.get("input").stringValue()
                                    : item.at("/content/0/text").stringValue(),
                    text,
                    item.toString());
        }
        return done;
    }

    /** Joins the deltas of a text, and compares the result with the closing events. */
    private static void follow(String type, JsonNode event, Map<String, String> texts) {
        String id = event.get("item_id").stringValue();
        if (type.endsWith(".delta")) {
            String delta = event.get("delta").stringValue();
            assertTrue(!delta.isEmpty(), event.toString());
            texts.merge(id, delta, String::concat);
        } else if (type.equals("response.content_part.added")) {
            assertEquals("", event.at("/part/text").stringValue());
        } else {
            String field =
                    type.contains("arguments")
                            ? "arguments"
                            : type.contains("_input") ? "input" : "text";
            JsonNode holder = type.contains("content_part") ? event.get("part") : event;
            assertEquals(
                    texts.getOrDefault(id, ""), holder.get(field).stringValue(), event.toString());
        }
    }
}
