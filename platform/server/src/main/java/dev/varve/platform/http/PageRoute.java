package dev.varve.platform.http;

import dev.varve.platform.http.access.Purpose;
import dev.varve.platform.http.answer.Outcome;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.page.WebPage;

import java.io.IOException;

/** The files of the page, but for the one that a browser opens. */
final class PageRoute extends Route {
    private static final long serialVersionUID = 1L;

    /** What stands before the mark and the name of each. */
    static final String PREFIX = "/page/";

    private final transient WebPage page;

    PageRoute(RequestCycle cycle, WebPage page) {
        super("/page", Purpose.PAGE, Methods.READ, cycle);
        this.page = page;
    }

    @Override
    Outcome answer(Exchange exchange) throws IOException {
        String path = below(PREFIX, exchange.request());
        if (!page.write(path, exchange.request(), exchange.response())) {
            throw ApiException.status(
                    404, "", "the page has no such file: reload it if the server is another one");
        }
        return Outcome.PLAIN;
    }
}
