package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.ReplicaControl;
import dev.varve.platform.engine.ReplicaStatus;
import dev.varve.platform.http.access.CacheAccessSettings;
import dev.varve.platform.http.access.CacheSharingPolicy;
import dev.varve.platform.http.access.ClientAccessSettings;
import dev.varve.platform.http.access.CorsAndHostOptions;
import dev.varve.platform.http.access.ListenAddress;
import dev.varve.platform.intake.IngressLimits;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** {@code POST /replicas/ID/drain} and {@code /resume}: what they do, and for whom. */
@Timeout(60)
class ReplicaRoutesTest {
    private final ScriptedControl control = new ScriptedControl();
    private final ScriptedEngine engine =
            new ScriptedEngine()
                    .hasReplicas(
                            replica(0, ReplicaStatus.State.READY),
                            replica(1, ReplicaStatus.State.DRAINED))
                    .isControlledBy(control);

    @AfterEach
    void stop() {
        engine.close();
    }

    private static ReplicaStatus replica(int id, ReplicaStatus.State state) {
        return new ReplicaStatus(
                id,
                state,
                Optional.of("made for the test"),
                new EngineStatus.Load(100, 4, 0, 0),
                new EngineStatus.Tokens(0, 0, 0),
                new ReplicaStatus.FailoverCounts(2, 1));
    }

    /** Records orders for two replicas, which end at once. */
    private static final class ScriptedControl implements ReplicaControl {
        private final List<String> orders = Collections.synchronizedList(new ArrayList<>());
        private Optional<VarveException> refusal = Optional.empty();

        @Override
        public int count() {
            return 2;
        }

        private CompletableFuture<Void> order(String text) {
            orders.add(text);
            return refusal.<CompletableFuture<Void>>map(CompletableFuture::failedFuture)
                    .orElseGet(() -> CompletableFuture.completedFuture(null));
        }

        @Override
        public CompletableFuture<Void> drain(int replica) {
            return order("drain " + replica);
        }

        @Override
        public CompletableFuture<Void> resume(int replica) {
            return order("resume " + replica);
        }
    }

    @Test
    void replicaIsDrainedAndReported() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> response = server.post("/replicas/1/drain", "");

            assertEquals(200, response.statusCode(), response.body());
            JsonNode replica = TestServer.json(response);
            assertEquals(1, replica.get("id").intValue());
            assertEquals("drained", replica.get("state").stringValue());
            assertEquals(2, replica.get("moved_requests").intValue());
            assertEquals(List.of("drain 1"), control.orders);
        }
    }

    @Test
    void replicaIsResumed() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> response = server.post("/replicas/0/resume", "");

            assertEquals(200, response.statusCode(), response.body());
            assertEquals("ready", TestServer.json(response).get("state").stringValue());
            assertEquals(List.of("resume 0"), control.orders);
        }
    }

    @Test
    void refusalIsInTheResponse() throws Exception {
        control.refusal =
                Optional.of(new VarveException(VarveException.Kind.UNAVAILABLE, "the only one"));
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> response = server.post("/replicas/0/drain", "");

            assertEquals(503, response.statusCode());
            assertEquals(
                    "the only one", TestServer.json(response).at("/error/message").stringValue());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/replicas/2/drain",
                "/replicas/x/drain",
                "/replicas/-1/drain",
                "/replicas/99999/drain",
                "/replicas/0",
                "/replicas/0/restart",
                "/replicas/0/drain/now"
            })
    void otherPathsAreNotFound(String path) throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            assertEquals(404, server.post(path, "").statusCode());
            assertEquals(List.of(), control.orders);
        }
    }

    @Test
    void singleEngineHasNoReplicas() throws Exception {
        try (ScriptedEngine single = new ScriptedEngine();
                TestServer server = TestServer.of(single)) {
            HttpResponse<String> response = server.post("/replicas/0/drain", "");

            assertEquals(404, response.statusCode());
            assertEquals(
                    "replica_not_found", TestServer.json(response).at("/error/code").stringValue());
        }
    }

    @Test
    void onlyTheOperatorMayPost() throws Exception {
        HttpOptions options =
                new HttpOptions(
                        ListenAddress.LOOPBACK,
                        new ClientAccessSettings(
                                        Set.of("one", "two"),
                                        ClientAccessSettings.KeylessListening.LOOPBACK_ONLY,
                                        CorsAndHostOptions.NONE)
                                .withCache(
                                        new CacheAccessSettings(
                                                CacheSharingPolicy.KEY, Optional.of("op"))),
                        IngressLimits.DEFAULT);
        try (TestServer server = TestServer.of(engine, options)) {
            String[] client = {"Authorization", "Bearer one"};
            String[] operator = {"Authorization", "Bearer op"};

            assertEquals(403, server.post("/replicas/0/drain", "", client).statusCode());
            assertEquals(401, server.post("/replicas/0/drain", "").statusCode());
            assertEquals(List.of(), control.orders);
            assertEquals(405, server.get("/replicas/0/drain", operator).statusCode());
            assertEquals(200, server.post("/replicas/0/drain", "", operator).statusCode());
        }
    }
}
