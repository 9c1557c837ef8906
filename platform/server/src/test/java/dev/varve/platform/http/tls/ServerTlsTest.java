package dev.varve.platform.http.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.testkit.TestCertificates;

import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** The certificate follows its files. */
@Timeout(60)
class ServerTlsTest {
    @TempDir Path folder;

    private final Server server = new Server();
    private ServerConnector connector;
    private TestCertificates.Pair first;
    private TestCertificates.Pair second;
    private Path certificate;
    private Path key;
    private ServerTls tls;

    @BeforeEach
    void start() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        first = certificates.make("first", "EC");
        second = certificates.make("second", "RSA");
        certificate = folder.resolve("tls.pem");
        key = folder.resolve("tls.key");
        put(first.certificate(), certificate);
        put(first.key(), key);
        tls = new ServerTls(TlsSource.read(certificate, key));
        connector = new ServerConnector(server, 1, 1, tls.connections(new HttpConnectionFactory()));
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.start();
    }

    @AfterEach
    void stop() throws Exception {
        tls.close();
        server.stop();
    }

    /** A new file in the place of the old one, as tools that renew certificates do it. */
    private void put(Path from, Path to) throws IOException {
        Path beside = Files.copy(from, folder.resolve("new"));
        Files.move(beside, to, StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void newConnectionsGetTheNewCertificate() throws Exception {
        try (SSLSocket open = connect("TLSv1.3")) {
            tls.checkFiles();
            assertEquals(first.shown(), shown(open));

            put(second.certificate(), certificate);
            put(second.key(), key);
            tls.checkFiles();
            assertEquals(first.shown(), shown(), "it may still be written");
            tls.checkFiles();

            assertEquals(second.shown(), shown());
            open.getOutputStream()
                    .write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertEquals('H', open.getInputStream().read(), "the old connection goes on");
        }
    }

    @Test
    void mismatchedFilesChangeNothing() throws Exception {
        put(second.certificate(), certificate);
        tls.checkFiles();
        tls.checkFiles();
        assertEquals(first.shown(), shown(), "the key is still the old one");

        put(second.key(), key);
        tls.checkFiles();
        tls.checkFiles();
        assertEquals(second.shown(), shown());

        Files.delete(certificate);
        tls.checkFiles();
        tls.checkFiles();
        Files.writeString(certificate, "broken");
        tls.checkFiles();
        tls.checkFiles();
        assertEquals(second.shown(), shown());

        put(first.certificate(), certificate);
        put(first.key(), key);
        tls.checkFiles();
        tls.checkFiles();
        assertEquals(first.shown(), shown());
    }

    @Test
    void bothTlsVersionsAreAccepted() throws Exception {
        for (String version : new String[] {"TLSv1.2", "TLSv1.3"}) {
            try (SSLSocket socket = connect(version)) {
                assertEquals(version, socket.getSession().getProtocol());
            }
        }
    }

    private X509Certificate shown() throws Exception {
        try (SSLSocket socket = connect("TLSv1.3")) {
            return shown(socket);
        }
    }

    private static X509Certificate shown(SSLSocket socket) throws Exception {
        return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }

    private SSLSocket connect(String version) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new TrustAll()}, null);
        SSLSocket socket =
                (SSLSocket)
                        context.getSocketFactory()
                                .createSocket("127.0.0.1", connector.getLocalPort());
        socket.setEnabledProtocols(new String[] {version});
        socket.startHandshake();
        return socket;
    }

    /** The test looks at the certificate itself. */
    private static final class TrustAll implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
