package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.serving.IdleTtl;
import dev.varve.platform.http.serving.LoadableModel;
import dev.varve.platform.http.serving.ModelLease;
import dev.varve.platform.http.serving.ModelManager;
import dev.varve.platform.http.serving.ModelNameResolver;
import dev.varve.platform.http.serving.ModelState;
import dev.varve.platform.http.serving.ModelStatus;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;

/** Which models are loaded, when, and for whom. */
@Timeout(60)
class ServedModelsTest {
    private static final Duration TTL = Duration.ofDays(1);

    private final List<ModelManager> opened = new ArrayList<>();
    private final AtomicReference<Instant> time = new AtomicReference<>(Instant.EPOCH);
    private final ScriptedSource a = new ScriptedSource("a");
    private final ScriptedSource b = new ScriptedSource("b");
    private final ScriptedSource c = new ScriptedSource("c");

    @AfterEach
    void close() {
        opened.forEach(ModelManager::close);
    }

    private ModelManager models(LoadableModel... sources) {
        return models(ModelNameResolver.usual(), List.of(sources));
    }

    private ModelManager models(ModelNameResolver names, List<LoadableModel> sources) {
        // A list that may change.
        ModelManager models =
                ModelManager.several(
                        () -> List.copyOf(sources),
                        names,
                        new IdleTtl(Optional.of(TTL), time::get));
        opened.add(models);
        return models;
    }

    private static ModelLease take(ModelManager models, String name) throws Exception {
        return models.acquire(Optional.of(name), () -> false);
    }

    private static void use(ModelManager models, String name) throws Exception {
        take(models, name).close();
    }

    private static ModelState state(ModelManager models, String id) {
        return models.find(id).orElseThrow().state();
    }

    /** Another thread takes a model and gives it back. */
    private static CompletableFuture<Void> useLater(ModelManager models, String name) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.startVirtualThread(
                () -> {
                    try {
                        use(models, name);
                        done.complete(null);
                    } catch (Throwable e) {
                        done.completeExceptionally(e);
                    }
                });
        return done;
    }

    @Test
    void modelIsLoadedOnFirstUseAndStays() throws Exception {
        ModelManager models = models(a, b);
        assertEquals(ModelState.UNLOADED, state(models, "b"));

        use(models, "b");
        try (ModelLease lease = take(models, "b")) {
            assertEquals("b", lease.model().served().description().id());
        }

        assertEquals(0, a.loads.get());
        assertEquals(1, b.loads.get());
        assertEquals(ModelState.READY, state(models, "b"));
        assertEquals(new ModelStatus.Counts(2, 1, 0), models.find("b").orElseThrow().counts());
    }

    @Test
    void requestsWithoutANameGetTheFirstModel() throws Exception {
        ModelManager models = models(a, b);

        models.acquire(Optional.empty(), () -> false).close();

        assertEquals(1, a.loads.get());
    }

    @Test
    void concurrentRequestsLoadAModelOnce() throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        ModelManager models = models(a.waitsFor(start));
        List<CompletableFuture<Void>> users = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            users.add(useLater(models, "a"));
        }
        a.begun.await();
        assertEquals(ModelState.LOADING, state(models, "a"));

        start.countDown();
        for (CompletableFuture<Void> user : users) {
            user.get();
        }

        assertEquals(1, a.loads.get());
    }

    @Test
    void disconnectedClientDoesNotCancelTheLoad() throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        ModelManager models = models(a.waitsFor(start));

        assertThrows(IOException.class, () -> models.acquire(Optional.of("a"), () -> true));

        start.countDown();
        use(models, "a");
        assertEquals(1, a.loads.get());
    }

    @Test
    void idleModelIsUnloadedAfterItsTtl() throws Exception {
        ModelManager models = models(a, b);
        use(models, "a");
        time.set(Instant.EPOCH.plus(TTL).minusMillis(1));
        models.unloadIdle();
        assertTrue(a.isLoaded(), "a moment too early");
        use(models, "b");

        time.set(Instant.EPOCH.plus(TTL));
        models.unloadIdle();

        assertFalse(a.isLoaded());
        assertTrue(b.isLoaded(), "used since");
        assertEquals(ModelState.UNLOADED, state(models, "a"));
        use(models, "a");
        assertEquals(2, a.loads.get());
        assertEquals(1, models.find("a").orElseThrow().counts().unloads());
    }

    @Test
    void modelInUseIsNotUnloaded() throws Exception {
        ModelManager models = models(a);
        try (ModelLease lease = take(models, "a")) {
            time.set(Instant.EPOCH.plus(TTL.multipliedBy(9)));
            models.unloadIdle();

            assertTrue(a.isLoaded());
            assertEquals(1, a.loads.get(), lease.toString());
        }
        models.unloadIdle();
        assertTrue(a.isLoaded(), "its time begins when it is given back");
    }

    private static VarveException tooLarge() {
        return new VarveException(
                VarveException.Kind.OUT_OF_MEMORY, "cpu:0: 900.0 MiB of 100.0 MiB free");
    }

    @Test
    void leastRecentlyUsedModelIsUnloadedToMakeRoom() throws Exception {
        c.doesFirst(
                () -> {
                    if (a.isLoaded() && b.isLoaded()) {
                        throw tooLarge();
                    }
                });
        ModelManager models = models(a, b, c);
        use(models, "a");
        use(models, "b");
        time.set(Instant.EPOCH.plusSeconds(1));
        use(models, "a");

        use(models, "c");

        assertTrue(a.isLoaded() && c.isLoaded());
        assertFalse(b.isLoaded());
    }

    @Test
    void modelThatDoesNotFitBesideUsedOnesIsRefusedAndRetriedLater() throws Exception {
        c.fails(tooLarge());
        ModelManager models = models(a, b, c);
        use(models, "b");
        try (ModelLease lease = take(models, "a")) {
            ApiException refusal = assertThrows(ApiException.class, () -> use(models, "c"));

            assertEquals(503, refusal.status(), lease.toString());
            assertEquals(
                    "model c cannot be loaded: cpu:0: 900.0 MiB of 100.0 MiB free; models in use:"
                            + " a",
                    refusal.getMessage());
            assertFalse(b.isLoaded(), "nobody used it");
            assertTrue(a.isLoaded());
            assertEquals(ModelState.FAILED, state(models, "c"));
        }
        c.works();
        use(models, "c");
        assertEquals(ModelState.READY, state(models, "c"));
    }

    @Test
    void modelThatDoesNotFitAloneIsAServerError() {
        ModelManager models = models(a.fails(tooLarge()));

        ApiException refusal = assertThrows(ApiException.class, () -> use(models, "a"));

        assertEquals(500, refusal.status());
    }

    @Test
    void nothingIsUnloadedDuringTheStart() throws Exception {
        b.fails(tooLarge());
        ModelManager models = models(a, b);
        models.load("a");

        VarveException failure = assertThrows(VarveException.class, () -> models.load("b"));

        assertEquals(VarveException.Kind.OUT_OF_MEMORY, failure.kind());
        assertTrue(a.isLoaded());
    }

    @Test
    void brokenModelIsNotReloadedByEveryRequest() {
        VarveException broken =
                new VarveException(VarveException.Kind.CORRUPT_FILE, "a.gguf: truncated");
        AtomicReference<Integer> tries = new AtomicReference<>(0);
        a.doesFirst(() -> tries.updateAndGet(count -> count + 1)).fails(broken);
        ModelManager models = models(a);

        ApiException first = assertThrows(ApiException.class, () -> use(models, "a"));
        assertThrows(ApiException.class, () -> use(models, "a"));
        assertEquals(1, tries.get());
        assertEquals(500, first.status());
        assertEquals("a.gguf: truncated", models.find("a").orElseThrow().reason().orElseThrow());

        time.set(Instant.EPOCH.plusSeconds(10));
        assertThrows(ApiException.class, () -> use(models, "a"));
        assertEquals(2, tries.get());
    }

    @Test
    void replacedFileIsLoadedOnceTheOldModelIsUnused() throws Exception {
        List<LoadableModel> sources = new ArrayList<>(List.of(new ScriptedSource("a", "1")));
        ScriptedSource old = (ScriptedSource) sources.getFirst();
        ScriptedSource fresh = new ScriptedSource("a", "2");
        ModelManager models = models(ModelNameResolver.usual(), sources);
        try (ModelLease lease = take(models, "a")) {
            sources.set(0, fresh);

            try (ModelLease other = take(models, "a")) {
                assertSame(lease.model(), other.model(), "somebody still uses it");
            }
        }
        use(models, "a");

        assertFalse(old.isLoaded());
        assertTrue(fresh.isLoaded());
    }

    @Test
    void addedAndRemovedFilesAreDetected() throws Exception {
        List<LoadableModel> sources = new ArrayList<>(List.of(a));
        ModelManager models = models(ModelNameResolver.usual(), sources);
        assertThrows(ApiException.class, () -> use(models, "b"));
        sources.add(b);
        use(models, "b");
        sources.remove(b);

        ApiException unknown = assertThrows(ApiException.class, () -> use(models, "b"));
        b.closed.await();

        assertEquals(404, unknown.status());
        assertFalse(b.isLoaded(), "nobody can ask for it");
        assertEquals(1, models.views().size());
    }

    @Test
    void closingCancelsLoadsAndFreesTheRest() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        ModelManager models = models(a, b.waitsFor(never));
        use(models, "a");
        CompletableFuture<Void> user = useLater(models, "b");
        b.begun.await();

        models.close();

        assertFalse(a.isLoaded());
        ExecutionException refusal = assertThrows(ExecutionException.class, user::get);
        assertEquals(503, ((ApiException) refusal.getCause()).status());
        assertThrows(ApiException.class, () -> use(models, "a"));
    }

    @ParameterizedTest
    @CsvSource({
        "b, b",
        "mine, b",
        "claude-sonnet-4-5-20250929, a",
        "gpt-4o-mini, a",
        "o3, a",
        "o4-mini, a",
        "codex-mini-latest, a",
        "openai/gpt-5, a",
        "anthropic/claude-opus-4, a"
    })
    void modelIsFoundByIdAliasOrAgentName(String name, String id) throws Exception {
        ModelManager models =
                models(new ModelNameResolver(Map.of("mine", "b"), false), List.of(a, b));

        try (ModelLease lease = take(models, name)) {
            assertEquals(id, lease.model().served().description().id());
        }
    }

    @Test
    void otherNamesAreUnknownAndNotRepeated() {
        ModelManager models = models(a, b);

        ApiException unknown = assertThrows(ApiException.class, () -> use(models, "llama-9"));

        assertEquals(404, unknown.status());
        assertEquals("model not found; this server offers a, b", unknown.getMessage());
    }

    @Test
    void strictServersIgnoreAgentNames() throws Exception {
        ModelManager models =
                models(new ModelNameResolver(Map.of("gpt-4", "b"), true), List.of(a, b));

        assertThrows(ApiException.class, () -> use(models, "claude-3"));
        use(models, "gpt-4");

        assertTrue(b.isLoaded());
    }

    @Test
    void aliasMayMatchEverything() throws Exception {
        ModelManager models = models(new ModelNameResolver(Map.of("*", "b"), true), List.of(a, b));

        use(models, "whatever");
        use(models, "claude-3");
        use(models, "a");

        assertEquals(1, b.loads.get());
        assertEquals(1, a.loads.get());
    }

    @Test
    void brokenModelOfSeveralIsReloadedAndAffectsNoOther() throws Exception {
        VarveException reason =
                new VarveException(VarveException.Kind.UNAVAILABLE, "the engine stopped: lost");
        ModelManager models = models(a, b);
        use(models, "a");
        use(models, "b");

        a.breaks(reason);

        assertFalse(models.broken().isDone(), "the server goes on");
        assertEquals(ModelState.FAILED, state(models, "a"));
        assertEquals(
                Optional.of("the engine stopped: lost"), models.find("a").orElseThrow().reason());
        ApiException refusal = assertThrows(ApiException.class, () -> use(models, "a"));
        assertEquals(503, refusal.status());
        use(models, "b");
        time.set(Instant.EPOCH.plusSeconds(11));
        use(models, "a");
        assertEquals(ModelState.READY, state(models, "a"));
        assertEquals(2, a.loads.get());
        assertEquals(1, a.closes.get());
        assertEquals(1, b.loads.get());
    }

    @Test
    void brokenOnlyModelIsReported() throws Exception {
        VarveException reason =
                new VarveException(VarveException.Kind.UNAVAILABLE, "the engine stopped: lost");
        ModelManager only =
                ModelManager.of(
                        a, ModelNameResolver.usual(), new IdleTtl(Optional.of(TTL), time::get));
        opened.add(only);
        use(only, "a");

        a.breaks(reason);

        assertEquals(reason, only.broken().join());
    }
}
