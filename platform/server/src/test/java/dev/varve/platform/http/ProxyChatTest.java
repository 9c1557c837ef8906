package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.upstream.UpstreamServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Optional;

/** Chats that the proxy forwards to another server, and the answers that clients get. */
@Timeout(60)
class ProxyChatTest {
    private static final String LONG =
            ProxyFixture.FILLER + ProxyFixture.NEEDLE + ProxyFixture.FILLER;

    private ScriptedUpstream upstream;

    @BeforeEach
    void start() throws IOException {
        upstream = ScriptedUpstream.start();
    }

    @AfterEach
    void stop() {
        upstream.close();
    }

    private static void requireCompressed(HttpResponse<String> response) {
        assertEquals(200, response.statusCode(), response.body());
        assertEquals("1", response.headers().firstValue("x-prompt-compressed").orElse(""));
    }

    private static void requireWhole(HttpResponse<String> response) {
        assertEquals(200, response.statusCode(), response.body());
        assertTrue(response.headers().firstValue("x-prompt-compressed").isEmpty());
    }

    @Test
    void longMessagesAreCompressedAndNothingElseChanges() throws Exception {
        ObjectNode body = ProxyFixture.longBody();
        body.put("temperature", 0.7).put("unknown", "kept").put("seed", Long.MAX_VALUE);
        body.putArray("tools").addObject().put("type", "function").put("description", LONG);
        body.put("prefill_keep_ratio", 0.1).put("prefill_compression", "always");
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target())) {
            HttpResponse<String> response = proxy.chat(body);

            requireCompressed(response);
            ScriptedUpstream.Asked asked = upstream.next();
            assertEquals("/v1/chat/completions", asked.path());
            ObjectNode sent = (ObjectNode) asked.json();
            String left = text(sent, 1);
            assertTrue(left.length() < LONG.length() / 4, left);
            assertTrue(left.contains(ProxyFixture.NEEDLE.strip()), left);
            ObjectNode expected = body.deepCopy();
            expected.remove(java.util.List.of("prefill_keep_ratio", "prefill_compression"));
            ((ObjectNode) expected.get("messages").get(1)).put("content", left);
            assertEquals(expected, sent);
        }
    }

    private static String text(JsonNode body, int message) {
        return body.get("messages").get(message).get("content").stringValue();
    }

    @Test
    void usageReportsCompressionBesideTheUpstreamCounts() throws Exception {
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target())) {
            HttpResponse<String> response = proxy.chat(ProxyFixture.longBody());

            JsonNode usage = ProxyFixture.json(response).get("usage");
            assertEquals(77, usage.get("prompt_tokens").asInt());
            assertEquals(79, usage.get("total_tokens").asInt());
            assertEquals(77, usage.get("effective_prompt_tokens").asInt());
            assertTrue(response.body().contains("\"cost\":0.10,"), response.body());
            JsonNode compression = usage.get("compression");
            assertEquals("whole", compression.get("mode").asString());
            assertTrue(compression.get("keep_actual").asDouble() < 0.25, usage.toString());
            int before = compression.get("drafter_prompt_tokens").asInt();
            assertTrue(before > LONG.length(), usage.toString());
            assertTrue(compression.get("drafter_effective_tokens").asInt() < before / 4);
            assertTrue(ProxyFixture.json(response).get("timings").has("compression"));
            String metrics = proxy.get("/metrics").body();
            assertTrue(metrics.contains("varve_pflash_prompts_total{mode=\"whole\",model=\"\"} 1"));
            assertTrue(metrics.contains("varve_upstream_requests_total 1"), metrics);
        }
    }

    /** Not a byte changes, not even a space, where nothing is to be changed. */
    @Test
    void shortRequestIsForwardedUnchanged() throws Exception {
        String body =
                "{ \"messages\" : [{\"role\":\"user\",\"content\":\"H\\u0069\"}],\"x\":1.50e2,"
                        + "\"y\":123456789012345678901234567890.12345678901234567890 }";
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target())) {
            HttpResponse<String> response = proxy.post("/v1/chat/completions", body);

            requireWhole(response);
            assertEquals(ScriptedUpstream.ANSWER, response.body());
            assertEquals(body, upstream.next().text());
            assertEquals(0, proxy.drafter.readings());
        }
    }

    @Test
    void numbersKeepTheirDigitsInChangedRequests() throws Exception {
        String number = "0.12345678901234567890123456789";
        ObjectNode body = ProxyFixture.longBody();
        String text = body.toString().replaceFirst("}$", ",\"x\":" + number + ",\"y\":1.50}");
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target())) {
            requireCompressed(proxy.post("/v1/chat/completions", text));

            String sent = upstream.next().text();
            assertTrue(sent.endsWith(",\"x\":" + number + ",\"y\":1.50}"), sent);
        }
    }

    /** Numbers beyond a double are no reason to fail, and those beside texts stay as they are. */
    @Test
    void numbersInMessagesKeepTheirDigitsToo() throws Exception {
        String parts =
                "[{\"type\":\"text\",\"text\":\""
                        + LONG
                        + "\"},{\"type\":\"box\",\"at\":0.12345678901234567890,\"far\":1E+999}]";
        ObjectNode body = ProxyFixture.body("s", "", ProxyFixture.QUESTION);
        String text = body.toString().replaceFirst("\"content\":\"\"", "\"content\":" + parts);
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target())) {
            requireCompressed(proxy.post("/v1/chat/completions", text));

            String sent = upstream.next().text();
            assertTrue(sent.contains("\"at\":0.12345678901234567890,\"far\":1E+999"), sent);
        }
    }

    /** One client must not keep the drafter from all others for hours. */
    @Test
    void requestLongerThanAnyContextIsForwardedUnchanged() throws Exception {
        String body =
                ProxyFixture.body("s", "ab ".repeat(400_000), ProxyFixture.QUESTION).toString();
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target())) {
            requireWhole(proxy.post("/v1/chat/completions", body));

            assertEquals(body, upstream.next().text());
        }
    }

    /** Another server may know what a conversation is called; this one learns nothing. */
    @Test
    void conversationNameIsForwarded() throws Exception {
        ObjectNode body = ProxyFixture.longBody().put("session_id", "a".repeat(1000));
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target())) {
            requireCompressed(proxy.chat(body));

            assertEquals(body.get("session_id"), upstream.next().json().get("session_id"));
        }
    }

    @Test
    void modelNameIsReplacedIfConfigured() throws Exception {
        UpstreamServer target =
                new UpstreamServer(upstream.base(), Optional.empty(), Optional.of("ours"));
        try (ProxyFixture proxy = ProxyFixture.of(target)) {
            requireWhole(proxy.chat(ProxyFixture.body("s", "Hi")));
            requireWhole(proxy.post("/v1/chat/completions", TestServer.chatBody("")));

            assertEquals("ours", upstream.next().json().get("model").asString());
            assertEquals("ours", upstream.next().json().get("model").asString());
        }
    }

    /** A developer's message is a system prompt, whatever it is called. */
    @Test
    void systemPromptsToolsAndQuestionsAreUnchanged() throws Exception {
        ObjectNode body = ProxyFixture.body(LONG, LONG, ProxyFixture.QUESTION);
        ((ArrayNode) body.get("messages"))
                .insertObject(1)
                .put("role", "developer")
                .put("content", LONG + "!");
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target())) {
            requireCompressed(proxy.chat(body));

            JsonNode sent = upstream.next().json();
            assertEquals(LONG, text(sent, 0));
            assertEquals("developer", sent.get("messages").get(1).get("role").asString());
            assertEquals(LONG + "!", text(sent, 1));
            assertTrue(text(sent, 2).length() < LONG.length() / 4);
            assertEquals(ProxyFixture.QUESTION, text(sent, 3));
        }
    }

    @Test
    void imagesAreKeptAndOnlyTextPartsAreCompressed() throws Exception {
        ObjectNode body = ProxyFixture.body("s", "", ProxyFixture.QUESTION);
        ArrayNode parts = ((ObjectNode) body.get("messages").get(1)).putArray("content");
        parts.addObject().put("type", "text").put("text", LONG);
        ObjectNode image = parts.addObject().put("type", "image_url");
        image.putObject("image_url").put("url", "data:image/png;base64,AAAA");
        parts.addObject().put("type", "text").put("text", ProxyFixture.FILLER);
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target())) {
            requireCompressed(proxy.chat(body));

            JsonNode sent = upstream.next().json().get("messages").get(1).get("content");
            assertEquals(2, sent.size(), sent.toString());
            assertTrue(sent.get(0).get("text").stringValue().length() < LONG.length() / 4);
            assertTrue(sent.get(0).get("text").stringValue().contains("under the stone"));
            assertEquals(image, sent.get(1));
        }
    }

    /** The first turn is not repeated to the drafter; its cuts stay as they were. */
    @Test
    void laterTurnsStartWithTheCompressedFirstTurn() throws Exception {
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target())) {
            ObjectNode body = ProxyFixture.longBody();
            requireCompressed(proxy.chat(body));
            ArrayNode messages = (ArrayNode) body.get("messages");
            ObjectNode call = messages.addObject().put("role", "assistant").putNull("content");
            call.putArray("tool_calls")
                    .addObject()
                    .put("id", "c")
                    .putObject("function")
                    .put("name", "f")
                    .put("arguments", "{\"a\": 1.50}");
            messages.addObject()
                    .put("role", "tool")
                    .put("tool_call_id", "c")
                    .put("content", "done");

            HttpResponse<String> second = proxy.chat(body);

            requireCompressed(second);
            JsonNode first = upstream.next().json().get("messages");
            JsonNode later = upstream.next().json().get("messages");
            for (int i = 0; i < first.size(); i++) {
                assertEquals(first.get(i), later.get(i));
            }
            assertEquals(call, later.get(3));
            assertEquals(messages.get(4), later.get(4));
            assertEquals(
                    "earlier",
                    ProxyFixture.json(second)
                            .get("usage")
                            .get("compression")
                            .get("mode")
                            .asString());
            assertEquals(1, proxy.drafter.readings());
        }
    }

    @Test
    void oldMessagesAreCompressedOneByOneOnRequest() throws Exception {
        ObjectNode body = ProxyFixture.body("s", LONG);
        ArrayNode messages = (ArrayNode) body.get("messages");
        messages.addObject().put("role", "assistant").put("content", "Yes.");
        messages.addObject().put("role", "tool").put("tool_call_id", "c").put("content", LONG);
        messages.addObject().put("role", "assistant").put("content", "Seen.");
        messages.addObject().put("role", "user").put("content", ProxyFixture.QUESTION);
        try (ProxyFixture proxy = ProxyFixture.byMessage(upstream.target())) {
            HttpResponse<String> response = proxy.chat(body);

            requireCompressed(response);
            JsonNode sent = upstream.next().json();
            assertTrue(text(sent, 1).length() < LONG.length() / 3);
            assertTrue(text(sent, 3).length() < LONG.length() / 3);
            assertEquals("c", sent.get("messages").get(3).get("tool_call_id").asString());
            assertEquals(ProxyFixture.QUESTION, text(sent, 5));
            assertTrue(response.body().contains("\"mode\":\"flowkv\""), response.body());
        }
    }

    @Test
    void requestMayDisableCompressionAndInvalidFieldsAreRefused() throws Exception {
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target())) {
            requireWhole(proxy.chat(ProxyFixture.longBody().put("prefill_compression", "off")));
            assertFalse(upstream.next().json().has("prefill_compression"));
            HttpResponse<String> wrong =
                    proxy.chat(ProxyFixture.longBody().put("prefill_keep_ratio", 2));
            assertEquals(400, wrong.statusCode());
            assertTrue(wrong.body().contains("prefill_keep_ratio"), wrong.body());
            assertEquals(400, proxy.post("/v1/chat/completions", "{\"mess").statusCode());
            assertTrue(upstream.isIdle());
        }
    }

    /** The proxy forwards invalid messages, and the other server reports the error. */
    @Test
    void invalidMessagesAreForwardedUnchanged() throws Exception {
        upstream.says(exchange -> ScriptedUpstream.reply(exchange, 422, "{\"detail\":\"no\"}"));
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target())) {
            for (String body : new String[] {"{}", "{\"messages\":[]}", "{\"messages\":[1]}"}) {
                HttpResponse<String> response = proxy.post("/v1/chat/completions", body);

                assertEquals(422, response.statusCode());
                assertEquals("{\"detail\":\"no\"}", response.body());
                assertEquals(body, upstream.next().text());
            }
        }
    }

    @Test
    void lostDrafterDisablesCompressionOnly() throws Exception {
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target())) {
            proxy.drafter.failWith(
                    Optional.of(
                            new VarveException(
                                    VarveException.Kind.UNAVAILABLE, "the drafter went away")));
            ObjectNode body = ProxyFixture.longBody();

            requireWhole(proxy.chat(body));

            assertEquals(body.toString(), upstream.next().text());
            String metrics = proxy.get("/metrics").body();
            assertTrue(metrics.contains("varve_pflash_failures_total{model=\"\"} 1"), metrics);
        }
    }

    @Test
    void modelsAreThoseOfTheUpstream() throws Exception {
        String list =
                "{\"object\":\"list\",\"data\":[{\"id\":\"a/b\",\"extra\":1},{\"id\":\"c\"}]}";
        upstream.says(exchange -> ScriptedUpstream.reply(exchange, 200, list));
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target());
                ProxyFixture named =
                        ProxyFixture.of(
                                new UpstreamServer(
                                        upstream.base(), Optional.empty(), Optional.of("x/y")))) {
            assertEquals(list, proxy.get("/v1/models").body());
            assertEquals("/v1/models", upstream.next().path());
            assertEquals("{\"id\":\"a/b\",\"extra\":1}", proxy.get("/v1/models/a/b").body());
            assertEquals(404, proxy.get("/v1/models/d").statusCode());
            upstream.next();
            upstream.next();
            JsonNode own = Json.MAPPER.readTree(named.get("/v1/models").body());
            assertEquals("x/y", own.get("data").get(0).get("id").asString());
            assertEquals(200, named.get("/v1/models/x/y").statusCode());
            assertEquals(404, named.get("/v1/models/c").statusCode());
            assertTrue(upstream.isIdle());
        }
    }

    @Test
    void proxyDescribesItself() throws Exception {
        UpstreamServer target =
                new UpstreamServer(upstream.base(), Optional.of("sk-secret"), Optional.of("ours"));
        try (ProxyFixture proxy = ProxyFixture.of(target)) {
            assertEquals("proxy", ProxyFixture.json(proxy.get("/health")).get("mode").asString());
            HttpResponse<String> props = proxy.get("/props");
            assertFalse(props.body().contains("secret"), props.body());
            JsonNode told = ProxyFixture.json(props).get("upstream");
            assertEquals(upstream.base().toString(), told.get("base").asString());
            assertEquals("ours", told.get("model").asString());
            assertFalse(target.toString().contains("secret"));
        }
    }

    @Test
    void otherRoutesAreRefusedInTheUsualFormat() throws Exception {
        try (ProxyFixture proxy = ProxyFixture.of(upstream.target())) {
            for (String path : new String[] {"/v1/completions", "/v1/embeddings", "/tokenize"}) {
                HttpResponse<String> response = proxy.post(path, "{}");

                assertEquals(501, response.statusCode(), path);
                JsonNode error = ProxyFixture.json(response).get("error");
                assertTrue(error.get("message").stringValue().contains(path), error.toString());
                assertEquals("not_proxied", error.get("code").asString());
            }
            assertEquals(404, proxy.post("/v1/other", "{}").statusCode());
            assertEquals(405, proxy.get("/v1/chat/completions").statusCode());
            assertTrue(upstream.isIdle());
        }
    }
}
