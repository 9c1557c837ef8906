package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.PagingCounts;
import dev.varve.platform.paging.PagingOptions;
import dev.varve.platform.paging.PagingStatus;
import dev.varve.testkit.MetricsText;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

/** Reports to clients and operators on a bounded attention cache. */
class PagingVisibilityTest {
    private static final PagingStatus STATUS =
            new PagingStatus(
                    new PagingOptions(1024, PagePolicy.QK, 64),
                    new PagingCounts(30, 20, 4096, 5, 3, 2),
                    10,
                    2048);
    private static final GenerationEnd.Paging PAGES =
            new GenerationEnd.Paging(PagePolicy.QK, new PagingCounts(3, 2, 1024, 1, 1, 0), 16, 1);

    private static final String EXPECTED =
            "{'policy':'qk','pages_out':3,'pages_in':2,'moved_bytes':1024,'reselects':1,'recalls':1,"
                + "'recall_hit_rate':0.0,'resident_pages':16,'host_pages':1}";

    private static String single(JsonNode node) {
        return node.toString().replace('"', '\'');
    }

    @Test
    void propsReportThePoolAndItsPages() throws Exception {
        try (ScriptedEngine engine = new ScriptedEngine().pages(STATUS, PAGES);
                TestServer server = TestServer.of(engine)) {
            assertEquals(
                    "{'pool_tokens':1024,'policy':'qk','tau':64,'pages_out':30,'pages_in':20,"
                            + "'host_pages':10,'host_bytes':2048,'moved_bytes':4096,"
                            + "'reselects':5,'recalls':3,'recall_hit_rate':0.667}",
                    single(TestServer.json(server.get("/props")).at("/runtime/kvflash")));
            String metrics = server.get("/metrics").body();
            assertEquals(
                    30, MetricsText.parse(metrics).value("varve_kvflash_pages_out_total"), metrics);
        }
    }

    @Test
    void responseReportsItsPages() throws Exception {
        try (ScriptedEngine engine = new ScriptedEngine().pages(STATUS, PAGES).says(1, 2);
                TestServer server = TestServer.of(engine)) {
            JsonNode answer =
                    TestServer.json(
                            server.post(
                                    "/v1/completions", "{\"prompt\": \"a\", \"max_tokens\": 4}"));

            assertEquals(EXPECTED, single(answer.at("/timings/kvflash")));
        }
    }

    @Test
    void lastStreamChunkReportsItsPages() throws Exception {
        try (ScriptedEngine engine = new ScriptedEngine().pages(STATUS, PAGES).says(1, 2);
                TestServer server = TestServer.of(engine)) {
            String stream =
                    server.post(
                                    "/v1/completions",
                                    "{\"prompt\": \"a\", \"stream\": true, \"stream_options\":"
                                            + " {\"include_usage\": true}}")
                            .body();

            assertTrue(stream.replace('"', '\'').contains("'kvflash':" + EXPECTED), stream);
        }
    }

    @Test
    void withoutAPoolNoPagesAreReported() throws Exception {
        try (ScriptedEngine engine = new ScriptedEngine().says(1);
                TestServer server = TestServer.of(engine)) {
            String answer =
                    server.post("/v1/completions", "{\"prompt\": \"a\", \"max_tokens\": 4}").body();

            assertFalse(answer.contains("kvflash"), answer);
            assertFalse(server.get("/props").body().contains("kvflash"));
            assertFalse(server.get("/metrics").body().contains("kvflash"));
        }
    }
}
