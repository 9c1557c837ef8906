package dev.varve.platform.http;

import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Gives each request its canonical path, before access, body reading and the route are decided by
 * path.
 *
 * <p>Repeated slashes become one and a trailing slash is removed, since clients join base addresses
 * and routes in many ways. Nothing else changes: escapes are not decoded, and dot segments are not
 * resolved.
 */
final class SlashNormalizingHandler extends Handler.Wrapper {
    private static final Pattern SLASHES = Pattern.compile("//+");
    private static final String ROOT = "/";

    SlashNormalizingHandler(Handler next) {
        super(next);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        String path = Optional.ofNullable(request.getHttpURI().getPath()).orElse("");
        String canonical = canonical(path);
        return super.handle(
                canonical.equals(path) ? request : withPath(request, canonical),
                response,
                callback);
    }

    /** Returns a request with another path. */
    static Request withPath(Request request, String path) {
        return Request.serveAs(
                request, HttpURI.build(request.getHttpURI()).path(path).asImmutable());
    }

    /** Returns the canonical form of a path. */
    static String canonical(String path) {
        String single = SLASHES.matcher(path).replaceAll(ROOT);
        return single.length() > 1 && single.endsWith(ROOT)
                ? single.substring(0, single.length() - 1)
                : single;
    }
}
