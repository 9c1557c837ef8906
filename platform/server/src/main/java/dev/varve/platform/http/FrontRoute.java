package dev.varve.platform.http;

import dev.varve.platform.http.access.Purpose;
import dev.varve.platform.http.answer.Outcome;
import dev.varve.platform.http.page.WebPage;

import org.eclipse.jetty.server.Request;

import java.io.IOException;
import java.util.Optional;

/**
 * The root: the facts of the server, or for browsers its page, each with its own rules of access.
 */
final class FrontRoute extends Route {
    private static final long serialVersionUID = 1L;

    private final transient Route facts;
    private final transient Route page;

    private FrontRoute(Route facts, RequestCycle cycle, WebPage page) {
        super(facts.label(), facts.purpose(), facts.methods(), cycle);
        this.facts = facts;
        this.page =
                new ReadRoute(
                        "/page",
                        Purpose.PAGE,
                        cycle,
                        exchange -> page.writeFirst(exchange.request(), exchange.response()));
    }

    /** Maps the root, and the page's files if there is a page. */
    static void map(RouteTable routes, Route facts, RequestCycle cycle, HttpOptions options) {
        switch (options.page()) {
            case SHOWN -> {
                WebPage page = new WebPage(options.access().needsKey());
                routes.map(new FrontRoute(facts, cycle, page), "");
                routes.map(new PageRoute(cycle, page), PageRoute.PREFIX + "*");
            }
            case LEFT_OUT -> routes.map(facts, "");
        }
    }

    @Override
    Outcome answer(Exchange exchange) throws IOException, InterruptedException {
        // What a browser gets under this path is something else.
        exchange.response().addHeader("Vary", "Accept");
        return facts.answer(exchange);
    }

    @Override
    Route of(Request request) {
        return WebPage.isWanted(
                        request.getMethod(),
                        Optional.ofNullable(request.getHeaders().get("Accept")))
                ? page
                : this;
    }
}
