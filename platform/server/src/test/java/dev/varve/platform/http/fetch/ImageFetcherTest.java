package dev.varve.platform.http.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.vision.InvalidImageException;
import dev.varve.testkit.TestCertificates;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocketFactory;

@Timeout(60)
class ImageFetcherTest {
    private static final int MOST = 100;
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    @TempDir Path folder;

    private CannedServer server;
    private ImageDownload.Resolver resolver = host -> List.of(LOOPBACK);
    private Duration time = Duration.ofSeconds(30);
    private Duration requestTime = Duration.ofMinutes(5);

    @BeforeEach
    void start() throws Exception {
        server = new CannedServer();
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    private ImageFetcher fetcher(String... hosts) {
        return fetcher((SSLSocketFactory) SSLSocketFactory.getDefault(), hosts);
    }

    private ImageFetcher fetcher(SSLSocketFactory tls, String... hosts) {
        return new ImageFetcher(
                AllowedHosts.parse(List.of(hosts)),
                new FetchLimits(MOST, time, requestTime, 2, 1),
                new ImageDownload.Network(name -> resolver.addresses(name), tls));
    }

    private String url(String path) {
        return "http://files.example:" + server.port() + path;
    }

    private String host() {
        return "files.example:" + server.port() + "=private";
    }

    private String fetched(String path) {
        byte[] file = fetch(fetcher(host()), url(path));
        return new String(file, StandardCharsets.ISO_8859_1);
    }

    private static byte[] fetch(ImageFetcher fetcher, String url) {
        return fetcher.fetch(url, fetcher.beginRequest(), () -> false);
    }

    private String refused(String path) {
        return assertThrows(InvalidImageException.class, () -> fetched(path)).getMessage();
    }

    @Test
    void fileIsFetchedWithoutCredentials() {
        server.file("/a.png?b=c", "content");

        assertEquals("content", fetched("/a.png?b=c"));
        String request = server.requests.getFirst();
        assertTrue(request.startsWith("GET /a.png?b=c HTTP/1.1\n"), request);
        assertTrue(request.contains("Host: files.example:" + server.port() + "\n"), request);
    }

    @ParameterizedTest
    @CsvSource({
        "'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n', abcde",
        "'Content-Encoding: identity\r\n\r\nabc', abc",
        "'content-length: 3\r\n\r\nabcde', abc",
        "'\r\n', ''",
    })
    void bodiesOfAllFramingsAreRead(String rest, String body) {
        server.reply("/", "HTTP/1.1 200 OK\r\n" + rest);

        assertEquals(body, fetched("/"));
    }

    @ParameterizedTest
    @CsvSource({
        "'HTTP/1.1 404 Not Found\r\n\r\n', status 404",
        "'HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n', more than 100 bytes",
        "'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n', malformed",
        "'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc', cannot be reached",
        "'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nabc', the coding gzip",
        "'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nabc', malformed",
        "'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n', more than 100 bytes",
        "'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n', malformed",
        "'HTTP/1.1 302 Found\r\n\r\n', to nowhere",
        "'SSH-2.0-OpenSSH_9.6\r\n', malformed",
        "'', cannot be reached",
    })
    void otherRepliesAreNamed(String reply, String reason) {
        server.reply("/", reply);

        assertTrue(refused("/").contains(reason), refused("/"));
    }

    @Test
    void endlessBodyAndHeadAreCut() {
        server.reply("/body", "HTTP/1.1 200 OK\r\n\r\n" + "x".repeat(MOST + 1));
        server.reply("/head", "HTTP/1.1 200 OK\r\n" + "x: y\r\n".repeat(20_000));

        assertEquals("the image at the URL has more than 100 bytes", refused("/body"));
        assertEquals("the image's host sends a malformed reply", refused("/head"));
    }

    @Test
    void redirectsAreFollowedAndChecked() {
        server.file("/c/file", "content")
                .redirect("/a", "b/../c/file")
                .redirect("/b", "/a")
                .redirect("/more", "/b")
                .redirect("/other", "http://other.example:" + server.port() + "/c/file")
                .redirect("/scheme", "file:///etc/passwd");

        assertEquals("content", fetched("/b"));
        assertEquals("the image's host redirects more than 2 times", refused("/more"));
        assertTrue(refused("/other").contains("may not fetch from other.example"));
        assertEquals("expected a URL with http or https", refused("/scheme"));
    }

    @Test
    void redirectToPrivateAddressIsRefused() {
        server.redirect("/", "http://inside.example:" + server.port() + "/");
        String inside = "inside.example:" + server.port();

        String message =
                assertThrows(
                                InvalidImageException.class,
                                () -> fetch(fetcher(host(), inside), url("/")))
                        .getMessage();

        assertTrue(message.contains("an address of this host is not public"), message);
        assertEquals(1, server.requests.size());
    }

    /** The name resolves to a public address first, and to this machine when it is asked again. */
    @Test
    void nameIsResolvedOnceForCheckAndConnection() {
        time = Duration.ofMillis(300);
        server.file("/", "secret");
        AtomicInteger asked = new AtomicInteger();
        resolver =
                name ->
                        List.of(
                                asked.getAndIncrement() == 0
                                        ? InetAddress.ofLiteral("198.51.100.1")
                                        : LOOPBACK);
        String host = "files.example:" + server.port();

        assertThrows(InvalidImageException.class, () -> fetch(fetcher(host), url("/")));
        assertEquals(List.of(), server.requests);
        assertEquals(1, asked.get());
    }

    @Test
    void silentHostIsLeftAfterTheTime() {
        time = Duration.ofMillis(100);

        assertTrue(refused("/silent").contains("took longer than"), refused("/silent"));
    }

    /** Each host has more time than all of them together. */
    @Test
    void silentHostsOfARequestShareItsTime() {
        requestTime = Duration.ofMillis(100);
        ImageFetcher fetcher = fetcher(host());
        FetchDeadline request = fetcher.beginRequest();
        server.file("/a", "content");

        assertTrue(spent(fetcher, request, "/silent").startsWith("fetching the images of the"));
        assertTrue(spent(fetcher, request, "/a").startsWith("fetching the images of the"));
        assertEquals(1, server.requests.size(), "the second host is not asked");
        assertEquals("content", new String(fetch(patient(), url("/a")), StandardCharsets.UTF_8));
    }

    private ImageFetcher patient() {
        requestTime = Duration.ofMinutes(5);
        return fetcher(host());
    }

    private String spent(ImageFetcher fetcher, FetchDeadline request, String path) {
        return assertThrows(
                        InvalidImageException.class,
                        () -> fetcher.fetch(url(path), request, () -> false))
                .getMessage();
    }

    @Test
    void slowLookUpIsLeftAfterTheTime() {
        time = Duration.ofMillis(100);
        resolver =
                name -> {
                    try {
                        Thread.sleep(Duration.ofHours(1));
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return List.of(LOOPBACK);
                };

        assertTrue(refused("/").contains("took longer than"));
    }

    @Test
    void cancelledDownloadEnds() {
        ImageFetcher fetcher = fetcher(host());
        FetchDeadline request = fetcher.beginRequest();

        assertThrows(
                CancellationException.class, () -> fetcher.fetch(url("/"), request, () -> true));
    }

    @Test
    void certificateIsChecked() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        TestCertificates.Pair pair = certificates.make("images", "EC");
        try (CannedServer secure = new CannedServer(secureSocket(pair))) {
            secure.file("/", "content");
            String host = "127.0.0.1:" + secure.port();
            String other = "other.example:" + secure.port() + "=private";
            SSLSocketFactory trusting = pair.client().getSocketFactory();

            assertEquals(
                    "content",
                    new String(
                            fetch(fetcher(trusting, host), "https://127.0.0.1:" + secure.port()),
                            StandardCharsets.ISO_8859_1));
            assertThrows(
                    InvalidImageException.class,
                    () ->
                            fetch(
                                    fetcher(trusting, other),
                                    "https://other.example:" + secure.port()));
            assertThrows(
                    InvalidImageException.class,
                    () -> fetch(fetcher(host), "https://127.0.0.1:" + secure.port()));
        }
    }

    private static SSLServerSocket secureSocket(TestCertificates.Pair pair) throws Exception {
        char[] password = {'x'};
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(null, null);
        keys.setKeyEntry("server", pair.secret(), password, new Certificate[] {pair.shown()});
        KeyManagerFactory managers =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, password);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 50, LOOPBACK);
    }
}
