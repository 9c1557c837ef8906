package dev.varve.platform.hub;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.hub.ModelHub.Companion;
import dev.varve.testkit.LocalHub;
import dev.varve.testkit.LocalHub.Fault;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/** Downloads from a server that behaves like a hub, also when it does not behave. */
@Timeout(60)
class ModelHubTest {
    private static final String REPOSITORY = "acme/m-GGUF";
    private static final HubReference MODEL = HubReference.parse(REPOSITORY + ":Q8_0");
    private static final byte[] CONTENT = content(300_000, 1);

    @TempDir Path folder;

    private LocalHub server;
    private final List<String> notes = new ArrayList<>();
    private final List<Duration> pauses = new ArrayList<>();
    private final List<Long> progress = new ArrayList<>();
    private Map<String, String> variables = Map.of();
    private Duration stall = Duration.ofSeconds(30);
    private long freeBytes = Long.MAX_VALUE;

    @BeforeEach
    void start() throws IOException {
        server =
                LocalHub.start()
                        .put(REPOSITORY, "README.md", new byte[] {1})
                        .put(REPOSITORY, "m-Q8_0.gguf", CONTENT)
                        .put(REPOSITORY, "m-Q4_0.gguf", content(1000, 2));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static byte[] content(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private ModelHub hub() {
        Map<String, String> all = new HashMap<>(variables);
        all.putIfAbsent("HF_ENDPOINT", server.endpoint());
        all.putIfAbsent("HF_HUB_CACHE", folder.resolve("hub").toString());
        all.putIfAbsent("HF_HOME", folder.toString());
        HubSettings read = HubSettings.of(all);
        HubSettings settings =
                new HubSettings(
                        read.endpoint(),
                        read.token(),
                        read.cache(),
                        read.offline(),
                        stall,
                        read.proxies());
        DownloadListener listener =
                new DownloadListener() {
                    @Override
                    public void progress(String file, long doneBytes, long totalBytes) {
                        progress.add(doneBytes);
                    }

                    @Override
                    public void note(String text) {
                        notes.add(text);
                    }
                };
        return new ModelHub(settings, listener, new DiskSpace(_ -> freeBytes), pauses::add);
    }

    private PulledModel pull(HubReference reference, Companion... companions)
            throws InterruptedException {
        try (ModelHub hub = hub()) {
            return hub.pull(reference, Set.of(companions));
        }
    }

    private String refusal(HubReference reference, Companion... companions) {
        return assertThrows(VarveException.class, () -> pull(reference, companions)).getMessage();
    }

    private HubCache cache() {
        return new HubCache(folder.resolve("hub"));
    }

    private Path repository() {
        return folder.resolve("hub/models--acme--m-GGUF");
    }

    private Path part() {
        return repository().resolve("blobs/" + LocalHub.sha256(CONTENT) + ".varve-part");
    }

    @Test
    void aModelIsStoredInTheSharedLayout() throws Exception {
        PulledModel pulled = pull(MODEL);

        Path link = repository().resolve("snapshots/" + LocalHub.COMMIT + "/m-Q8_0.gguf");
        assertEquals(link, pulled.file());
        assertArrayEquals(CONTENT, Files.readAllBytes(link));
        assertEquals(
                Path.of("../../blobs/" + LocalHub.sha256(CONTENT)), Files.readSymbolicLink(link));
        assertEquals(LocalHub.COMMIT, Files.readString(repository().resolve("refs/main")));
        try (Stream<Path> blobs = Files.list(repository().resolve("blobs"))) {
            assertEquals(1, blobs.count(), "only the content");
        }
        assertEquals((long) CONTENT.length, progress.getLast());
        assertEquals(List.of(), notes);
    }

    @Test
    void aCompleteModelIsNotDownloadedAgain() throws Exception {
        pull(MODEL);

        pull(MODEL);

        assertEquals(1, server.contentRequests().size());
    }

    @Test
    void aSplitModelIsDownloadedWhole() throws Exception {
        byte[] first = content(5000, 3);
        byte[] second = content(4000, 4);
        server.put(REPOSITORY, "big/m-F16-00001-of-00002.gguf", first)
                .put(REPOSITORY, "big/m-F16-00002-of-00002.gguf", second);

        PulledModel pulled = pull(HubReference.parse(REPOSITORY + ":F16"));

        assertEquals(2, pulled.parts().size());
        assertArrayEquals(first, Files.readAllBytes(pulled.file()));
        assertArrayEquals(second, Files.readAllBytes(pulled.parts().getLast()));
        assertEquals(9000L, progress.getLast());
    }

    @Test
    void draftAndProjectorAreDownloadedOnRequest() throws Exception {
        byte[] draft = content(700, 5);
        byte[] projector = content(800, 6);
        server.put(REPOSITORY, "m-dflash-Q8_0.gguf", draft)
                .put(REPOSITORY, "mmproj-F16.gguf", projector);
        assertEquals(Optional.empty(), pull(MODEL).draft());

        PulledModel pulled = pull(MODEL, Companion.DRAFT, Companion.PROJECTOR);

        assertArrayEquals(draft, Files.readAllBytes(pulled.draft().orElseThrow()));
        assertArrayEquals(projector, Files.readAllBytes(pulled.projector().orElseThrow()));
    }

    @Test
    void aMissingDraftIsRefusedBeforeAnyDownload() {
        assertEquals(
                REPOSITORY + ": the repository has no draft model",
                refusal(MODEL, Companion.DRAFT));
        assertEquals(List.of(), server.contentRequests());
    }

    @Test
    void aBrokenConnectionIsResumedAtItsPosition() throws Exception {
        server.fail(new Fault.Break(100_000)).fail(new Fault.Break(50_000));

        PulledModel pulled = pull(MODEL);

        assertArrayEquals(CONTENT, Files.readAllBytes(pulled.file()));
        List<LocalHub.Request> requests = server.contentRequests();
        assertEquals(3, requests.size());
        String tag = '"' + LocalHub.sha256(CONTENT) + '"';
        for (LocalHub.Request resumed : requests.subList(1, 3)) {
            assertTrue(resumed.header("Range").orElse("").matches("bytes=[1-9]\\d*-"));
            assertEquals(Optional.of(tag), resumed.header("If-range"));
        }
        assertEquals(2, pauses.size(), notes.toString());
    }

    @Test
    void thePartOfAnEarlierProcessIsResumed() throws Exception {
        Files.createDirectories(part().getParent());
        Files.write(part(), Arrays.copyOf(CONTENT, 200_000));

        PulledModel pulled = pull(MODEL);

        assertArrayEquals(CONTENT, Files.readAllBytes(pulled.file()));
        assertEquals(
                Optional.of("bytes=200000-"), server.contentRequests().getFirst().header("Range"));
    }

    @Test
    void aDamagedPartIsDownloadedOnceMore() throws Exception {
        Files.createDirectories(part().getParent());
        Files.write(part(), new byte[200_000]);

        PulledModel pulled = pull(MODEL);

        assertArrayEquals(CONTENT, Files.readAllBytes(pulled.file()));
        assertEquals(2, server.contentRequests().size());
    }

    @Test
    void aPartThatIsTooLongIsDiscarded() throws Exception {
        Files.createDirectories(part().getParent());
        Files.write(part(), new byte[CONTENT.length + 1]);

        assertArrayEquals(CONTENT, Files.readAllBytes(pull(MODEL).file()));
    }

    @Test
    void aServerThatIgnoresRangesStartsAgain() throws Exception {
        server.fail(new Fault.Break(100_000)).fail(new Fault.IgnoreRange());

        assertArrayEquals(CONTENT, Files.readAllBytes(pull(MODEL).file()));
    }

    @Test
    void wrongContentIsRefusedAndDeleted() {
        server.fail(new Fault.Corrupt());

        String message = refusal(MODEL);

        assertTrue(
                message.startsWith(
                        "m-Q8_0.gguf: expected the digest "
                                + LocalHub.sha256(CONTENT)
                                + ", found "),
                message);
        assertFalse(Files.exists(part()));
        assertEquals(Optional.empty(), cache().find(MODEL));
    }

    @Test
    void aStalledServerEndsInATimeoutAndAnotherAttempt() throws Exception {
        stall = Duration.ofSeconds(1);
        server.fail(Fault.Stall.after(100_000));

        PulledModel pulled = pull(MODEL);

        assertArrayEquals(CONTENT, Files.readAllBytes(pulled.file()));
        assertTrue(notes.getFirst().contains("the server sent nothing for 1.0 s"), notes + "");
    }

    @ParameterizedTest
    @CsvSource({"429, Retry-After, 7, 7", "503, Retry-After, nonsense, 1", "500, X-None, x, 1"})
    void aBusyServerIsAskedAgainWhenItSays(int status, String header, String value, long seconds)
            throws Exception {
        server.fail(new Fault.Status(status, header, value));

        pull(MODEL);

        assertEquals(List.of(Duration.ofSeconds(seconds)), pauses);
        assertTrue(notes.getFirst().contains("the server answers " + status), notes.toString());
    }

    @Test
    void aServerThatAsksForALongPauseEndsTheDownload() {
        server.fail(new Fault.Status(429, "Retry-After", "7200"));

        String message = refusal(MODEL);

        assertTrue(message.endsWith("it asks to try again in 120 min"), message);
        assertEquals(List.of(), pauses);
    }

    @Test
    void filesOfOneQuantisationAreToldApartByTheirNames() throws Exception {
        byte[] other = content(900, 8);
        server.put(REPOSITORY, "n-Q8_0.gguf", other);
        pull(MODEL);

        PulledModel pulled = pull(HubReference.parse(REPOSITORY + ":n-Q8_0"));

        assertArrayEquals(other, Files.readAllBytes(pulled.file()));
        assertEquals(
                List.of(REPOSITORY + ":Q8_0", REPOSITORY + ":n-Q8_0"),
                cache().models().stream().map(each -> each.reference().toString()).toList());
    }

    @Test
    void aServerThatStaysBrokenEndsTheDownloadAndThePartStays() throws Exception {
        server.fail(new Fault.Break(100_000));
        for (int i = 0; i < 6; i++) {
            server.fail(new Fault.Status(502, "X-None", "x"));
        }

        String message = refusal(MODEL);

        assertTrue(message.contains("gave up after 6 attempts"), message);
        assertTrue(Files.size(part()) > 0);
        assertArrayEquals(CONTENT, Files.readAllBytes(pull(MODEL).file()));
    }

    @Test
    void theTokenIsSentToTheHubAlone() throws Exception {
        variables = Map.of("HF_TOKEN", "secret");

        pull(MODEL);

        for (LocalHub.Request request : server.requests()) {
            assertEquals(
                    request.content() ? Optional.empty() : Optional.of("Bearer secret"),
                    request.header("Authorization"),
                    request.path());
        }
        assertTrue(server.contentRequests().size() == 1);
    }

    @Test
    void theTokenOfALoginIsUsed() throws Exception {
        Files.writeString(folder.resolve("token"), "stored\n");

        pull(MODEL);

        assertEquals(
                Optional.of("Bearer stored"), server.requests().getFirst().header("Authorization"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "401 | GatedRepo    |        | accept its conditions at %s/acme/m-GGUF with your"
                        + " account; then set HF_TOKEN",
                "401 | RepoNotFound |        | its name is wrong, or it is private or gated",
                "401 | RepoNotFound | secret | does not accept the token of HF_TOKEN",
                "403 | GatedRepo    | secret | accept its conditions at %s/acme/m-GGUF with your"
                        + " account; the account of the token in HF_TOKEN has no access yet",
                "403 | GatedRepo    |        | and set HF_TOKEN to an access token",
                "404 | RepoNotFound |        | the hub has no such repository",
            })
    void refusedAccessSaysWhatToDo(int status, String code, String token, String expected) {
        variables = token == null ? Map.of() : Map.of("HF_TOKEN", token);
        server.answer(
                "/api/models/" + REPOSITORY + "/revision/main",
                exchange -> {
                    exchange.getResponseHeaders().set("X-Error-Code", code);
                    LocalHub.send(exchange, status, "");
                });

        String message = refusal(MODEL);

        assertTrue(message.contains(expected.replace("%s", server.endpoint())), message);
        assertFalse(message.contains("secret"), message);
    }

    @Test
    void anUnknownQuantisationIsRefusedWithTheKnownOnes() {
        assertEquals(
                "acme/m-GGUF has no Q5_K_M; it has Q4_0, Q8_0",
                refusal(HubReference.parse(REPOSITORY + ":Q5_K_M")));
    }

    @Test
    void redirectsThatDoNotEndAreRefused() {
        String path = "/" + REPOSITORY + "/resolve/" + LocalHub.COMMIT + "/m-Q8_0.gguf";
        server.answer(path, exchange -> LocalHub.redirect(exchange, "/loop"))
                .answer("/loop", exchange -> LocalHub.redirect(exchange, path));

        String message = refusal(MODEL);

        assertTrue(message.contains("the redirects do not end: 2 addresses"), message);
    }

    @Test
    void aRedirectToAnotherProtocolIsRefused() {
        server.answer(
                "/" + REPOSITORY + "/resolve/" + LocalHub.COMMIT + "/m-Q8_0.gguf",
                exchange -> LocalHub.redirect(exchange, "file:///etc/passwd"));

        assertTrue(refusal(MODEL).contains("found file:///etc/passwd"));
    }

    @Test
    void aFileOutsideOfItsFolderIsRefused() throws IOException {
        server.put(REPOSITORY, "../../evil.gguf", new byte[] {1});

        String message = refusal(MODEL);

        assertEquals("the hub lists a file outside of its repository: ../../evil.gguf", message);
        assertFalse(Files.exists(folder.resolve("hub")), "nothing is written");
    }

    @Test
    void aCommitThatIsNoneIsRefused() {
        server.answer(
                "/api/models/" + REPOSITORY + "/revision/main",
                exchange -> LocalHub.send(exchange, 200, "{\"sha\": \"../../x\"}"));

        assertTrue(refusal(MODEL).contains("expected a commit of 40 hexadecimal digits"));
    }

    @Test
    void aPageOfAnotherServerIsRefused() {
        server.answer(
                "/api/models/" + REPOSITORY + "/revision/main",
                exchange -> LocalHub.send(exchange, 200, "<html>Log in</html>"));

        assertTrue(refusal(MODEL).contains("HF_ENDPOINT may name a server that is no hub"));
    }

    @Test
    void aFullDiskIsFoundFirst() {
        freeBytes = CONTENT.length - 1;

        String message = refusal(MODEL);

        assertTrue(message.contains("HF_HUB_CACHE names a folder on another one"), message);
        assertEquals(List.of(), server.contentRequests());
    }

    @Test
    void aPartCountsForTheNeededSpace() throws Exception {
        Files.createDirectories(part().getParent());
        Files.write(part(), Arrays.copyOf(CONTENT, 200_000));
        freeBytes = 100_000;

        assertArrayEquals(CONTENT, Files.readAllBytes(pull(MODEL).file()));
    }

    @Test
    void nothingIsRequestedOffline() {
        variables = Map.of("HF_HUB_OFFLINE", "1");

        assertTrue(refusal(MODEL).contains("HF_HUB_OFFLINE is set"));
        assertEquals(List.of(), server.requests());
    }

    @Test
    void requestsGoThroughTheProxyOfTheEnvironment() throws Exception {
        variables =
                Map.of(
                        "HF_ENDPOINT", "http://hub.invalid",
                        "http_proxy", server.endpoint(),
                        "no_proxy", "127.0.0.1");

        assertArrayEquals(
                content(1000, 2),
                Files.readAllBytes(pull(HubReference.parse(REPOSITORY + ":Q4_0")).file()));
    }

    @Test
    void aFileOfAUrlIsDownloadedOnce() throws Exception {
        URI uri = URI.create(server.contentUrl(REPOSITORY, "m-Q8_0.gguf") + "?download=true");

        try (ModelHub hub = hub()) {
            Path file = hub.pull(uri, folder.resolve("urls"));

            assertEquals(ModelHub.file(uri, folder.resolve("urls")), file);
            assertArrayEquals(CONTENT, Files.readAllBytes(file));
            assertEquals(file, hub.pull(uri, folder.resolve("urls")));
        }
        assertEquals(1, server.contentRequests().size());
    }

    @Test
    void aFileOfAUrlThatChangedStartsAgain() throws Exception {
        URI uri = URI.create(server.contentUrl(REPOSITORY, "m-Q8_0.gguf"));
        server.fail(new Fault.Break(100_000));
        for (int i = 0; i < 6; i++) {
            server.fail(new Fault.Status(502, "X-None", "x"));
        }
        try (ModelHub hub = hub()) {
            assertThrows(VarveException.class, () -> hub.pull(uri, folder.resolve("urls")));
            byte[] changed = content(200_000, 7);
            server.put(REPOSITORY, "m-Q8_0.gguf", changed);

            Path file = hub.pull(uri, folder.resolve("urls"));

            assertArrayEquals(changed, Files.readAllBytes(file));
        }
    }

    @Test
    void aUrlOfTheHubIsCheckedByItsDigest() {
        URI uri =
                URI.create(
                        server.endpoint()
                                + "/"
                                + REPOSITORY
                                + "/resolve/"
                                + LocalHub.COMMIT
                                + "/m-Q8_0.gguf");
        server.fail(new Fault.Corrupt());

        try (ModelHub hub = hub()) {
            VarveException refused =
                    assertThrows(VarveException.class, () -> hub.pull(uri, folder.resolve("urls")));
            assertTrue(refused.getMessage().contains("expected the digest"));
        }
    }

    @Test
    void aUrlWithoutAModelIsRefused() {
        for (String url :
                List.of("https://host/", "https://host/x.bin", "file:///x.gguf", "http:x.gguf")) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> ModelHub.file(URI.create(url), folder),
                    url);
        }
    }

    @Test
    void anInterruptKeepsThePart() throws Exception {
        Fault.Stall stalled = Fault.Stall.after(100_000);
        server.fail(stalled);
        Thread downloads =
                Thread.ofPlatform()
                        .start(() -> assertThrows(InterruptedException.class, () -> pull(MODEL)));
        stalled.reached().await();

        downloads.interrupt();
        downloads.join();

        assertTrue(Files.exists(part()));
        assertArrayEquals(CONTENT, Files.readAllBytes(pull(MODEL).file()));
    }

    @Test
    void aRemovedModelFreesItsBytesAndLeavesTheOthers() throws Exception {
        pull(MODEL);
        pull(HubReference.parse(REPOSITORY + ":Q4_0"));
        assertEquals(
                List.of(REPOSITORY + ":Q4_0", REPOSITORY + ":Q8_0"),
                cache().models().stream().map(each -> each.reference().toString()).toList());

        assertEquals(Optional.of((long) CONTENT.length), cache().remove(MODEL));

        assertEquals(Optional.empty(), cache().find(MODEL));
        assertTrue(cache().find(HubReference.parse(REPOSITORY + ":Q4_0")).isPresent());
        assertEquals(Optional.empty(), cache().remove(MODEL));
        assertEquals(Optional.of(1000L), cache().remove(HubReference.parse(REPOSITORY)));
        assertFalse(Files.exists(repository()));
    }

    @Test
    void aRemovedRepositoryKeepsTheFilesOfOtherPrograms() throws Exception {
        pull(MODEL);
        Path config =
                Files.writeString(
                        repository().resolve("snapshots/" + LocalHub.COMMIT + "/config.json"),
                        "{}");
        Files.write(part(), new byte[10]);

        assertEquals(
                Optional.of(CONTENT.length + 10L), cache().remove(HubReference.parse(REPOSITORY)));

        assertTrue(Files.exists(config));
        assertFalse(Files.exists(part()));
    }
}
