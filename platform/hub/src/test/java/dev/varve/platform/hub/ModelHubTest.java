package dev.varve.platform.hub;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;

import dev.varve.api.VarveException;
import dev.varve.platform.hub.ModelHub.Companion;
import dev.varve.testkit.LocalHub;
import dev.varve.testkit.LocalHub.Fault;
import dev.varve.testkit.TestCertificates;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.Certificate;
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

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

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

    private HubSettings settings() {
        Map<String, String> all = new HashMap<>(variables);
        all.putIfAbsent("HF_ENDPOINT", server.endpoint());
        all.putIfAbsent("HF_HUB_CACHE", folder.resolve("hub").toString());
        all.putIfAbsent("HF_HOME", folder.toString());
        HubSettings read = HubSettings.of(all);
        return new HubSettings(
                read.endpoint(), read.token(), read.cache(), read.offline(), stall, read.proxies());
    }

    private ModelHub hub() {
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
        return new ModelHub(settings(), listener, new DiskSpace(_ -> freeBytes), pauses::add);
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

    private UrlCache urls() {
        return new UrlCache(folder.resolve("urls"));
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

        assertTrue(message.endsWith("the server asks for a pause of 120 min"), message);
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
                cache().models(notes::add).stream()
                        .map(each -> each.reference().toString())
                        .toList());
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
                "403 | GatedRepo    |        | with your account; then set HF_TOKEN to an access"
                        + " token",
                "403 | Other        | secret | acme/m-GGUF: the hub refuses access with status"
                        + " 403;",
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

        assertTrue(
                message.contains("the variable HF_HUB_CACHE can name a folder on another one"),
                message);
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
            Path file = hub.pull(uri, urls());

            assertEquals(urls().file(uri), file);
            assertArrayEquals(CONTENT, Files.readAllBytes(file));
            assertEquals(file, hub.pull(uri, urls()));
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
            assertThrows(VarveException.class, () -> hub.pull(uri, urls()));
            byte[] changed = content(200_000, 7);
            server.put(REPOSITORY, "m-Q8_0.gguf", changed);

            Path file = hub.pull(uri, urls());

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
                    assertThrows(VarveException.class, () -> hub.pull(uri, urls()));
            assertTrue(refused.getMessage().contains("expected the digest"));
        }
    }

    @Test
    void aUrlWithoutAModelIsRefused() {
        for (String url :
                List.of(
                        "https://host/",
                        "https://host/x.bin",
                        "file:///x.gguf",
                        "http:x.gguf",
                        "https://me:secret@host/x.gguf?key=secret")) {
            IllegalArgumentException refused =
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> urls().file(URI.create(url)),
                            url);
            assertFalse(refused.getMessage().contains("secret"), refused.getMessage());
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
                cache().models(notes::add).stream()
                        .map(each -> each.reference().toString())
                        .toList());

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

    @Test
    void aFileOutsideOfTheRepositoryStaysWhenItsLinkIsRemoved() throws Exception {
        pull(MODEL);
        Path own = Files.write(folder.resolve("own.gguf"), new byte[5]);
        Path link = repository().resolve("snapshots/" + LocalHub.COMMIT + "/own-F16.gguf");
        Files.createSymbolicLink(link, own);

        assertEquals(
                Optional.of((long) CONTENT.length), cache().remove(HubReference.parse(REPOSITORY)));

        assertTrue(Files.exists(own));
        assertFalse(Files.exists(repository()));
    }

    @Test
    void onADiskWithoutLinksTheSnapshotHasTheFile() throws Exception {
        Path file = pull(MODEL).file();
        Files.move(file.toRealPath(), file, StandardCopyOption.REPLACE_EXISTING);

        assertEquals(file, pull(MODEL).file());

        assertFalse(Files.isSymbolicLink(file));
        assertEquals(1, server.contentRequests().size());
        assertEquals(Optional.of((long) CONTENT.length), cache().remove(MODEL));
        assertFalse(Files.exists(file));
    }

    @Test
    void theFirstDownloadCanBeRemovedBeforeItsEnd() throws Exception {
        Files.createDirectories(part().getParent());
        Files.write(part(), new byte[10]);

        assertEquals(Optional.of(10L), cache().remove(HubReference.parse(REPOSITORY)));

        assertFalse(Files.exists(repository()));
    }

    @Test
    void aModelThatIsBeingDownloadedIsNotRemoved() throws Exception {
        Files.createDirectories(part().getParent());
        Files.write(part(), new byte[10]);

        try (FileLocks _ = FileLocks.lock(lockFile(), () -> {})) {
            VarveException refused =
                    assertThrows(VarveException.class, () -> cache().remove(MODEL));
            assertTrue(refused.getMessage().contains("is being downloaded by"), refused + "");
        }
        assertTrue(Files.exists(part()));
        assertEquals(Optional.of(10L), cache().remove(HubReference.parse(REPOSITORY)));
        assertTrue(Files.exists(lockFile()));
    }

    private Path lockFile() {
        return folder.resolve(
                "hub/.locks/models--acme--m-GGUF/" + LocalHub.sha256(CONTENT) + ".lock");
    }

    @Test
    void theBranchHasTheUsualPermissions() throws Exception {
        Path other = Files.writeString(folder.resolve("other"), "");

        pull(MODEL);

        assertEquals(
                Files.getPosixFilePermissions(other),
                Files.getPosixFilePermissions(repository().resolve("refs/main")));
    }

    @Test
    void anExactQuantisationOfAnOlderSnapshotPrecedesANewerAlias() throws Exception {
        pull(MODEL);
        Path snapshots = repository().resolve("snapshots");
        Path newer = Files.createDirectories(snapshots.resolve("f".repeat(40)));
        Path alias = Files.write(newer.resolve("m-UD-Q8_0.gguf"), new byte[7]);
        Files.writeString(repository().resolve("refs/main"), "f".repeat(40));

        assertTrue(cache().find(MODEL).orElseThrow().file().endsWith("m-Q8_0.gguf"));

        assertEquals(Optional.of((long) CONTENT.length), cache().remove(MODEL));
        assertEquals(alias, cache().find(MODEL).orElseThrow().file());
        assertEquals(Optional.empty(), cache().remove(MODEL), "an alias is not removed");
    }

    @Test
    void anUnreadableRepositoryIsReportedAndTheOthersAreListed() throws Exception {
        pull(MODEL);
        Path broken = folder.resolve("hub/models--acme--broken/refs/main");
        Files.createDirectories(broken);

        assertEquals(1, cache().models(notes::add).size());

        assertEquals(1, notes.size(), notes.toString());
        assertTrue(notes.getFirst().startsWith(broken + ": cannot be read: "), notes + "");
    }

    @Test
    void aSplitModelOfAUrlIsResumedAtItsMissingPart() throws Exception {
        byte[] second = content(4000, 4);
        server.put(REPOSITORY, "m-00001-of-00002.gguf", CONTENT)
                .put(REPOSITORY, "m-00002-of-00002.gguf", second);
        URI uri = URI.create(server.contentUrl(REPOSITORY, "m-00002-of-00002.gguf"));
        try (ModelHub hub = hub()) {
            Path file = hub.pull(uri, urls());
            Files.delete(file.resolveSibling("m-00002-of-00002.gguf"));
            assertFalse(urls().isDownloaded(uri));

            hub.pull(uri, urls());

            assertTrue(urls().isDownloaded(uri));
            assertArrayEquals(
                    second, Files.readAllBytes(file.resolveSibling("m-00002-of-00002.gguf")));
            assertEquals(3, server.contentRequests().size());
        }
    }

    @Test
    void aRemovedModelOfAUrlKeepsItsLock() throws Exception {
        URI uri = URI.create(server.contentUrl(REPOSITORY, "m-Q8_0.gguf") + "?key=secret");
        try (ModelHub hub = hub()) {
            hub.pull(uri, urls());
        }
        assertEquals(Set.of(UrlCache.address(uri)), urls().folders().keySet());
        assertFalse(UrlCache.address(uri).contains("secret"));
        try (FileLocks _ = FileLocks.lock(urls().lock(uri), () -> {})) {
            assertThrows(VarveException.class, () -> urls().remove(uri));
        }

        assertTrue(urls().remove(uri).orElseThrow() >= CONTENT.length);

        assertEquals(Optional.empty(), urls().remove(uri));
        assertTrue(Files.exists(urls().lock(uri)));
    }

    @Test
    void aCompletePartOfAUrlIsUsedIfItsDigestIsReported() throws Exception {
        URI uri =
                URI.create(
                        server.endpoint()
                                + "/"
                                + REPOSITORY
                                + "/resolve/"
                                + LocalHub.COMMIT
                                + "/m-Q8_0.gguf");
        writePart(uri, new byte[CONTENT.length]);
        server.fail(new Fault.Status(416, "Content-Range", "bytes */" + CONTENT.length));

        try (ModelHub hub = hub()) {
            assertArrayEquals(CONTENT, Files.readAllBytes(hub.pull(uri, urls())));
        }
        assertEquals(2, server.contentRequests().size(), "the wrong content is downloaded again");
    }

    @Test
    void aCompletePartOfAUrlWithoutADigestIsDownloadedAgain() throws Exception {
        URI uri = URI.create(server.contentUrl(REPOSITORY, "m-Q8_0.gguf"));
        writePart(uri, new byte[CONTENT.length]);
        server.fail(new Fault.Status(416, "Content-Range", "bytes */" + CONTENT.length));

        try (ModelHub hub = hub()) {
            assertArrayEquals(CONTENT, Files.readAllBytes(hub.pull(uri, urls())));
        }
    }

    /** Writes a part with the server's entity tag. */
    private void writePart(URI uri, byte[] bytes) throws IOException {
        Path part = urls().file(uri).resolveSibling("m-Q8_0.gguf.varve-part");
        Files.createDirectories(part.getParent());
        Files.write(part, bytes);
        Files.writeString(
                part.resolveSibling(part.getFileName() + ".etag"),
                '"' + LocalHub.sha256(CONTENT) + '"');
    }

    @Test
    void aFileOfAUrlThatChangesMeanwhileStartsAgainWithItsLength() throws Exception {
        URI uri = URI.create(server.contentUrl(REPOSITORY, "m-Q8_0.gguf"));
        byte[] changed = content(200_000, 7);
        server.fail(new Fault.Break(100_000));
        DownloadListener replaces =
                new DownloadListener() {
                    @Override
                    public void progress(String file, long doneBytes, long totalBytes) {}

                    @Override
                    public void note(String text) {
                        server.put(REPOSITORY, "m-Q8_0.gguf", changed);
                    }
                };
        try (ModelHub hub =
                new ModelHub(settings(), replaces, new DiskSpace(_ -> freeBytes), pauses::add)) {
            assertArrayEquals(changed, Files.readAllBytes(hub.pull(uri, urls())));
        }
    }

    @Test
    void aServerThatNeverResumesAndAlwaysBreaksEndsTheDownload() {
        server.answer(
                "/x/broken.gguf",
                exchange -> {
                    exchange.sendResponseHeaders(200, CONTENT.length);
                    exchange.getResponseBody().write(CONTENT, 0, 100_000);
                });

        try (ModelHub hub = hub()) {
            URI uri = URI.create(server.endpoint() + "/x/broken.gguf");
            VarveException failed = assertThrows(VarveException.class, () -> hub.pull(uri, urls()));
            assertTrue(failed.getMessage().contains("gave up after 6 attempts"), failed + "");
        }
        // An attempt that received more than those before counts as progress.
        assertTrue(server.requests().size() >= 6, server.requests() + "");
    }

    @Test
    void aResponseWithoutAKnownEndIsRefused() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ModelHub hub = hub()) {
            Thread serves = Thread.ofPlatform().start(() -> answerWithoutLength(socket));
            URI uri = URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/x.gguf");

            VarveException refused =
                    assertThrows(VarveException.class, () -> hub.pull(uri, urls()));

            assertTrue(refused.getMessage().contains("a length or a digest"), refused + "");
            serves.join();
        }
    }

    private static void answerWithoutLength(ServerSocket socket) {
        try (Socket client = socket.accept()) {
            BufferedReader request =
                    new BufferedReader(new InputStreamReader(client.getInputStream(), US_ASCII));
            for (String line = request.readLine(); !line.isEmpty(); line = request.readLine()) {}
            client.getOutputStream()
                    .write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nGGUF".getBytes(US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void anUnknownHostEndsTheDownloadAtOnce() {
        // No label of a name has 64 letters, so that no request for it is sent.
        String host = "x".repeat(64) + ".invalid";
        variables = Map.of("HF_ENDPOINT", "http://" + host);

        assertEquals(host + ": no such host", refusal(MODEL));
        assertEquals(List.of(), pauses);
    }

    @Test
    void aCertificateThatJavaDoesNotTrustEndsTheDownloadAtOnce() throws Exception {
        TestCertificates.Pair pair = new TestCertificates(folder).make("server", "RSA");
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(null, null);
        keys.setKeyEntry("k", pair.secret(), new char[0], new Certificate[] {pair.shown()});
        KeyManagerFactory factory =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys, new char[0]);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(factory.getKeyManagers(), null, null);
        HttpsServer secure =
                HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        secure.setHttpsConfigurator(new HttpsConfigurator(context));
        secure.start();
        try {
            variables = Map.of("HF_ENDPOINT", "https://127.0.0.1:" + secure.getAddress().getPort());

            assertEquals("127.0.0.1: its certificate is not trusted by this Java", refusal(MODEL));
            assertEquals(List.of(), pauses);
        } finally {
            secure.stop(0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"secret\nX-Other: 1", "se cret", "secr\u00e9t"})
    void aTokenOfSeveralLinesOrOtherCharactersIsRefused(String token) throws IOException {
        for (Map<String, String> given :
                List.of(
                        Map.of("HF_TOKEN", token),
                        Map.of(
                                "HF_TOKEN_PATH",
                                Files.writeString(folder.resolve("t"), token).toString()))) {
            IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, () -> HubSettings.of(given));
            assertTrue(refused.getMessage().contains("expected an access token"));
            assertFalse(refused.getMessage().contains("secr"), refused.getMessage());
        }
    }

    @Test
    void anEndpointWithAUserIsRefusedWithoutItsPassword() {
        IllegalArgumentException refused =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> HubSettings.of(Map.of("HF_ENDPOINT", "https://me:secret@host")));

        assertTrue(refused.getMessage().endsWith("found https://host"), refused.getMessage());
    }
}
