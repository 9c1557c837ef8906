package dev.varve.platform.http.fetch;

import dev.varve.platform.vision.InvalidImageException;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * One download of an image, which another thread can end. It connects to the addresses that it has
 * checked, so that a name that resolves to others a moment later leads nowhere else.
 */
final class ImageDownload implements AutoCloseable {
    private static final List<Integer> REDIRECTS = List.of(301, 302, 303, 307, 308);
    private static final int OK = 200;

    private final AllowedHosts hosts;
    private final FetchLimits limits;
    private final Network network;
    private Socket open;
    private boolean closed;

    /** Finds the addresses of a host. */
    @FunctionalInterface
    interface Resolver {
        List<InetAddress> addresses(String host) throws UnknownHostException;
    }

    /**
     * The way to other hosts.
     *
     * @param resolver finds addresses
     * @param tls makes connections secure, and checks certificates
     */
    record Network(Resolver resolver, SSLSocketFactory tls) {}

    ImageDownload(AllowedHosts hosts, FetchLimits limits, Network network) {
        this.hosts = hosts;
        this.limits = limits;
        this.network = network;
    }

    /**
     * Downloads a file, over redirects whose hosts are allowed, too.
     *
     * @throws InvalidImageException if a host or address is not allowed, or the reply is no file
     * @throws IOException if the connection fails, or {@link #close} ends it
     */
    byte[] file(ImageUrl url) throws IOException {
        ImageUrl next = url;
        for (int hop = 0; hop <= limits.redirects(); hop++) {
            try (Socket socket = connected(next)) {
                ReplyReader reply = asked(next, socket);
                ReplyReader.Head head = reply.head();
                if (head.status() == OK) {
                    return reply.body(head);
                }
                next = redirected(next, head);
            }
        }
        throw new InvalidImageException(
                "the image's host redirects more than " + limits.redirects() + " times");
    }

    private static ImageUrl redirected(ImageUrl url, ReplyReader.Head head) {
        if (!REDIRECTS.contains(head.status())) {
            throw new InvalidImageException(
                    "the image's host answers with status " + head.status());
        }
        return url.redirected(
                head.field("location")
                        .orElseThrow(
                                () ->
                                        new InvalidImageException(
                                                "the image's host redirects to nowhere")));
    }

    private ReplyReader asked(ImageUrl url, Socket socket) throws IOException {
        String request =
                "GET "
                        + url.target()
                        + " HTTP/1.1\r\nHost: "
                        + url.authority()
                        + "\r\n"
                        + "Accept: image/*\r\n"
                        + "Accept-Encoding: identity\r\n"
                        + "User-Agent: varve\r\n"
                        + "Connection: close\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
        InputStream input = new BufferedInputStream(socket.getInputStream());
        return new ReplyReader(input, limits.bytes());
    }

    private Socket connected(ImageUrl url) throws IOException {
        hosts.requireAllowed(url);
        List<InetAddress> addresses = network.resolver().addresses(url.host());
        hosts.requireAllowed(url, addresses);
        IOException failure = new UnknownHostException();
        for (InetAddress address : addresses) {
            Socket socket = register(new Socket(java.net.Proxy.NO_PROXY));
            try {
                socket.connect(
                        new InetSocketAddress(address, url.port()),
                        Math.toIntExact(limits.time().toMillis()));
                return url.secure() ? secured(url, socket) : socket;
            } catch (IOException e) {
                socket.close();
                failure = e;
            }
        }
        throw failure;
    }

    private Socket secured(ImageUrl url, Socket socket) throws IOException {
        SSLSocket secure =
                (SSLSocket) network.tls().createSocket(socket, url.host(), url.port(), true);
        SSLParameters parameters = secure.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secure.setSSLParameters(parameters);
        secure.startHandshake();
        return secure;
    }

    private synchronized Socket register(Socket socket) throws IOException {
        if (closed) {
            socket.close();
            throw new IOException("ended");
        }
        open = socket;
        return socket;
    }

    /** Ends the download. */
    @Override
    public synchronized void close() {
        closed = true;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                // The other side sees the end of the connection later.
            }
        }
    }
}
