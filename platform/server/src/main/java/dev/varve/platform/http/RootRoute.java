package dev.varve.platform.http;

import dev.varve.platform.http.access.RoutePurpose;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.page.WebUiHandler;

import org.eclipse.jetty.server.Request;

import java.io.IOException;
import java.util.Optional;

/**
 * The root path: server information, or the web page for browsers, each with its own access rules.
 */
final class RootRoute extends Route {
    private static final long serialVersionUID = 1L;

    /** Path prefix before the version tag and the name of each file of the web page. */
    private static final String FILES = "/page/";

    private final transient Route facts;
    private final transient Route page;

    private RootRoute(Route facts, RequestLifecycle lifecycle, WebUiHandler page) {
        super(facts.label(), facts.purpose(), facts.methods(), lifecycle);
        this.facts = facts;
        this.page =
                new BodylessRoute(
                        "/page",
                        RoutePurpose.PAGE,
                        Methods.READ,
                        lifecycle,
                        exchange -> {
                            page.writeFirst(exchange.request(), exchange.response());
                            return RequestOutcome.PLAIN;
                        });
    }

    /** Maps the root, and the files of the web page if it is enabled. */
    static void map(
            RouteTable routes, Route facts, RequestLifecycle lifecycle, HttpOptions options) {
        switch (options.page()) {
            case SHOWN -> {
                WebUiHandler page = new WebUiHandler(options.access().needsKey());
                routes.mapAt(new RootRoute(facts, lifecycle, page), "");
                routes.mapAt(
                        new BodylessRoute(
                                "/page",
                                RoutePurpose.PAGE,
                                Methods.READ,
                                lifecycle,
                                exchange -> writeFile(page, exchange)),
                        FILES + "*");
            }
            case LEFT_OUT -> routes.mapAt(facts, "");
        }
    }

    private static RequestOutcome writeFile(WebUiHandler page, Exchange exchange)
            throws IOException {
        String path = below(FILES, exchange.request());
        if (!page.write(path, exchange.request(), exchange.response())) {
            throw ApiException.status(
                    404,
                    "",
                    "the web page has no such file; reload the page if the server was updated");
        }
        return RequestOutcome.PLAIN;
    }

    @Override
    RequestOutcome answer(Exchange exchange) throws IOException, InterruptedException {
        // A browser receives another response under this path.
        exchange.response().addHeader("Vary", "Accept");
        return facts.answer(exchange);
    }

    @Override
    Route of(Request request) {
        return WebUiHandler.expectsPage(
                        request.getMethod(),
                        Optional.ofNullable(request.getHeaders().get("Accept")))
                ? page
                : this;
    }
}
