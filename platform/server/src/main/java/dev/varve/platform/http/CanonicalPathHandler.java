package dev.varve.platform.http;

import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Gives each request the path by which its route is known, before anything is decided by it: who
 * may call, whether its body is read, and what answers.
 *
 * <p>Slashes that follow each other are one, and one at the end is left out, since clients put base
 * addresses and routes together in many ways. Nothing else is changed: an escape is no letter, and
 * dots are names.
 */
final class CanonicalPathHandler extends Handler.Wrapper {
    private static final Pattern SLASHES = Pattern.compile("//+");
    private static final String ROOT = "/";

    CanonicalPathHandler(Handler next) {
        super(next);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        String path = Optional.ofNullable(request.getHttpURI().getPath()).orElse("");
        String canonical = canonical(path);
        return super.handle(
                canonical.equals(path) ? request : new Canonical(request, canonical),
                response,
                callback);
    }

    /** The path of a route, for a path as it is written. */
    static String canonical(String path) {
        String single = SLASHES.matcher(path).replaceAll(ROOT);
        return single.length() > 1 && single.endsWith(ROOT)
                ? single.substring(0, single.length() - 1)
                : single;
    }

    /** A request with another path. */
    private static final class Canonical extends Request.Wrapper {
        private final HttpURI uri;

        Canonical(Request request, String path) {
            super(request);
            uri = HttpURI.build(request.getHttpURI()).path(path).asImmutable();
        }

        @Override
        public HttpURI getHttpURI() {
            return uri;
        }
    }
}
