package dev.varve.dist;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.Map;

/** Answers that no demo model would give, put in the place of the server's. */
final class ScriptedChat {
    static final String ROUTE = "**/v1/chat/completions";

    private static final JsonMapper MAPPER = JsonMapper.shared();
    private static final int PIECE = 7;

    private ScriptedChat() {}

    /** All that is asked from now on is answered with a text, in small pieces. */
    static void answers(Page page, String thoughts, String text) {
        StringBuilder stream = new StringBuilder();
        if (!thoughts.isEmpty()) {
            stream.append(chunk(MAPPER.createObjectNode().put("reasoning_content", thoughts)));
        }
        for (int at = 0; at < text.length(); at += PIECE) {
            String piece = text.substring(at, Math.min(text.length(), at + PIECE));
            stream.append(chunk(MAPPER.createObjectNode().put("content", piece)));
        }
        ObjectNode last = event();
        last.putArray("choices").addObject().put("finish_reason", "stop").putObject("delta");
        stream.append("data: ").append(last).append("\n\n").append(usage());
        stream.append("data: [DONE]\n\n");
        fulfill(page, 200, "text/event-stream", stream.toString());
    }

    /** All that is asked from now on is refused. */
    static void refuses(Page page, int status, String code, String message) {
        ObjectNode body = MAPPER.createObjectNode();
        body.putObject("error").put("message", message).put("code", code);
        fulfill(page, status, "application/json", body.toString());
    }

    /** A look at all requests finds one that waits, of whose prompt so much is read. */
    static void reads(Route look, Route waiting, int tokens, int of) {
        ObjectNode body = MAPPER.createObjectNode();
        body.putArray("requests")
                .addObject()
                .put("request_id", waiting.request().headers().get("x-request-id"))
                .put("state", "prefill")
                .put("computed_tokens", tokens)
                .put("prompt_tokens", of);
        fulfill(look, body);
    }

    /** There are models with these ids. */
    static void lists(Route route, String... ids) {
        ObjectNode body = MAPPER.createObjectNode();
        ArrayNode models = body.putArray("data");
        for (String id : ids) {
            models.addObject()
                    .put("id", id)
                    .put("state", "ready")
                    .putArray("capabilities")
                    .add("chat");
        }
        fulfill(route, body);
    }

    private static void fulfill(Route route, ObjectNode body) {
        route.fulfill(
                new Route.FulfillOptions()
                        .setContentType("application/json")
                        .setBody(body.toString()));
    }

    /** The server itself answers again. */
    static void ends(Page page) {
        page.unroute(ROUTE);
    }

    private static void fulfill(Page page, int status, String type, String body) {
        page.route(
                ROUTE,
                route ->
                        route.fulfill(
                                new Route.FulfillOptions()
                                        .setStatus(status)
                                        .setHeaders(Map.of("Retry-After", "1"))
                                        .setContentType(type)
                                        .setBody(body)));
    }

    private static ObjectNode event() {
        return MAPPER.createObjectNode().put("id", "scripted").put("model", "scripted-model");
    }

    private static String chunk(ObjectNode delta) {
        ObjectNode event = event();
        event.putArray("choices").addObject().set("delta", delta);
        return "data: " + event + "\n\n";
    }

    private static String usage() {
        ObjectNode event = event();
        event.putArray("choices");
        ObjectNode usage = event.putObject("usage");
        usage.put("prompt_tokens", 1310).put("completion_tokens", 312);
        usage.putObject("prompt_tokens_details").put("cached_tokens", 1204);
        usage.putObject("completion_tokens_details").put("reasoning_tokens", 30);
        event.putObject("timings")
                .put("prefill_ms", 120.0)
                .put("decode_ms", 7000.0)
                .put("decode_tokens_per_second", 44.6)
                .put("draft_tokens", 100)
                .put("accepted_tokens", 71)
                .put("acceptance_length", 2.4)
                .put("cache_source", "host");
        return "data: " + event + "\n\n";
    }
}
