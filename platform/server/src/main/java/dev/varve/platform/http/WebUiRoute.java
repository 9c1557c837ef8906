package dev.varve.platform.http;

import dev.varve.platform.http.access.RouteAccess;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.page.WebUiHandler;

import java.io.IOException;

/** The files of the web page, except the HTML file that a browser opens. */
final class WebUiRoute extends Route {
    private static final long serialVersionUID = 1L;

    /** Path prefix before the version tag and the name of each file. */
    static final String PREFIX = "/page/";

    private final transient WebUiHandler page;

    WebUiRoute(RequestLifecycle cycle, WebUiHandler page) {
        super("/page", RouteAccess.PAGE, Methods.READ, cycle);
        this.page = page;
    }

    @Override
    RequestOutcome answer(Exchange exchange) throws IOException {
        String path = below(PREFIX, exchange.request());
        if (!page.write(path, exchange.request(), exchange.response())) {
            throw ApiException.status(
                    404, "", "the page has no such file: reload it if the server is another one");
        }
        return RequestOutcome.PLAIN;
    }
}
