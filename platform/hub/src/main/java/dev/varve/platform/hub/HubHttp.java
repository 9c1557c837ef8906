package dev.varve.platform.hub;

import dev.varve.api.VarveException;
import dev.varve.platform.log.ControlCharacters;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import javax.net.ssl.SSLException;

/**
 * Sends GET requests and follows redirects. The token is sent to the endpoint alone: a redirect to
 * another host does not get it. For one thread.
 */
final class HubHttp implements AutoCloseable {
    /** Redirects of one request; a hub needs one or two. */
    private static final int MOST_REDIRECTS = 10;

    private static final Duration CONNECT = Duration.ofSeconds(15);

    private final HubSettings settings;
    private final HttpClient client;

    HubHttp(HubSettings settings) {
        this.settings = settings;
        client =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .connectTimeout(CONNECT)
                        .proxy(settings.proxies())
                        .build();
    }

    /** Whether an address is one of HTTP with a host, and without a user. */
    static boolean isHttp(URI uri) {
        return uri.getHost() != null
                && uri.getRawUserInfo() == null
                && ("https".equals(uri.getScheme()) || "http".equals(uri.getScheme()));
    }

    /** Returns an address without its query, which may contain a signature, and without a user. */
    static String plain(URI uri) {
        return plain(uri.toString());
    }

    /** Does the same for a text that may be no address. */
    static String plain(String text) {
        return ControlCharacters.replace(
                text.replaceFirst("[?#].*", "").replaceFirst("//[^/]*@", "//"), '?');
    }

    /**
     * Requests an address.
     *
     * @return a response that is no redirect, no 408, 429 or 5xx; the caller closes it
     * @throws IOException if another attempt may succeed
     * @throws VarveException of kind UNAVAILABLE if the redirects do not end or leave HTTP
     */
    Reply get(URI uri, Map<String, String> headers) throws IOException, InterruptedException {
        Set<URI> visited = new HashSet<>();
        Optional<String> digest = Optional.empty();
        URI at = uri;
        while (visited.add(at) && visited.size() <= MOST_REDIRECTS) {
            HttpResponse<TimedBody> response = send(at, headers, plain(uri));
            digest = digest.or(() -> Reply.digest(response.headers()));
            Reply reply = new Reply(response, digest);
            Optional<URI> next = redirect(reply);
            if (next.isEmpty()) {
                requireNotTransient(reply);
                return reply;
            }
            reply.close();
            at = next.get();
        }
        throw new VarveException(
                VarveException.Kind.UNAVAILABLE,
                plain(uri)
                        + ": the redirects do not end: "
                        + visited.size()
                        + " addresses, the last one "
                        + plain(at));
    }

    private HttpResponse<TimedBody> send(URI uri, Map<String, String> headers, String name)
            throws IOException, InterruptedException {
        try {
            return client.send(request(uri, headers), _ -> new TimedBody(name, settings.stall()));
        } catch (IOException e) {
            requireRepeatable(uri, e);
            String reason = e.getMessage() == null ? "no connection" : e.getMessage();
            throw new IOException(plain(uri) + ": " + reason, e);
        }
    }

    /** Throws an exception for a failure that another attempt would repeat. */
    private void requireRepeatable(URI uri, IOException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String reason =
                    switch (cause) {
                        case UnresolvedAddressException _ -> connectsTo(uri) + ": no such host";
                        case CertificateException _ ->
                                uri.getHost() + ": its certificate is not trusted by this Java";
                        case SSLException e when e.getCause() == null ->
                                uri.getHost() + ": no TLS connection: " + e.getMessage();
                        default -> "";
                    };
            if (!reason.isEmpty()) {
                throw new VarveException(VarveException.Kind.UNAVAILABLE, reason, failure);
            }
        }
    }

    /** The host of an address, or of its proxy. */
    private String connectsTo(URI uri) {
        return settings.proxies().select(uri).getFirst().address()
                        instanceof InetSocketAddress proxy
                ? "the proxy " + proxy.getHostString()
                : uri.getHost();
    }

    private HttpRequest request(URI uri, Map<String, String> headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(uri)
                        .timeout(settings.stall())
                        .header("User-Agent", "varve")
                        .header("Accept-Encoding", "identity");
        headers.forEach(request::header);
        settings.token()
                .filter(_ -> mayHaveToken(uri))
                .ifPresent(token -> request.header("Authorization", "Bearer " + token));
        return request.build();
    }

    /** Whether an address belongs to the endpoint, and others on the way cannot read the token. */
    private boolean mayHaveToken(URI uri) {
        return uri.getScheme().equals(settings.endpoint().getScheme())
                && uri.getRawAuthority().equals(settings.endpoint().getRawAuthority())
                && (uri.getScheme().equals("https") || isLoopback(uri.getHost()));
    }

    /** Whether a host of an address is this machine. */
    static boolean isLoopback(String host) {
        return host.equalsIgnoreCase("localhost")
                || host.matches("127(\\.(25[0-5]|2[0-4]\\d|1?\\d?\\d)){3}|\\[::1]");
    }

    private Optional<URI> redirect(Reply reply) {
        if (reply.status() / 100 != 3 || reply.header("location").isEmpty()) {
            return Optional.empty();
        }
        URI next;
        try {
            next = reply.uri().resolve(reply.header("location").get());
        } catch (IllegalArgumentException e) {
            throw badRedirect(reply);
        }
        boolean unprotected =
                "https".equals(reply.uri().getScheme()) && !"https".equals(next.getScheme());
        if (!isHttp(next) || unprotected) {
            throw badRedirect(reply);
        }
        return Optional.of(next);
    }

    private static VarveException badRedirect(Reply reply) {
        reply.close();
        return new VarveException(
                VarveException.Kind.UNAVAILABLE,
                plain(reply.uri())
                        + ": expected a redirect to an address as protected as this one, found "
                        + plain(reply.header("location").get()));
    }

    private static void requireNotTransient(Reply reply) throws TransientFailure {
        int status = reply.status();
        if (status == 408 || status == 429 || status >= 500) {
            reply.close();
            throw new TransientFailure(
                    plain(reply.uri()) + ": the server answers " + status,
                    reply.header("retry-after"));
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
