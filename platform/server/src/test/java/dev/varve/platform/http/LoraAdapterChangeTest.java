package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.http.model.AdapterLoader;
import dev.varve.platform.http.model.ServedAdapters;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.shard.lora.LoraScales;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;

/** LoRA adapters that the operator adds and removes while the model runs. */
@Timeout(60)
class LoraAdapterChangeTest {
    private static final String CHAT = "\"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}]";

    private final ScriptedEngine engine = new ScriptedEngine().hasContext(1000);
    private final Loader loader = new Loader();
    private final TestServer server = TestServer.of(adapted());

    /** Gives numbers from 1 on, since the model was loaded with one adapter. */
    private static final class Loader implements AdapterLoader {
        final List<Integer> removed = new ArrayList<>();
        private int next = 1;

        @Override
        public Loaded add(String path) {
            if (path.equals("wrong.gguf")) {
                throw new VarveException(
                        VarveException.Kind.CORRUPT_FILE,
                        "shard cpu:0 (layers 0 to 3): wrong.gguf: tensor a: expected b, found c");
            }
            int id = next++;
            return new Loaded(id, "/adapters/" + path, "digest of " + path);
        }

        @Override
        public void remove(int id) {
            removed.add(id);
        }
    }

    private ServedModel adapted() {
        engine.says(SmallChat.answer("ok"));
        ServedModel plain = SmallChat.served(engine);
        return new ServedModel(
                plain.description()
                        .with(
                                new ServedAdapters(
                                        List.of(new ServedAdapters.Adapter("a.gguf", 1)), loader)),
                plain.engine(),
                plain.textProcessing());
    }

    @AfterEach
    void stop() {
        server.close();
        engine.close();
    }

    private LoraScales scales(String fields) throws Exception {
        requireOk(server.post("/v1/chat/completions", "{" + CHAT + fields + "}"));
        return engine.requests.getLast().prompt().scope().lora();
    }

    private static void requireOk(HttpResponse<String> response) {
        assertEquals(200, response.statusCode(), response.body());
    }

    private HttpResponse<String> add(String body) throws Exception {
        return server.post("/lora-adapters/add", body);
    }

    private String list() throws Exception {
        return TestServer.json(server.get("/lora-adapters")).toString();
    }

    @Test
    void anAddedAdapterChangesOnlyRequestsThatNameIt() throws Exception {
        HttpResponse<String> added = add("{\"path\": \"b.gguf\"}");

        requireOk(added);
        assertEquals("{\"id\":1,\"path\":\"/adapters/b.gguf\",\"scale\":0.0}", added.body());
        assertEquals(
                "[{\"id\":0,\"path\":\"a.gguf\",\"scale\":1.0},"
                        + "{\"id\":1,\"path\":\"/adapters/b.gguf\",\"scale\":0.0}]",
                list());
        assertEquals(LoraScales.AS_LOADED, scales(""));
        assertEquals(
                new LoraScales(List.of(0f, 0.5f), List.of("", "digest of b.gguf")),
                scales(", \"lora\": [{\"id\": 1, \"scale\": 0.5}]"));
    }

    @Test
    void aScaleAppliesToRequestsWithoutScales() throws Exception {
        requireOk(add("{\"path\": \"b.gguf\", \"scale\": 2}"));

        assertEquals(new LoraScales(List.of(1f, 2f), List.of("", "digest of b.gguf")), scales(""));
    }

    @Test
    void aRemovedAdapterIsNoLongerOffered() throws Exception {
        requireOk(add("{\"path\": \"b.gguf\"}"));
        requireOk(add("{\"path\": \"c.gguf\"}"));

        HttpResponse<String> removed = server.method("DELETE", "/lora-adapters/1");

        requireOk(removed);
        assertEquals("{\"success\":true}", removed.body());
        assertEquals(List.of(1), loader.removed);
        HttpResponse<String> refused =
                server.post(
                        "/v1/chat/completions",
                        "{" + CHAT + ", \"lora\": [{\"id\": 1, \"scale\": 1}]}");
        assertEquals(400, refused.statusCode());
        assertTrue(
                refused.body().contains("lora[0].id: expected one of the ids [0, 2], found 1"),
                refused.body());
        assertEquals(
                new LoraScales(List.of(0f, 0f, 1f), List.of("", "", "digest of c.gguf")),
                scales(", \"lora\": [{\"id\": 2, \"scale\": 1}]"));
    }

    /** The loader gives the number of a removed adapter again, as hosts do. */
    @Test
    void anIdIsNotGivenAgain() throws Exception {
        requireOk(add("{\"path\": \"b.gguf\"}"));
        requireOk(server.method("DELETE", "/lora-adapters/1"));
        loader.next = 1;

        HttpResponse<String> added = add("{\"path\": \"c.gguf\"}");

        assertEquals("{\"id\":2,\"path\":\"/adapters/c.gguf\",\"scale\":0.0}", added.body());
        assertEquals(404, server.method("DELETE", "/lora-adapters/1").statusCode());
        assertEquals(
                400,
                server.post(
                                "/v1/chat/completions",
                                "{" + CHAT + ", \"lora\": [{\"id\": 1, \"scale\": 1}]}")
                        .statusCode());
        assertEquals(
                new LoraScales(List.of(0f, 1f), List.of("", "digest of c.gguf")),
                scales(", \"lora\": [{\"id\": 2, \"scale\": 1}]"));
        requireOk(server.method("DELETE", "/lora-adapters/2"));
        assertEquals(List.of(1, 1), loader.removed);
    }

    /** The model as it was loaded is another one then, also for cached prefixes. */
    @Test
    void withoutALoadedAdapterScalesAreNamed() throws Exception {
        requireOk(server.method("DELETE", "/lora-adapters/0"));

        assertEquals("[]", list());
        assertEquals(new LoraScales(List.of(0f)), scales(""));
    }

    @Test
    void anUnknownAdapterCannotBeRemoved() throws Exception {
        HttpResponse<String> refused = server.method("DELETE", "/lora-adapters/7");

        assertEquals(404, refused.statusCode());
        assertTrue(refused.body().contains("one of the ids [0], found 7"), refused.body());
        assertEquals(400, server.method("DELETE", "/lora-adapters/x").statusCode());
        assertEquals(List.of(), loader.removed);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{} | path: missing",
                "{\"path\": 1} | path: expected",
                "{\"path\": \"b.gguf\", \"scale\": \"1\"} | scale: expected a number",
                "{\"path\": \"wrong.gguf\"} | shard cpu:0 (layers 0 to 3): wrong.gguf: tensor a"
            })
    void anAdapterThatCannotBeAddedIsA400(String body, String message) throws Exception {
        HttpResponse<String> refused = add(body);

        assertEquals(400, refused.statusCode(), refused.body());
        assertTrue(refused.body().contains(message), refused.body());
        assertEquals("[{\"id\":0,\"path\":\"a.gguf\",\"scale\":1.0}]", list());
    }
}
