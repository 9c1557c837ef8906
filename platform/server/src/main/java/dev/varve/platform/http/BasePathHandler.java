package dev.varve.platform.http;

import dev.varve.platform.http.page.WebUiHandler;

import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Removes the base path from the path of each request, before any decision by path: later handlers
 * and routes receive paths without it. A path without it stays unchanged, for probes that bypass
 * the proxy and for proxies that remove the base path themselves.
 *
 * <p>A browser is redirected from {@code /base} to {@code /base/}, since the links of the web page
 * are relative.
 */
final class BasePathHandler extends Handler.Wrapper {
    private static final Pattern SLASHES = Pattern.compile("^//+");

    private final String base;

    /** Makes a handler for {@code base}, which begins with a slash and does not end with one. */
    BasePathHandler(Handler next, String base) {
        super(next);
        this.base = base;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        String path = Optional.ofNullable(request.getHttpURI().getPath()).orElse("");
        String single = SLASHES.matcher(path).replaceFirst("/");
        if (single.equals(base)
                && WebUiHandler.expectsPage(
                        request.getMethod(),
                        Optional.ofNullable(request.getHeaders().get(HttpHeader.ACCEPT)))) {
            RequestId.put(request, response);
            response.setStatus(308);
            response.getHeaders().put(new HttpField(HttpHeader.LOCATION, base + "/"));
            callback.succeeded();
            return true;
        }
        if (single.equals(base) || single.startsWith(base + "/")) {
            String rest = single.substring(base.length());
            Request below = SlashNormalizingHandler.withPath(request, rest.isEmpty() ? "/" : rest);
            return super.handle(below, response, callback);
        }
        return super.handle(request, response, callback);
    }
}
